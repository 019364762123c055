//! `crivello dedup` on files: what is found, how it is said, and that neither threads nor a kill change it.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::command::{crivello, errors_of, succeeds, succeeds_with_json};

/// A text of so many words, in an order that no other number gives.
fn text(number: usize, words: usize) -> String {
    let mut random = number as u64 + 1;
    let words: Vec<String> = (0..words)
        .map(|_| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            format!("w{}", (random >> 40) % 5000)
        })
        .collect();
    words.join(" ")
}

/// Texts 0 to `count`: of every ten one equals the one before, and one differs from the one before by its last words.
fn write_texts(folder: &Path, count: usize) {
    std::fs::create_dir_all(folder).unwrap();
    for number in 0..count {
        let content = match number % 10 {
            4 => text(number - 1, 120),
            8 => format!("{} and other last words", text(number - 1, 120)),
            _ => text(number, 120),
        };
        std::fs::write(folder.join(format!("{number:05}.txt")), content).unwrap();
    }
}

fn run(args: &[&str]) -> Output {
    crivello().args(args).output().unwrap()
}

#[test]
fn pairs_and_groups_are_found_in_folders() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("texts");
    write_texts(&folder, 20);
    let folder = folder.to_str().unwrap();
    let pairs = succeeds(&["dedup", folder, "--pairs", "--quiet"]);
    let rows: Vec<Vec<&str>> = pairs.lines().map(|line| line.split('\t').collect()).collect();
    let name = |number: usize| format!("{folder}/{number:05}.txt");
    assert_eq!(rows.len(), 4, "{pairs}");
    assert_eq!(rows[0], [&name(3), &name(4), "1.000000"]);
    // Of 120 words 116 shingles, and four more with four words more.
    assert_eq!(rows[1], [&name(7), &name(8), &format!("{:.6}", 116.0 / 120.0)]);
    let groups = succeeds(&["dedup", folder, "--groups", "--quiet"]);
    let expected: Vec<String> =
        [3, 7, 13, 17].map(|first| format!("{}\t{}", name(first), name(first + 1))).to_vec();
    assert_eq!(groups.lines().collect::<Vec<_>>(), expected);
    let summary = succeeds(&["dedup", folder, "--quiet"]);
    assert!(summary.contains("4 groups of copies, 4 documents could go, 2 of them exact;"), "{summary}");
    let json = succeeds_with_json(&["dedup", folder, "--json", "--quiet"]);
    for (key, value) in [
        ("documents", 20),
        ("too_short", 0),
        ("unreadable", 0),
        ("exact_copies", 2),
        ("groups", 4),
        ("copies", 4),
    ] {
        assert_eq!(json[key], value, "{key}: {json}");
    }
    for key in ["elapsed_seconds", "cpu_seconds", "peak_memory_bytes", "bytes"] {
        assert!(json[key].is_number(), "{key}: {json}");
    }
    let json = succeeds_with_json(&["dedup", folder, "--json", "--quiet", "--groups"]);
    assert_eq!((&json["group_list"][0][1], &json["groups"]), (&name(4).into(), &4.into()));
    let json = succeeds_with_json(&["dedup", folder, "--json", "--quiet", "--pairs", "--threshold", "1"]);
    assert_eq!((&json["pairs"], &json["groups"]), (&2.into(), &2.into()));
    assert_eq!(json["pair_list"], serde_json::json!([[name(3), name(4), 1.0], [name(13), name(14), 1.0]]));
}

#[test]
fn all_forms_of_execution_and_all_methods_give_the_same() {
    let dir = tempfile::tempdir().unwrap();
    write_texts(dir.path(), 600);
    let path = dir.path().to_str().unwrap();
    for output in ["--pairs", "--groups"] {
        let expected = succeeds(&["dedup", path, output, "--quiet", "--exact"]);
        assert_eq!(expected.lines().count(), 120);
        let rows: [&[&str]; 8] = [
            &["--execution", "serial"],
            &["--execution", "threads", "--threads", "1"],
            &["--execution", "threads", "--threads", "3"],
            &["--execution", "producer-consumer", "--threads", "2"],
            &["--method", "sorted", "--scheme", "one-permutation"],
            &["--scheme", "multiply-add", "--seed", "7"],
            &["--memory", "1MiB"],
            &["--slots", "64"],
        ];
        for options in rows {
            let found = succeeds(&[&["dedup", path, output, "--quiet"], options].concat());
            assert!(found == expected, "{options:?}");
        }
    }
}

