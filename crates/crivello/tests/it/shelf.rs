//! Collections that are searched together: named one by one, or on a shelf.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::command::{crivello, errors_of, succeeds, succeeds_with_json};

/// Imports lines of JSON, each an address and a text, and builds.
fn collection(dir: &Path, pages: &[(String, String)]) {
    let lines: Vec<String> = pages
        .iter()
        .map(|(id, text)| {
            let page = serde_json::json!({ "id": id, "title": format!("Title of {id}"), "text": text });
            format!("{page}\n")
        })
        .collect();
    let file = dir.with_extension("jsonl");
    std::fs::write(&file, lines.concat()).unwrap();
    succeeds(&["import", dir.to_str().unwrap(), file.to_str().unwrap(), "--quiet"]);
    std::fs::remove_file(file).unwrap();
    build(dir);
}

fn build(dir: &Path) {
    succeeds(&["build", dir.to_str().unwrap(), "--quiet"]);
}

/// The pages of a manual; words are shared by some manuals, and one is its own.
fn manual(number: usize) -> Vec<(String, String)> {
    let page = |page: usize| {
        let (id, old) = (format!("m{number}-{page}"), "old ".repeat((number * 3 + page) % 5));
        let filler: String =
            (0..40).map(|place| format!("w{} ", (place * 31 + page * 7 + number * 13) % 997)).collect();
        let text =
            format!("The {old}valve of machine{} is page {page} of only{number}. {filler}", number % 7);
        (id, text)
    };
    (0..1 + number % 4).map(page).collect()
}

/// What must not depend on how pages are divided: address and score of each result, and the total.
fn answer(dirs: &[&str], query: &str) -> (u64, Vec<(String, f64)>) {
    let mut args = vec!["search"];
    args.extend(dirs);
    args.extend([query, "--json", "-n", "50", "--exact-total", "--rank-weight", "0", "--quiet"]);
    let found = succeeds_with_json(&args);
    let result =
        |result: &Value| (result["url"].as_str().unwrap().to_owned(), result["score"].as_f64().unwrap());
    (found["total"].as_u64().unwrap(), found["results"].as_array().unwrap().iter().map(result).collect())
}

fn assert_shelf_equals_one(manuals: usize) {
    let dir = tempfile::tempdir().unwrap();
    let shelf = dir.path().join("manuals");
    std::fs::create_dir(&shelf).unwrap();
    let mut all = Vec::new();
    for number in 0..manuals {
        let pages = manual(number);
        collection(&shelf.join(format!("m{number:04}.crivello")), &pages);
        all.extend(pages);
    }
    let one = dir.path().join("one.crivello");
    collection(&one, &all);
    let (shelf, one) = (shelf.to_str().unwrap(), one.to_str().unwrap());
    for query in [
        "valve",
        "old machine3",
        "only5",
        "\"old valve\" machine2",
        "machine1 OR machine2",
        "machine4 -old",
        "valves of machine6 page",
        "site:import.invalid only2",
        "w17 w500 w801",
    ] {
        assert_eq!(answer(&[shelf], query), answer(&[one], query), "{query}");
    }
}

#[test]
fn a_shelf_answers_as_one_collection_of_all_its_pages() {
    assert_shelf_equals_one(12);
}

/// With `CRIVELLO_LONG_TESTS=1`; otherwise there is nothing to do.
#[test]
fn a_shelf_of_a_thousand_collections_answers_as_one() {
    if std::env::var_os("CRIVELLO_LONG_TESTS").is_some_and(|value| value == "1") {
        assert_shelf_equals_one(1000);
    }
}

