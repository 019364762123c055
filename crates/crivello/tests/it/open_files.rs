//! The number of open files is a limit like any other: it is used as far as it goes, shared, and told when it is too low.

use std::process::{Command, Output};

use crate::command::{crivello, errors_of};

/// Runs a command with a limit that the shell sets: `-n N` for good, `-Sn N` so that it may be raised again.
fn with_limit(limit: &str, args: &[&str]) -> Output {
    let mut command = Command::new("sh");
    let script = format!("ulimit {limit} && exec \"$0\" \"$@\"");
    command.args(["-c", &script]).arg(crivello().get_program()).args(args);
    command.env_remove("CRIVELLO_LOG").output().unwrap()
}

/// Each host at an address of its own, and more of them than files may be open.
const DEMO: [&str; 12] = [
    "demo",
    "--once",
    "--json",
    "--quiet",
    "--pages",
    "900",
    "--hosts",
    "400",
    "--hosts-per-address",
    "1",
    "--delay",
    "1ms",
];

#[test]
fn a_demo_of_many_hosts_works_in_whatever_a_shell_gives() {
    for limit in ["-Sn 64", "-n 256", "-n 160"] {
        let output = with_limit(limit, &DEMO);
        let errors = errors_of(&output);
        assert_eq!(output.status.code(), Some(0), "ulimit {limit}: {errors}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&report["missing"], &report["crawl"]["failed"]),
            (&0.into(), &0.into()),
            "ulimit {limit}"
        );
    }
}

#[test]
fn too_few_open_files_are_told_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let collection = dir.path().join("c.crivello");
    let crawl = ["crawl", collection.to_str().unwrap(), "http://127.0.0.1:9/", "--allow-net", "127.0.0.0/8"];
    for args in [&DEMO[..], &crawl] {
        let output = with_limit("-n 50", args);
        let errors = errors_of(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
        assert!(errors.contains("only 50 files may be open") && errors.contains("ulimit -n"), "{errors}");
        assert!(output.stdout.is_empty() && !collection.exists(), "{args:?}");
    }
}
