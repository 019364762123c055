//! Opening whatever sieve a folder holds, or starting one.

use std::path::Path;

use crate::state::State;
use crate::tiered::open_tiered;
use crate::{BloomSieve, Error, MemorySieve, MercatorSieve, OfflineSieve, Sieve, SieveKind, SieveOptions};

/// Opens the sieve in a folder, or starts one of this kind; without a kind, the one that is there or the default.
///
/// What a version before this one wrote without being asked for a kind, the list of a Mercator sieve, becomes a tiered
/// sieve; whoever asks for Mercator goes on with it.
pub fn open(dir: &Path, kind: Option<SieveKind>, options: SieveOptions) -> Result<Box<dyn Sieve>, Error> {
    fs_err::create_dir_all(dir)?;
    let kind = match (kind, State::of(dir)?) {
        (Some(kind), _) => kind,
        (None, Some(state)) if state.version == 1 && state.kind == SieveKind::Mercator => SieveKind::Tiered,
        (None, Some(state)) => state.kind,
        (None, None) => SieveKind::default(),
    };
    if kind != SieveKind::Tiered && options.signature_bits.is_some_and(|bits| bits != 64) {
        return Err(Error::SignatureBits { kind: kind.name() });
    }
    let memory_bytes = options.memory_bytes;
    Ok(match kind {
        SieveKind::Tiered => open_tiered(dir, options)?,
        SieveKind::Mercator => Box::new(MercatorSieve::open(dir, memory_bytes)?),
        SieveKind::Memory => Box::new(MemorySieve::open(dir, memory_bytes)?),
        SieveKind::Bloom => Box::new(BloomSieve::open(dir, memory_bytes)?),
        SieveKind::Offline => Box::new(OfflineSieve::open(dir, memory_bytes)?),
        #[cfg(feature = "databases")]
        SieveKind::Lsm => Box::new(crate::LsmSieve::open(dir, memory_bytes)?),
        #[cfg(feature = "databases")]
        SieveKind::Btree => Box::new(crate::BtreeSieve::open(dir, memory_bytes)?),
        #[cfg(not(feature = "databases"))]
        SieveKind::Lsm | SieveKind::Btree => return Err(Error::NotInThisBuild { kind: kind.name() }),
    })
}