#[test]
fn folders_and_words_of_a_query_are_told_apart_and_results_name_their_collections() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = dir.path().join("shelf");
    std::fs::create_dir(&shelf).unwrap();
    let page = |id: &str, text: &str| vec![(id.to_owned(), text.to_owned())];
    collection(&shelf.join("a.crivello"), &page("a", "a harbour with a bridge"));
    collection(&shelf.join("b.crivello"), &page("b", "a harbour with a ferry"));
    collection(&dir.path().join("c.crivello"), &page("c", "a harbour with a shelf"));
    // Something else may lie on a shelf.
    std::fs::create_dir(shelf.join("notes")).unwrap();
    let found = |args: &[&str]| -> BTreeMap<String, String> {
        let output =
            crivello().current_dir(dir.path()).arg("search").args(args).args(["--json"]).output().unwrap();
        assert!(output.status.success(), "{}", errors_of(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text =
            |result: &Value, key: &str| result[key].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let results = answer["results"].as_array().unwrap().iter();
        results.map(|result| (text(result, "url"), text(result, "collection"))).collect()
    };
    let of = |names: &[&str]| -> BTreeMap<String, String> {
        names.iter().map(|name| (name.to_string(), format!("{name}.crivello"))).collect()
    };
    assert_eq!(found(&["shelf", "harbour"]), of(&["a", "b"]));
    assert_eq!(found(&["shelf", "c.crivello", "harbour -ferry"]), of(&["a", "c"]));
    assert_eq!(found(&["c.crivello", "shelf/a.crivello", "shelf", "harbour"]), of(&["a", "b", "c"]));
    // The last word is the query's, also if it is the name of a folder; words behind it are, too.
    assert_eq!(found(&["c.crivello", "shelf"]), of(&["c"]));
    assert_eq!(found(&["c.crivello", "harbour", "shelf"]), of(&["c"]));
    // Without an index it is left out, and that is said; named, it is an error.
    let (d, text) = (shelf.join("d.crivello"), dir.path().join("d.txt"));
    std::fs::write(&text, "a harbour without an index").unwrap();
    succeeds(&["import", d.to_str().unwrap(), text.to_str().unwrap(), "--quiet"]);
    assert_eq!(found(&["shelf", "harbour"]), of(&["a", "b"]));
    let output = crivello().args(["search", shelf.to_str().unwrap(), "harbour"]).output().unwrap();
    assert!(errors_of(&output).contains("d.crivello` has no index yet"), "{}", errors_of(&output));
    let output = crivello().args(["search", d.to_str().unwrap(), "harbour"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", errors_of(&output));
}

#[test]
fn a_collection_with_a_damaged_manifest_ends_the_search_of_its_shelf() {
    let dir = tempfile::tempdir().unwrap();
    let page = |id: &str| vec![(id.to_owned(), "a harbour".to_owned())];
    collection(&dir.path().join("a.crivello"), &page("a"));
    let b = dir.path().join("b.crivello");
    collection(&b, &page("b"));
    std::fs::write(b.join("manifest.json"), "{").unwrap();
    for named in [dir.path(), &b] {
        let output = crivello().arg("search").arg(named).arg("harbour").output().unwrap();
        let told = errors_of(&output);
        assert!(output.status.code() == Some(2) && told.contains("b.crivello/manifest.json"), "{told}");
    }
}

#[test]
fn a_page_of_two_collections_is_shown_and_counted_once() {
    let dir = tempfile::tempdir().unwrap();
    let page = |id: &str, text: &str| (id.to_owned(), text.to_owned());
    let same = "the very same words about a harbour in the north";
    collection(&dir.path().join("a.crivello"), &[page("one", "a harbour"), page("two", same)]);
    // One address, and one text under another address.
    collection(
        &dir.path().join("b.crivello"),
        &[page("one", "a harbour, rebuilt"), page("mirror-of-two", same)],
    );
    collection(&dir.path().join("c.crivello"), &[page("mirrored-again", same)]);
    let dir = dir.path().to_str().unwrap();
    let search = |more: &[&str]| {
        let found = succeeds_with_json(&[&["search", dir, "harbour", "--json"], more].concat());
        let url = |result: &Value| result["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let mut urls: Vec<String> = found["results"].as_array().unwrap().iter().map(url).collect();
        urls.sort();
        (found["total"].as_u64().unwrap(), urls, found["results"][0]["similar"].as_u64().unwrap())
    };
    let (total, urls, _) = search(&[]);
    assert_eq!(
        (total, urls),
        (2, vec!["one".to_owned(), "two".to_owned()]),
        "the shortest address stands for a text"
    );
    assert_eq!(search(&["--copies"]).0, 5);
}
