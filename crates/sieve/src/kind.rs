//! The kinds of sieves: their names, and what is said of each to people who choose.

/// The sorts of sieves. The numbers are written to disk and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum SieveKind {
    /// [`MercatorSieve`](crate::MercatorSieve).
    Mercator = 0,
    /// [`BloomSieve`](crate::BloomSieve).
    Bloom = 1,
    /// [`TieredSieve`](crate::TieredSieve).
    #[default]
    Tiered = 2,
    /// [`MemorySieve`](crate::MemorySieve).
    Memory = 3,
    /// `LsmSieve`, if this build has databases.
    Lsm = 4,
    /// `BtreeSieve`, if this build has databases.
    Btree = 5,
    /// [`OfflineSieve`](crate::OfflineSieve).
    Offline = 6,
}

/// What a sieve is told when it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SieveOptions {
    /// About how much memory it may use.
    pub memory_bytes: u64,
    /// How many bits of an address it keeps: 48 to 64, or 128. Nothing means what the folder has, and 64 where it is new.
    /// All kinds but the tiered one keep 64.
    pub signature_bits: Option<u32>,
}

impl SieveOptions {
    /// So much memory, and signatures of the usual length.
    pub fn new(memory_bytes: u64) -> Self {
        Self { memory_bytes, signature_bits: None }
    }
}

impl SieveKind {
    /// All kinds, the default first.
    pub const ALL: [Self; 7] =
        [Self::Tiered, Self::Mercator, Self::Memory, Self::Bloom, Self::Lsm, Self::Btree, Self::Offline];

    /// What a user calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mercator => "mercator",
            Self::Bloom => "bloom",
            Self::Tiered => "tiered",
            Self::Memory => "memory",
            Self::Lsm => "lsm",
            Self::Btree => "btree",
            Self::Offline => "offline",
        }
    }

    /// One line about it for people who choose.
    pub fn help(self) -> &'static str {
        match self {
            Self::Tiered => {
                "Exact: sorted runs on disk, merged in the background; in memory as far as it fits"
            }
            Self::Mercator => "Exact: one sorted list on disk, written anew by every merge",
            Self::Memory => {
                "Exact: a dictionary in memory, 8 to 16 bytes an address; nothing on disk but what waits"
            }
            Self::Bloom => {
                "Filters in memory, about 2 bytes an address: misses at most one page in a thousand"
            }
            Self::Lsm => "Exact: a log-structured database (fjall), asked for every address",
            Self::Btree => "Exact: a B-tree on disk (redb), asked for every address",
            Self::Offline => "Exact: files alone, sorted on disk and merged; almost no memory",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// True if this build can open such a sieve.
    pub fn is_available(self) -> bool {
        cfg!(feature = "databases") || !matches!(self, Self::Lsm | Self::Btree)
    }

    /// True if it lives in memory only, so that it is filled from the ready log at each start.
    pub fn is_refilled(self) -> bool {
        matches!(self, Self::Memory | Self::Bloom)
    }

    pub(crate) fn from_number(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u64 == number)
    }
}
