//! Whom is a request under way to? A table on disk of a fixed size, for the ratio rule across a kill.
//!
//! A site and its machine rest so many times as long as a visit took. If the process is killed during a visit, nobody knows
//! how long it took but this file: a slot for each visit that is under way, with the address and when it began. A restart
//! takes the visit for as long as it can have been, and has the machine rest accordingly.
//!
//! ```text
//! slot = address (16 bytes, IPv4 mapped), began in ms (u64), xxh3-64 of both (u64)     32 bytes; zero: free
//! ```
//!
//! Scratch: what is torn or foreign is a free slot, and a restart begins with an empty file. Cost: a write of 32 bytes when a
//! visit begins and one when it ends, to the system and not to the disk.

use std::net::{IpAddr, Ipv6Addr};
use std::path::Path;

use fs_err as fs;
use fs_err::os::unix::fs::FileExt;
use page::Timestamp;
use xxhash_rust::xxh3::xxh3_64;

use crate::Error;

const SLOT_BYTES: usize = 32;

/// A slot that is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot(u64);

/// The visits that are under way.
#[derive(Debug)]
pub struct UnderWay {
    file: fs::File,
    free: Vec<u64>,
    slots: u64,
}

impl UnderWay {
    /// An empty table. What another run left in the file is forgotten: whoever wants it reads it before. It has room for so
    /// many visits at once from the beginning, so that a disk that is full does not refuse them; more are possible.
    pub fn create(path: &Path, visits: usize) -> Result<Self, Error> {
        let file = fs::File::create(path)?;
        file.write_all_at(&vec![0; visits * SLOT_BYTES], 0)?;
        Ok(Self { file, free: Vec::new(), slots: 0 })
    }

    /// Which visits were under way when the last run ended, and since when.
    pub fn left_in(path: &Path) -> Result<Vec<(IpAddr, Timestamp)>, Error> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        Ok(bytes.as_chunks::<SLOT_BYTES>().0.iter().filter_map(decode).collect())
    }

    /// A visit begins.
    pub fn begin(&mut self, address: IpAddr, at: Timestamp) -> Result<Slot, Error> {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        });
        self.file.write_all_at(&encode(address, at), slot * SLOT_BYTES as u64)?;
        Ok(Slot(slot))
    }

    /// It has ended, and what follows from it is known elsewhere.
    pub fn end(&mut self, slot: Slot) -> Result<(), Error> {
        self.file.write_all_at(&[0; SLOT_BYTES], slot.0 * SLOT_BYTES as u64)?;
        self.free.push(slot.0);
        Ok(())
    }
}

fn encode(address: IpAddr, at: Timestamp) -> [u8; SLOT_BYTES] {
    let address = match address {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    };
    let mut slot = [0; SLOT_BYTES];
    slot[..16].copy_from_slice(&address.octets());
    slot[16..24].copy_from_slice(&at.0.to_le_bytes());
    let checksum = xxh3_64(&slot[..24]);
    slot[24..].copy_from_slice(&checksum.to_le_bytes());
    slot
}

fn decode(slot: &[u8; SLOT_BYTES]) -> Option<(IpAddr, Timestamp)> {
    let number = |at: usize| u64::from_le_bytes(slot[at..at + 8].try_into().expect("eight bytes"));
    let octets: [u8; 16] = slot[..16].try_into().expect("sixteen bytes");
    let is_sound = number(24) == xxh3_64(&slot[..24]);
    is_sound.then(|| (Ipv6Addr::from(octets).to_canonical(), Timestamp(number(16))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_began_and_did_not_end_is_there_after_a_kill() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("under-way");
        assert_eq!(UnderWay::left_in(&path).unwrap(), []);
        let addresses: Vec<IpAddr> =
            ["127.0.0.1", "::1", "10.0.0.7"].map(|text| text.parse().unwrap()).into();
        let mut table = UnderWay::create(&path, 2).unwrap();
        let slots: Vec<Slot> = addresses
            .iter()
            .zip(5..)
            .map(|(address, at)| table.begin(*address, Timestamp(at)).unwrap())
            .collect();
        table.end(slots[1]).unwrap();
        let left = vec![(addresses[0], Timestamp(5)), (addresses[2], Timestamp(7))];
        assert_eq!(UnderWay::left_in(&path).unwrap(), left);
        assert_eq!(table.begin(addresses[1], Timestamp(9)).unwrap(), slots[1], "slots are used again");
        let sound = fs::read(&path).unwrap();
        for at in 0..sound.len() {
            let mut bytes = sound.clone();
            bytes[at] ^= 4;
            fs::write(&path, bytes).unwrap();
            assert_eq!(UnderWay::left_in(&path).unwrap().len(), 2, "byte {at}: a damaged slot is a free one");
        }
    }
}
