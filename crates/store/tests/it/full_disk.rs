//! A disk that is full in the middle of a flush, and later is not: the same call is repeated, and nothing is torn.

use std::path::Path;
use std::process::Command;

use store::{Collection, StoreWriter, WarcRecordBuilder};

use crate::disk::{Folder, NOW};
use crate::sample::{Sample, samples};

/// Tells the child where to write.
const FOLDER: &str = "CRIVELLO_TEST_FULL_DISK";

fn pages() -> Vec<Sample> {
    samples(5, 60)
}

#[test]
fn a_flush_that_a_full_disk_stopped_half_way_can_be_repeated() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return write_with_little_room(Path::new(&folder));
    }
    let folder = Folder::new();
    // Four kilobytes a file. With the signal ignored, the system refuses what is more, as it does when the disk is full.
    let limited = "trap '' XFSZ; ulimit -S -f 8 && exec \"$0\" \"$@\"";
    let this = "full_disk::a_flush_that_a_full_disk_stopped_half_way_can_be_repeated";
    let mut child = Command::new("sh");
    child.args(["-c", limited]).arg(std::env::current_exe().unwrap()).args(["--exact", this, "--nocapture"]);
    let output = child.env(FOLDER, &folder.path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.assert_holds(&pages());
    folder.assert_ends_are_clean();
}

fn write_with_little_room(path: &Path) {
    let collection = Collection::open_or_create(path, NOW).unwrap();
    let (mut writer, _) = StoreWriter::open(&collection).unwrap();
    let mut builder = WarcRecordBuilder::new(1);
    for (index, sample) in pages().iter().enumerate() {
        writer.append(sample.new_page(&mut builder), NOW).unwrap();
        if index == 1 {
            writer.flush().unwrap();
        }
    }
    let warc = path.join("store/warc/crivello-00000.warc.gz");
    let flushed = std::fs::metadata(&warc).unwrap().len();
    for _ in 0..2 {
        writer.flush().unwrap_err();
        assert_eq!(std::fs::metadata(&warc).unwrap().len(), flushed, "what was written half is cut off");
    }
    let this = std::process::id().to_string();
    let status = Command::new("prlimit").args(["--pid", &this, "--fsize=unlimited"]).status().unwrap();
    assert!(status.success(), "somebody made room");
    writer.flush().unwrap();
}