#[test]
fn the_scheme_of_the_report_prints_estimates_and_warns_of_short_texts() {
    let dir = tempfile::tempdir().unwrap();
    write_texts(dir.path(), 10);
    std::fs::write(
        dir.path().join("short.txt"),
        "just long enough for a single shingle, or a few of them, of the report",
    )
    .unwrap();
    let output = run(&["dedup", "--scheme", "seed", "--pairs", dir.path().to_str().unwrap()]);
    let lines = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(lines.lines().count(), 2, "{lines}");
    for line in lines.lines() {
        let similarity: f64 = line.rsplit('\t').next().unwrap().parse().unwrap();
        let slots = similarity * 200.0;
        assert!((slots - slots.round()).abs() < 1e-3 && similarity >= 0.8, "{line}");
    }
    let errors = errors_of(&output);
    assert!(errors.contains("1 of 11 texts have fewer than 200 shingles"), "{errors}");
}

fn write_gzip(path: &Path, content: &str) {
    let mut encoder =
        flate2::write::GzEncoder::new(std::fs::File::create(path).unwrap(), flate2::Compression::fast());
    encoder.write_all(content.as_bytes()).unwrap();
    encoder.finish().unwrap();
}

#[test]
fn json_lines_plain_and_compressed_are_written_back_without_copies() {
    let dir = tempfile::tempdir().unwrap();
    let line = |id: &str, number: usize| {
        format!("{{\"id\": {id}, \"body\":\"{}\", \"more\": [1]}}", text(number, 50))
    };
    let lines = [line("\"a\"", 1), line("2", 2), String::new(), line("\"c\\td\"", 1)];
    std::fs::write(dir.path().join("a.jsonl"), lines.join("\n")).unwrap();
    write_gzip(
        &dir.path().join("b.ndjson.gz"),
        &format!("{}\n{{\"body\":\"{}\"}}\n", line("3", 3), text(2, 50)),
    );
    std::fs::write(dir.path().join("c.txt"), text(3, 50)).unwrap();
    let folder = dir.path().to_str().unwrap();
    let out = tempfile::tempdir().unwrap();
    let clean = out.path().join("clean.jsonl");
    let options = ["--text-field", "body", "--quiet", "--groups", "-o", clean.to_str().unwrap()];
    let groups = succeeds(&[&["dedup", folder], &options[..]].concat());
    assert_eq!(groups, format!("a\tc\\td\n2\t{folder}/b.ndjson.gz:2\n3\t{folder}/c.txt\n"));
    let kept = std::fs::read_to_string(&clean).unwrap();
    assert_eq!(
        kept,
        format!("{}\n{}\n{}\n", lines[0], lines[1], line("3", 3)),
        "lines are kept byte for byte"
    );
    // What was written has no copies, and a text file becomes a line.
    std::fs::write(dir.path().join("d.txt"), text(4, 50)).unwrap();
    let again = out.path().join("again.jsonl");
    let last = dir.path().join("d.txt");
    let paths = [
        clean.to_str().unwrap(),
        last.to_str().unwrap(),
        "-o",
        again.to_str().unwrap(),
        "--text-field",
        "body",
    ];
    assert!(succeeds(&[&["dedup"], &paths[..]].concat()).contains("0 groups"));
    let written = std::fs::read_to_string(&again).unwrap();
    let line: Value = serde_json::from_str(written.lines().last().unwrap()).unwrap();
    assert_eq!((&line["id"], &line["text"]), (&last.to_str().unwrap().into(), &text(4, 50).into()));
}

