//! Records of the page table in words, for whoever looks into one.

use std::fmt;

use page::{CopyKind, counted};

use crate::PageRecord;
use crate::warc_file::file_name;

impl fmt::Display for PageRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.at, format!("{:?}", self.kind).to_lowercase())?;
        match self.failure {
            Some(failure) => write!(f, " ({failure:?})")?,
            None if self.status == 0 => {}
            None => write!(f, " {}", self.status)?,
        }
        let bytes = counted(self.body_bytes, "byte");
        write!(f, " {} (depth {}, {bytes}", self.url.as_str(), self.depth)?;
        if let Some(place) = self.warc {
            write!(f, ", {} at byte {}", file_name(place.file), place.offset)?;
        }
        match self.copy_of.map(|copy| (copy.kind, copy.original)) {
            Some((CopyKind::Exact, original)) => write!(f, ", a copy of record {original}")?,
            Some((CopyKind::Near, original)) => write!(f, ", nearly record {original}")?,
            None => {}
        }
        f.write_str(")")
    }
}
