//! What the system knows: where we run, what a program used, and what we did.

use std::process::{Command, Stdio};
use std::time::Instant;

use crate::Error;

/// What a child process used.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// CPU seconds in user and kernel mode, with all threads.
    pub cpu_seconds: f64,
    /// From start to end.
    pub wall_seconds: f64,
    /// What it ended with, if it was not killed.
    pub exit_code: Option<i32>,
}

/// Runs a program to its end and measures it. The figures are those of all our children that have ended, so programs
/// are measured one at a time.
pub fn measure(command: &mut Command) -> std::io::Result<Usage> {
    let (before, started) = (children_cpu_seconds(), Instant::now());
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    Ok(Usage {
        cpu_seconds: children_cpu_seconds() - before,
        wall_seconds: started.elapsed().as_secs_f64(),
        exit_code: status.code(),
    })
}

/// Runs our program and reads the JSON object that it prints.
pub fn json_of(command: &mut Command) -> Result<serde_json::Value, Error> {
    let output = command.output().map_err(|error| Error::OurProgram(error.to_string()))?;
    let said = || Error::OurProgram(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    serde_json::from_slice(&output.stdout).map_err(|_| said())
}

/// True if there is a program of that name.
pub fn is_installed(program: &str) -> bool {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// Fields 16 and 17 of /proc/self/stat: CPU time of children that were waited for, in hundredths of a second.
fn children_cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks =
        |index: usize| after_name.split_ascii_whitespace().nth(index).and_then(|field| field.parse().ok());
    let (user, system): (u64, u64) = (ticks(13).unwrap_or(0), ticks(14).unwrap_or(0));
    (user + system) as f64 / 100.0
}

/// The most memory of this process that was resident at any time.
pub fn peak_memory_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_ascii_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Us, the processor, and how busy it is.
pub fn machine() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown CPU");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?").to_owned();
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "Crivello {version}, {cores} × {}, load {load}",
        model.trim_start_matches([' ', '\t', ':']).trim()
    )
}
