//! What a crawl was told, kept with its collection, so that it can go on as it was.
//!
//! `crawl.json` has the options as they were typed, by their names, and the addresses where the crawl began. What the
//! options mean is known to whoever parses them.
//!
//! ```text
//! { "kind": "crivello crawl", "version": 1, "seal": xxh3-64 of what follows, as it is written without spaces,
//!   "told": { "seeds": ["http://a.test/"], "options": { "delay": ["1s"], "exclude": ["/x", "/y"] }, "hosts": seal } }
//! ```
//!
//! `hosts.tsv` beside it is a copy of a table of hosts, as the file of the user may be another one tomorrow.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fs_err as fs;
use page::SetId;
use serde::{Deserialize, Serialize};

use crate::Error;

const FILE: &str = "crawl.json";
const HOSTS_FILE: &str = "hosts.tsv";
const KIND: &str = "crivello crawl";

/// Options by their names, with their values as they are typed.
pub type Typed = BTreeMap<String, Vec<String>>;

/// What a crawl was told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Where it began.
    pub seeds: Vec<String>,
    /// How.
    pub options: Typed,
    /// The seal of the table of hosts, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosts: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct File {
    kind: String,
    version: u32,
    seal: String,
    told: Told,
}

impl Told {
    /// The version of the file.
    pub const VERSION: u32 = 1;

    /// Reads what a collection remembers. None if nobody crawled into it, or only a version that remembered nothing.
    pub fn read(dir: &Path) -> Result<Option<Self>, Error> {
        let path = Self::path(dir);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let told = Self::from_bytes(&bytes).map_err(|reason| Error::Told { path, reason })?;
        if let Some(seal) = &told.hosts {
            let path = Self::hosts_path(dir);
            if SetId::of(&fs::read(&path)?).to_digits() != *seal {
                return Err(Error::Told { path, reason: "its checksum is wrong".to_owned() });
            }
        }
        Ok(Some(told))
    }

    /// Reads the file, if it is sound.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let file: File = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if file.kind != KIND || file.version != Self::VERSION {
            return Err(format!("it is version {} of `{}`", file.version, file.kind));
        }
        if file.seal != file.told.seal() || file.bytes() != bytes {
            return Err("its checksum is wrong".to_owned());
        }
        Ok(file.told)
    }

    /// Puts it in the place of what the collection remembers.
    pub fn write(&self, dir: &Path) -> Result<(), Error> {
        let file = File { kind: KIND.into(), version: Self::VERSION, seal: self.seal(), told: self.clone() };
        Ok(journal::replace_file(&Self::path(dir), &file.bytes())?)
    }

    /// Keeps a copy of a table of hosts with the collection. It counts from the next [`write`](Self::write) on.
    pub fn keep_hosts(&mut self, dir: &Path, table: &Path) -> Result<(), Error> {
        let bytes = fs::read(table)?;
        journal::replace_file(&Self::hosts_path(dir), &bytes)?;
        self.hosts = Some(SetId::of(&bytes).to_digits());
        Ok(())
    }

    /// The file of a collection.
    pub fn path(dir: &Path) -> PathBuf {
        dir.join(FILE)
    }

    /// The copy of the table of hosts.
    pub fn hosts_path(dir: &Path) -> PathBuf {
        dir.join(HOSTS_FILE)
    }

    fn seal(&self) -> String {
        let json = serde_json::to_vec(self).expect("words and lists can be written as JSON");
        SetId::of(&json).to_digits()
    }
}

impl File {
    fn bytes(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec_pretty(self).expect("words and lists can be written as JSON");
        json.push(b'\n');
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_byte_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let options = [("delay".to_owned(), vec!["4s".to_owned()])].into();
        let told = Told { seeds: vec!["http://a/".to_owned()], options, hosts: None };
        told.write(dir.path()).unwrap();
        assert_eq!(Told::read(dir.path()).unwrap(), Some(told));
        let path = Told::path(dir.path());
        let sound = std::fs::read(&path).unwrap();
        for at in 0..sound.len() {
            for changed in [sound[at] ^ 1, sound[at] ^ 32] {
                let mut bytes = sound.clone();
                bytes[at] = changed;
                std::fs::write(&path, bytes).unwrap();
                let error = Told::read(dir.path()).unwrap_err().to_string();
                assert!(error.contains("crawl.json"), "byte {at}: {error}");
            }
            std::fs::write(&path, &sound[..at]).unwrap();
            assert!(Told::read(dir.path()).is_err(), "cut at {at}");
        }
    }
}
