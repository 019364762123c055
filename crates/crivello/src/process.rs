//! What this process has used so far, from the system's own accounts.

/// Counts the CPU seconds of all threads, in user and kernel mode.
pub fn cpu_seconds() -> f64 {
    // Fields 14 and 15 of /proc/self/stat, counted behind the name, which may contain anything but ends with `)`.
    // They are in ticks of a hundredth of a second on every Linux.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks =
        |index: usize| after_name.split_ascii_whitespace().nth(index).and_then(|field| field.parse().ok());
    let (user, system): (u64, u64) = (ticks(11).unwrap_or(0), ticks(12).unwrap_or(0));
    (user + system) as f64 / 100.0
}

/// More open files than this are of no use to us.
const OPEN_FILES_WANTED: libc::rlim_t = 65_536;

/// Lets this process have as many files open as it may without asking anybody. Shells give out fewer for the sake of old
/// programs, which could not count further.
pub fn raise_open_files() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call fills the struct that it is given, which is ours and lives longer than the call.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } == 0;
    let wanted = limit.rlim_max.min(OPEN_FILES_WANTED);
    if is_known && limit.rlim_cur < wanted {
        limit.rlim_cur = wanted;
        // SAFETY: the call reads the struct, which is initialised. If it is refused, the old limit holds.
        unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
    }
}

/// Says how many files and sockets this process may have open at once.
pub fn open_files_max() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    match line.and_then(|line| line.split_ascii_whitespace().next()) {
        Some("unlimited") => OPEN_FILES_WANTED as usize,
        Some(number) => number.parse().unwrap_or(1024),
        None => 1024,
    }
}

unsafe extern "C" {
    /// Of mimalloc, our allocator: takes over what ended threads left, and gives free memory back to the system if `force` says so.
    safe fn mi_collect(force: bool);
    /// Of the same: sets one of its options, by number.
    safe fn mi_option_set(option: libc::c_int, value: libc::c_long);
    /// Of the system's allocator, which libraries in C use: gives back what is free but for `pad` bytes.
    #[cfg(target_env = "gnu")]
    safe fn malloc_trim(pad: usize) -> i32;
}

/// Gives memory that is free back to the system.
pub fn give_memory_back() {
    mi_collect(true);
    #[cfg(target_env = "gnu")]
    malloc_trim(0);
}

/// For how many milliseconds mimalloc keeps memory that is free, in case that it is wanted again.
const PURGE_DELAY: libc::c_int = 15;

/// Whoever gives work less memory than this wants it to take little more.
const SMALL_MEMORY_BYTES: u64 = 128 << 20;

/// Trades time for memory if work is given little of it: what is free goes back at once, and the system gives out small pages,
/// none of which is half empty. At 64 MiB a build takes about a sixth more time, and a third less memory.
pub fn keep_to(memory_bytes: u64) {
    if memory_bytes < SMALL_MEMORY_BYTES {
        mi_option_set(PURGE_DELAY, 0);
        // SAFETY: the call takes nothing but numbers. If it is refused, pages are as large as before.
        unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    }
}

/// Says how much memory at the most was resident at any time.
pub fn peak_memory_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_ascii_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_system_keeps_accounts() {
        assert!(super::peak_memory_bytes() > 100_000);
        assert!(super::cpu_seconds() >= 0.0);
    }

    #[test]
    fn with_little_memory_what_is_free_goes_back_at_once() {
        unsafe extern "C" {
            safe fn mi_option_get(option: libc::c_int) -> libc::c_long;
        }
        let has_small_pages = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            status.lines().any(|line| line.split_ascii_whitespace().eq(["THP_enabled:", "0"]))
        };
        super::keep_to(super::SMALL_MEMORY_BYTES);
        assert_eq!(
            (mi_option_get(super::PURGE_DELAY), has_small_pages()),
            (10, false),
            "nobody is short of it"
        );
        super::keep_to(64 << 20);
        assert_eq!((mi_option_get(super::PURGE_DELAY), has_small_pages()), (0, true));
    }

    #[test]
    fn as_many_files_may_be_open_as_nobody_has_to_be_asked_for() {
        super::raise_open_files();
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
        let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
        let hard = line.split_ascii_whitespace().nth(4).unwrap().parse().unwrap_or(usize::MAX);
        assert!(super::open_files_max() >= hard.min(65_536), "{line}");
    }
}
