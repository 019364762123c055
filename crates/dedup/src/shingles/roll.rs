//! A polynomial that rolls over a row of numbers.
//!
//! The shingle of `x1 … xn` has the value `x1·B^(n−1) + … + xn` mod 2^64; the next one is had by taking off the first
//! term, multiplying by `B`, and adding the next number (Karp and Rabin 1987, who take a prime for the modulus). Ours is
//! a power of two, for speed. That is sound because the numbers are random and of 64 bits: two different rows have equal
//! values with probability 2^−64 times a small power of two, which stays small because `B` ≡ 3 mod 8, so that `B^i − 1`
//! is divisible by few twos. The low bits of such values are weak, so they are scrambled at the end.

/// The base: no structure, and 3 mod 8.
const BASE: u64 = 0xd1b5_4a32_d192_ed03;

/// Appends the hash of every row of `length` numbers.
pub fn roll(numbers: &[u64], length: usize, hashes: &mut Vec<u64>) {
    let gone = weight_of_gone(length);
    roll_by(numbers, length, |number| number, |number| number.wrapping_mul(gone), hashes);
}

/// So many numbers are gathered before their hashes are appended: few enough to stay in a cache.
const GATHERED: usize = 1 << 14;

/// Like [`roll`], but only once there are many numbers. Those that the next rows begin with are left. Called again and
/// again while a text goes by, and followed by [`roll`], it spares the numbers of the whole text.
pub fn roll_when_many(numbers: &mut Vec<u64>, length: usize, hashes: &mut Vec<u64>) {
    if numbers.len() >= GATHERED.max(2 * length) {
        roll(numbers, length, hashes);
        numbers.drain(..numbers.len() - (length - 1));
    }
}

/// The same for rows of anything that has a number, given the number and its product with [`weight_of_gone`].
#[inline(always)]
pub fn roll_by<T: Copy>(
    items: &[T],
    length: usize,
    number: impl Fn(T) -> u64,
    gone_number: impl Fn(T) -> u64,
    hashes: &mut Vec<u64>,
) {
    if items.len() < length {
        return;
    }
    let (first, rest) = items.split_at(length);
    let mut value = first.iter().fold(0, |value, item| append(value, number(*item)));
    hashes.push(finish(value));
    hashes.extend(rest.iter().zip(items).map(|(newest, gone)| {
        // Only this step waits for the one before: a product and a sum.
        value = append(value, number(*newest).wrapping_sub(gone_number(*gone)));
        finish(value)
    }));
}

/// The factor of a number that has just left a row of this length.
pub fn weight_of_gone(length: usize) -> u64 {
    BASE.wrapping_pow(length as u32)
}

/// Adds a number to a value.
#[inline(always)]
fn append(value: u64, number: u64) -> u64 {
    value.wrapping_mul(BASE).wrapping_add(number)
}

/// The hash of a value: one to one, and good in all bits given that the high ones are.
#[inline(always)]
fn finish(value: u64) -> u64 {
    let x = (value ^ (value >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolling_gives_the_value_of_each_row() {
        let numbers: Vec<u64> = (0..40u64).map(|i| crate::mix::scramble(i % 7)).collect();
        for length in [1, 2, 5, 39, 40] {
            let mut rolled = Vec::new();
            roll(&numbers, length, &mut rolled);
            let each: Vec<u64> = numbers
                .windows(length)
                .map(|row| finish(row.iter().fold(0, |value, x| append(value, *x))))
                .collect();
            assert_eq!(rolled, each);
        }
        let mut none = Vec::new();
        roll(&numbers, 41, &mut none);
        assert!(none.is_empty());
    }
}