#[test]
fn texts_of_any_size_and_bytes_are_taken() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(dir.path().join(name), bytes).unwrap();
    let binary: Vec<u8> =
        (0..20_000u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    // All bytes but zero are text.
    let bytes: Vec<u8> = binary.iter().copied().filter(|byte| *byte != 0).collect();
    write("binary", &binary);
    write("bytes", &bytes);
    write("bytes copy", &bytes);
    write("empty", b"");
    write("one", b"word");
    write("latin", "perché così è più città ".repeat(20).as_bytes());
    write("spaces", b" \n\t ");
    write("long line", text(5, 400_000).as_bytes());
    write("long line again", text(5, 400_000).as_bytes());
    write("tab\tand\nline", &bytes);
    let folder = dir.path().to_str().unwrap();
    let json = succeeds_with_json(&["dedup", folder, "--json", "--groups", "--quiet"]);
    assert_eq!(
        (&json["documents"], &json["too_short"], &json["unreadable"]),
        (&9.into(), &3.into(), &0.into())
    );
    assert_eq!((&json["copies"], &json["files"]["no_text"]), (&3.into(), &1.into()), "{json}");
    let groups = succeeds(&["dedup", folder, "--groups", "--quiet"]);
    assert!(groups.lines().next().unwrap().ends_with("/tab\\tand\\nline"), "{groups}");
    let raw = succeeds_with_json(&["dedup", folder, "--json", "--quiet", "--raw"]);
    assert_eq!((&raw["documents"], &raw["files"]["text"]), (&10.into(), &10.into()), "{raw}");
}

/// A folder as manuals are: pages, images, style, links.
fn write_manual(folder: &Path) {
    std::fs::create_dir_all(folder.join("images")).unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
    let page = |menu: &str, body: &str| {
        format!("<!DOCTYPE html><title>t</title><style>p {{ {menu} }}</style><p class='{menu}'>{body}</p>")
    };
    // The same text in other tags, and another text in the same tags.
    let menus = [text(90, 300), text(91, 300)];
    write("a.html", page(&menus[0], &text(1, 80)).as_bytes());
    write("b.html", page(&menus[1], &text(1, 80)).as_bytes());
    write("c.html", page(&menus[0], &text(2, 80)).as_bytes());
    write("d", page(&menus[0], &text(1, 80)).as_bytes());
    write("plain.txt", text(2, 80).as_bytes());
    write_gzip(&folder.join("e.html.gz"), &page(&menus[1], &text(2, 80)));
    for number in 0..3 {
        write(&format!("images/{number}.png"), b"\x89PNG\r\n\x1a\nand so on for a while");
    }
    write("images/figure", b"%PDF-1.4 words and words and words and words and words");
    std::fs::hard_link(folder.join("a.html"), folder.join("z.html")).unwrap();
    for number in 0..20 {
        std::os::unix::fs::symlink("a.html", folder.join(format!("link{number}.html"))).unwrap();
    }
}

#[test]
fn of_a_manual_texts_are_compared_each_file_once_and_what_is_no_text_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("manual");
    write_manual(&folder);
    let path = folder.to_str().unwrap();
    let groups = succeeds(&["dedup", path, "--groups", "--quiet"]);
    assert_eq!(
        groups,
        format!(
            "{path}/a.html\t{path}/b.html\t{path}/d\n{path}/c.html\t{path}/e.html.gz\t{path}/plain.txt\n"
        )
    );
    let summary = succeeds(&["dedup", path, "--quiet"]);
    let said = "read 6 files: 5 HTML, 1 text; left out 4 that are no text, 20 symbolic links, 1 met twice\n6 documents, ";
    assert!(summary.starts_with(said), "{summary}");
    let json = succeeds_with_json(&["dedup", path, "--quiet", "--json"]);
    let files = serde_json::json!({
        "html": 5, "text": 1, "json_lines": 0, "parquet": 0, "no_text": 4, "links": 20, "repeated": 1
    });
    assert_eq!((&json["files"], &json["documents"], &json["copies"]), (&files, &6.into(), &4.into()));
    // As they are, other tags are another text, and the rest is compared too.
    let json = succeeds_with_json(&["dedup", path, "--quiet", "--json", "--raw"]);
    assert_eq!(
        (&json["documents"], &json["files"]["html"], &json["exact_copies"]),
        (&10.into(), &0.into(), &3.into())
    );
    // A link that is named is followed.
    let link = folder.join("link3.html");
    let json = succeeds_with_json(&[
        "dedup",
        link.to_str().unwrap(),
        &format!("{path}/c.html"),
        "--quiet",
        "--json",
    ]);
    assert_eq!((&json["documents"], &json["files"]["links"]), (&2.into(), &0.into()));
    // What is written is the text.
    let clean = dir.path().join("clean.jsonl");
    succeeds(&["dedup", path, "--quiet", "-o", clean.to_str().unwrap()]);
    let written = std::fs::read_to_string(&clean).unwrap();
    let first: Value = serde_json::from_str(written.lines().next().unwrap()).unwrap();
    assert_eq!((&first["text"], written.lines().count()), (&text(1, 80).into(), 2));
}

