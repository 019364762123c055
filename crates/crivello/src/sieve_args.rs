//! How addresses that were seen before are recognised: the options of whoever crawls.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use sieve::SieveKind;

/// Which sieve, and by how many bits it tells addresses apart.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct SieveArgs {
    /// How addresses that were seen before are recognised [default: as the collection does; tiered for a new one]
    #[arg(long, value_name = "KIND", value_parser = kind_parser(), help_heading = "Method")]
    pub sieve: Option<SieveKind>,
    /// By how many bits of its hash an address is known: 48 to 64, or 128 [default: as the collection does; 64 for a new one]
    ///
    /// Of k addresses, k²/2 divided by 2 to that number are taken for others and missed: 0.03 of a billion with 64 bits.
    /// `crivello stats` tells how many are to be expected. Only the tiered sieve has other lengths than 64.
    #[arg(long, value_name = "N", value_parser = parse_bits, help_heading = "Method")]
    pub signature_bits: Option<u32>,
}

impl SieveArgs {
    /// What the crawl is told.
    pub fn choice(self) -> crawl::SieveChoice {
        crawl::SieveChoice { kind: self.sieve, signature_bits: self.signature_bits }
    }
}

/// Understands the name of any kind that this build has.
pub fn kind_parser() -> impl TypedValueParser<Value = SieveKind> {
    let kinds = SieveKind::ALL.into_iter().filter(|kind| kind.is_available());
    PossibleValuesParser::new(kinds.map(|kind| PossibleValue::new(kind.name()).help(kind.help())))
        .map(|name| SieveKind::named(&name).expect("the parser knows the names"))
}

fn parse_bits(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(bits @ (48..=64 | 128)) => Ok(bits),
        _ => Err("48 to 64, or 128, is needed".into()),
    }
}
