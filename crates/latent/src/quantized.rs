//! Vectors in eight bits a number, which is all that an angle needs.
//!
//! ```text
//! scale   f32
//! values  i8 each    a number is scale · value; of the greatest the value is ±127
//! ```
//!
//! With 200 dimensions the cosine of two of them is wrong by less than 0.01.

/// What a vector of so many dimensions takes.
pub(crate) const fn bytes_of(dimensions: usize) -> usize {
    4 + dimensions
}

/// The bytes of a vector.
pub(crate) fn write(vector: &[f32], to: &mut Vec<u8>) {
    let greatest = vector.iter().fold(0.0f32, |greatest, x| greatest.max(x.abs()));
    let factor = if greatest > 0.0 { 127.0 / greatest } else { 0.0 };
    to.extend((greatest / 127.0).to_le_bytes());
    to.extend(vector.iter().map(|x| ((x * factor).round() as i8) as u8));
}

/// A vector of length 1 in the same direction; one of length 0 has none, and stays.
pub(crate) fn write_unit(vector: &[f32], to: &mut Vec<u8>) {
    let start = to.len();
    write(vector, to);
    let (_, values) = split(&to[start..]);
    let length = (dot(values, values) as f32).sqrt();
    let scale = if length > 0.0 { length.recip() } else { 0.0 };
    to[start..start + 4].copy_from_slice(&scale.to_le_bytes());
}

/// The scale and the values of a vector that was written.
#[inline]
pub(crate) fn split(bytes: &[u8]) -> (f32, &[u8]) {
    let (scale, values) = bytes.split_first_chunk().expect("a vector has a scale");
    (f32::from_le_bytes(*scale), values)
}

/// The numbers themselves.
pub(crate) fn read(bytes: &[u8]) -> impl Iterator<Item = f32> {
    let (scale, values) = split(bytes);
    values.iter().map(move |&value| scale * f32::from(value as i8))
}

/// The product of values with values.
#[inline]
pub(crate) fn dot(one: &[u8], other: &[u8]) -> i32 {
    one.iter().zip(other).map(|(&x, &y)| i32::from(x as i8) * i32::from(y as i8)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back_within_half_a_step(vector in prop::collection::vec(-5.0f32..5.0, 0..40)) {
            let mut bytes = Vec::new();
            write(&vector, &mut bytes);
            prop_assert_eq!(bytes.len(), bytes_of(vector.len()));
            let step = vector.iter().fold(0.0f32, |most, x| most.max(x.abs())) / 127.0;
            for (back, x) in read(&bytes).zip(&vector) {
                prop_assert!((back - x).abs() <= 0.501 * step);
            }
        }
    }
}