#[test]
fn lines_that_are_not_json_are_told_and_counted() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.jsonl");
    let lines = format!("{{\"text\":\"{0}\"}}\n\nwords\n{{\"id\":1}}\n{{\"text\":\"{0}\"}}\n", text(1, 50));
    std::fs::write(&file, lines).unwrap();
    let output = run(&["dedup", file.to_str().unwrap(), "--json"]);
    let errors = errors_of(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("a.jsonl:3: not a line of JSON")
            && errors.contains("a.jsonl:4: there is no text in the field `text`"),
        "{errors}"
    );
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["documents"], &json["unreadable"], &json["copies"]), (&4.into(), &2.into(), &1.into()));
    assert_eq!(json["too_short"], 0, "what cannot be read is not short");
}

#[test]
fn a_run_that_is_killed_goes_on_and_ends_with_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let (texts, work) = (dir.path().join("texts"), dir.path().join("work"));
    write_texts(&texts, 4000);
    let (texts, work) = (texts.to_str().unwrap(), work.to_str().unwrap());
    let expected = succeeds(&["dedup", texts, "--groups", "--quiet"]);
    let options = ["dedup", texts, "--groups", "--quiet", "--work", work, "--execution", "serial"];
    let mut kills = 0;
    for moment in (20..).step_by(15).take(20) {
        let mut child = crivello().args(options).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(moment));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    assert!(kills > 0, "the texts are too few for this machine");
    assert!(succeeds(&options) == expected);
    // Another file is another set of documents: old sketches are not used for it.
    std::fs::write(Path::new(texts).join("00000.txt"), text(1, 120)).unwrap();
    let changed = succeeds(&options);
    assert_eq!(changed.lines().count(), expected.lines().count() + 1);
    assert!(changed.starts_with(&format!("{texts}/00000.txt\t{texts}/00001.txt\n")), "{changed:.200}");
}

#[test]
fn a_run_without_a_work_folder_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    write_texts(&dir.path().join("texts"), 20);
    let temporary = dir.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let output =
        crivello().arg("dedup").arg(dir.path().join("texts")).env("TMPDIR", &temporary).output().unwrap();
    assert!(output.status.success());
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn rows_of_parquet_files_are_documents() {
    use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rows.parquet");
    let schema = "message rows { required int64 id; optional binary content (UTF8); optional group more { optional int32 x; } }";
    let schema = std::sync::Arc::new(parquet::schema::parser::parse_message_type(schema).unwrap());
    let mut writer = parquet::file::writer::SerializedFileWriter::new(
        std::fs::File::create(&path).unwrap(),
        schema,
        Default::default(),
    )
    .unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int64Type>().write_batch(&[10, 11, 12, 13], None, None).unwrap();
    column.close().unwrap();
    let texts = [1, 2, 1].map(|number| ByteArray::from(text(number, 60).as_str()));
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<ByteArrayType>().write_batch(&texts, Some(&[1, 1, 1, 0]), None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<parquet::data_type::Int32Type>().write_batch(&[], Some(&[0, 0, 0, 0]), None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();

    let name = path.to_str().unwrap();
    let output = run(&["dedup", name, "--text-field", "content", "--groups", "--quiet"]);
    assert_eq!(String::from_utf8(output.stdout.clone()).unwrap(), "10\t12\n", "{}", errors_of(&output));
    assert_eq!(output.status.code(), Some(1), "the row without a text is counted");
    let output =
        run(&["dedup", name, "--text-field", "content", "--id-field", "nothing", "--groups", "--quiet"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{name}:1\t{name}:3\n"));
    let clean = tempfile::tempdir().unwrap();
    let clean = clean.path().join("clean.jsonl");
    let output = run(&["dedup", name, "--text-field", "content", "-o", clean.to_str().unwrap()]);
    assert!(errors_of(&output).contains("other columns are left out"), "{}", errors_of(&output));
    let row = |id: u8, text: &str| format!("{{\"id\":{id},\"text\":{text}}}\n");
    let quoted = |number| format!("\"{}\"", text(number, 60));
    assert_eq!(
        std::fs::read_to_string(&clean).unwrap(),
        row(10, &quoted(1)) + &row(11, &quoted(2)) + &row(13, "null"),
        "numbers stay numbers, and a row without a text stays"
    );
    let output = run(&["dedup", name]);
    let errors = errors_of(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors.contains("no column `text`") && errors.contains("content"), "{errors}");
    let names: BTreeSet<String> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names, BTreeSet::from(["rows.parquet".to_owned()]), "nothing is written beside what is read");
}

#[test]
fn a_work_folder_in_use_is_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    let (file, work) = (dir.path().join("a.jsonl.gz"), dir.path().join("work"));
    let line = format!("{{\"text\":\"{}\"}}\n", text(1, 50));
    write_gzip(&file, &line.repeat(2));
    std::fs::create_dir(&work).unwrap();
    let lock = std::fs::File::open(&work).unwrap();
    lock.lock().unwrap();
    let args = ["dedup", file.to_str().unwrap(), "--work", work.to_str().unwrap(), "--groups", "--quiet"];
    let output = run(&args);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors_of(&output).contains("is in use"), "{}", errors_of(&output));
    assert_eq!(std::fs::read_dir(&work).unwrap().count(), 0, "nothing was written beside the other's files");
    drop(lock);
    assert_eq!(succeeds(&args).lines().count(), 1);
}

#[test]
fn what_is_written_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("a.jsonl"), dir.path().join("clean.jsonl"));
    let content = format!("{{\"text\":\"{}\"}}\n", text(1, 50)).repeat(2);
    std::fs::write(&input, &content).unwrap();
    let (folder, input, output) =
        (dir.path().to_str().unwrap(), input.to_str().unwrap(), output.to_str().unwrap());
    for _ in 0..2 {
        let groups = succeeds(&["dedup", folder, "-o", output, "--groups", "--quiet"]);
        assert_eq!(groups, format!("{input}:1\t{input}:2\n"));
    }
    let refused = run(&["dedup", input, "-o", input]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors_of(&refused).contains("write to another file"), "{}", errors_of(&refused));
    assert_eq!(std::fs::read_to_string(input).unwrap(), content);
    assert_eq!(succeeds(&["dedup", input, "-o", "-", "--quiet"]), content[..content.len() / 2]);
    assert_eq!(run(&["dedup", input, "-o", "-", "--groups"]).status.code(), Some(2));
}

