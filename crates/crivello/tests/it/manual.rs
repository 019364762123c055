//! What the command line tells shells, `man` and people about itself.

use std::process::Command;

use crate::command::{crivello, errors_of, skipped, succeeds};

#[test]
fn bash_completes_commands_options_and_kinds() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("crivello.bash");
    std::fs::write(&script, succeeds(&["completions", "bash"])).unwrap();
    for (words, expected) in [
        (&["crivello", "craw"][..], "crawl"),
        (&["crivello", "crawl", "--allow-"], "--allow-net"),
        (&["crivello", "crawl", "--scope", "dom"], "domain"),
    ] {
        let (typed, before) = (words[words.len() - 1], words[words.len() - 2]);
        let program = format!(
            "source '{}'; COMP_WORDS=({}); COMP_CWORD={}; _crivello crivello '{typed}' '{before}'; echo \"${{COMPREPLY[*]}}\"",
            script.display(),
            words.join(" "),
            words.len() - 1
        );
        let output = Command::new("bash").args(["--norc", "-c", &program]).output().unwrap();
        let found = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            found.split_whitespace().any(|word| word == expected),
            "{words:?}: {found}{}",
            errors_of(&output)
        );
    }
    for shell in ["zsh", "fish", "powershell", "elvish"] {
        assert!(succeeds(&["completions", shell]).contains("crawl"), "{shell}");
    }
}

#[test]
fn every_command_has_a_manual_page_that_man_can_set() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("man1");
    succeeds(&["man", "-o", folder.to_str().unwrap()]);
    assert_eq!(succeeds(&["man"]), std::fs::read_to_string(folder.join("crivello.1")).unwrap());
    let help = succeeds(&["--help"]);
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names =
        commands.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    for name in names.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help") {
        assert!(folder.join(format!("crivello-{name}.1")).is_file(), "{name}");
    }
    if Command::new("man").arg("--version").output().is_err() {
        return skipped("man is not installed, so manual pages are not set by it");
    }
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let mut man = Command::new("man");
        man.args(["--warnings", "-E", "UTF-8", "-l"])
            .arg(&path)
            .env("MANWIDTH", "100")
            .env("LC_ALL", "C.UTF-8");
        let output = man.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{}: {}",
            path.display(),
            errors_of(&output)
        );
        assert!(text.contains("NAME") && text.contains("crivello"), "{}: {text}", path.display());
    }
}

#[test]
fn a_reader_of_completions_that_went_away_is_no_panic() {
    for args in [&["completions", "zsh"][..], &["man"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = crivello().args(args).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", errors_of(&output));
    }
}
