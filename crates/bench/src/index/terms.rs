//! From terms to numbers: bits and nanoseconds of the two static functions, among so many terms that each is far from the last.
//!
//! A look-up is timed from the hash of a term on; a million terms are asked for in any order, so that what is read of the
//! function does not stay in the caches. The claims: at most 40 bits for each of ten million terms, signature included, and 60
//! ns for each look-up.

use filter::function::{Construction, StaticFunction, solve};
use page::thousands;
use xxhash_rust::xxh3::xxh3_64;

use crate::clock::{look_up_ns, timed};
use crate::peers::sux_function;
use crate::{Error, Row};

const BITS_MAX: f64 = 40.0;
const NS_MAX: f64 = 60.0;
const SIGNATURE_BITS: u32 = 8;
const ASKED: u64 = 1 << 20;
const PEER: &str = "sux's VFunc";

/// All of them, of so many terms.
pub fn rows(terms: u64) -> Result<Vec<Row>, Error> {
    let hashes: Vec<u64> = (0..terms).map(|term| xxh3_64(&term.to_le_bytes())).collect();
    let asked: Vec<u64> =
        (0..ASKED).map(|turn| hashes[(xxh3_64(&turn.to_be_bytes()) % terms) as usize]).collect();
    let width = u64::BITS - (terms - 1).leading_zeros() + SIGNATURE_BITS;
    let number = |term: usize| (term as u64) << SIGNATURE_BITS | hashes[term] & 0xff;
    let peer_ns = sux_function(&hashes, &number, &asked);
    let mut rows = Vec::new();
    for construction in Construction::ALL {
        let name = |what: &str| format!("{} terms, {}: {what}", thousands(terms), construction.name());
        let ((bytes, _), made_ns) = timed(|| solve(&hashes, number, width, construction));
        let bits = 8.0 * bytes.len() as f64 / terms as f64;
        let function = StaticFunction::from_bytes(bytes).expect("it has just been made");
        let ns = look_up_ns(&asked, |hash| function.get(hash));
        rows.push(Row::absolute(name("with signatures"), "bits per term", bits, BITS_MAX));
        rows.push(Row::absolute(name("look-up"), "CPU ns", ns, NS_MAX));
        rows.push(Row::new(name("look-up"), "CPU ns", ns, PEER, peer_ns.clone(), None));
        rows.push(Row::informative(name("made"), "CPU ns per term", made_ns / terms as f64));
    }
    Ok(rows)
}