#[test]
fn files_that_are_broken_are_left_out_and_counted() {
    let dir = tempfile::tempdir().unwrap();
    let line = format!("{{\"text\":\"{}\"}}\n", text(1, 50));
    let packed = dir.path().join("cut.jsonl.gz");
    write_gzip(&packed, &line.repeat(50));
    let bytes = std::fs::read(&packed).unwrap();
    std::fs::write(&packed, &bytes[..bytes.len() - 20]).unwrap();
    std::fs::write(dir.path().join("broken.parquet"), "no rows").unwrap();
    std::fs::write(dir.path().join("good.jsonl"), line.repeat(2)).unwrap();
    let output = run(&["dedup", dir.path().to_str().unwrap(), "--json"]);
    let errors = errors_of(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("cut.jsonl.gz") && errors.contains("broken.parquet"), "{errors}");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&json["documents"], &json["files_left_out"], &json["copies"]),
        (&2.into(), &2.into(), &1.into())
    );
    let alone = run(&["dedup", packed.to_str().unwrap()]);
    assert_eq!(alone.status.code(), Some(2), "there is nothing else");
    assert!(errors_of(&alone).contains("gzip -t"), "{}", errors_of(&alone));
}

#[test]
fn lines_are_taken_and_given_back_as_they_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.jsonl");
    let lines = [
        format!("{{\"id\":12345678901234567890123,\"text\":\"{}\"}} \r", text(1, 50)),
        format!("{{\"id\":[1],\"text\":\"{}\"}}\t", text(2, 50)),
        format!("{{\"id\":\"\\u001b[2J\",\"text\":\"{}\"}}", text(1, 50)),
        format!("{{\"id\":true,\"text\":\"{}\"}}", text(2, 50)),
    ];
    std::fs::write(&file, format!("\u{feff}{}\n", lines.join("\n"))).unwrap();
    let clean = dir.path().join("clean");
    let name = file.to_str().unwrap();
    let groups = succeeds(&["dedup", name, "--groups", "--quiet", "-o", clean.to_str().unwrap()]);
    assert_eq!(groups, format!("12345678901234567890123\t\\x1b[2J\n{name}:2\t{name}:4\n"));
    assert_eq!(std::fs::read_to_string(&clean).unwrap(), format!("{}\n{}\n", lines[0], lines[1]));
}
