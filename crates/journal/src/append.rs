//! Appending to a file, whole or not at all.

use std::io::{self, Seek, SeekFrom, Write};

use fs_err as fs;

/// Writes bytes behind the first `end` ones of a file, which is where it stands.
///
/// After a failure the part that was written is cut off again, so that the same call can be repeated once there is room
/// on the disk.
pub fn append_whole(file: &mut fs::File, end: u64, bytes: &[u8]) -> io::Result<()> {
    let written = file.write_all(bytes);
    if written.is_err() {
        let _ = file.set_len(end);
        let _ = file.seek(SeekFrom::Start(end));
    }
    written
}
