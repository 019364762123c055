//! An index that claims to be another engine's gives pages or a reason, whatever its bytes are.
#![no_main]

use input::pages::{Found, format_of};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("foreign.ciff");
    std::fs::write(&path, data).unwrap();
    let format = format_of(&path).expect("somebody reads such files");
    let mut pages = 0;
    let read = format.read(&path, &mut |found| {
        pages += u64::from(matches!(found, Found::Page(_)));
    });
    // Each document takes a byte at least, and none is given of a file that is refused.
    assert!(pages <= data.len() as u64 && (read.is_ok() || pages == 0));
});
