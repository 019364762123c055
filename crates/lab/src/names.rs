//! Invented names of places and people, made of syllables. A number has always the same name in one web.

use crate::rng::{Purpose, Rng};
use crate::words::{NAME_ENDS, NAME_MIDDLES, NAME_STARTS};

/// The name of a place, with a capital.
pub(crate) fn write_place(seed: u64, place: u32, out: &mut String) {
    write_name(&mut Rng::keyed(seed, Purpose::PlaceName, u64::from(place)), out);
}

/// First and family name of a person.
pub(crate) fn write_person(seed: u64, person: u32, out: &mut String) {
    let mut rng = Rng::keyed(seed, Purpose::PersonName, u64::from(person));
    out.push_str(rng.pick(NAME_STARTS));
    out.push_str(rng.pick(NAME_MIDDLES));
    out.push(' ');
    write_name(&mut rng, out);
}

fn write_name(rng: &mut Rng, out: &mut String) {
    out.push_str(rng.pick(NAME_STARTS));
    if rng.below(2) == 0 {
        out.push_str(rng.pick(NAME_MIDDLES));
    }
    out.push_str(rng.pick(NAME_ENDS));
}

/// Writes a number in decimal; `write!` would cost several times as much, and pages are full of numbers.
pub(crate) fn push_number(number: u32, out: &mut String) {
    if number >= 10 {
        push_number(number / 10, out);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_decimal() {
        for number in [0, 7, 10, 99, 100, 4_294_967_295] {
            let mut out = String::new();
            push_number(number, &mut out);
            assert_eq!(out, number.to_string());
        }
    }
}
