//! How many slips of the keyboard lie between two words: letters left out, added, taken for another, and two side by side
//! exchanged (the distance of Damerau and Levenshtein, no piece edited twice; "optimal string alignment").
//!
//! Only a band of the table is filled in: with at most two edits, five cells a row.

/// More edits are never looked for.
pub(crate) const EDITS_MAX: usize = 2;

/// Words are compared up to this length.
const CHARS_MAX: usize = 64;

/// The edits between two words, if they are no more than `most`, which is [`EDITS_MAX`] at most.
pub(crate) fn within(one: &[char], other: &[char], most: usize) -> Option<usize> {
    let most = most.min(EDITS_MAX);
    if one.len().abs_diff(other.len()) > most || one.len().max(other.len()) > CHARS_MAX {
        return None;
    }
    let far = most as u8 + 1;
    // Three rows of the table: two before, one before, this one. What is outside of the band is far.
    let mut rows = [[far; CHARS_MAX + 1]; 3];
    for (column, cell) in rows[2].iter_mut().enumerate().take(most.min(other.len()) + 1) {
        *cell = column as u8;
    }
    for row in 1..=one.len() {
        rows.rotate_left(1);
        let [_, _, now] = &mut rows;
        now.fill(far);
        let [before_last, last, _] = rows;
        let (first, end) = (row.saturating_sub(most), (row + most).min(other.len()));
        for column in first..=end {
            if column == 0 {
                rows[2][0] = far.min(row as u8);
                continue;
            }
            let is_same = one[row - 1] == other[column - 1];
            let mut edits = last[column - 1] + u8::from(!is_same);
            edits = edits.min(last[column] + 1).min(rows[2][column - 1] + 1);
            let is_exchanged = row > 1
                && column > 1
                && one[row - 1] == other[column - 2]
                && one[row - 2] == other[column - 1];
            if is_exchanged {
                edits = edits.min(before_last[column - 2] + 1);
            }
            rows[2][column] = edits.min(far);
        }
        if rows[2][first..=end].iter().all(|edits| *edits >= far) && last.iter().all(|edits| *edits >= far) {
            return None;
        }
    }
    let last = rows[2][other.len()];
    (last < far).then_some(last.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(word: &str) -> Vec<char> {
        word.chars().collect()
    }

    /// The whole table.
    fn plain(one: &[char], other: &[char]) -> usize {
        let mut table = vec![vec![0; other.len() + 1]; one.len() + 1];
        for row in 0..=one.len() {
            for column in 0..=other.len() {
                table[row][column] = match (row, column) {
                    (0, _) => column,
                    (_, 0) => row,
                    _ => {
                        let differs = usize::from(one[row - 1] != other[column - 1]);
                        let mut edits = (table[row - 1][column - 1] + differs)
                            .min(table[row - 1][column] + 1)
                            .min(table[row][column - 1] + 1);
                        if row > 1
                            && column > 1
                            && one[row - 1] == other[column - 2]
                            && one[row - 2] == other[column - 1]
                        {
                            edits = edits.min(table[row - 2][column - 2] + 1);
                        }
                        edits
                    }
                };
            }
        }
        table[one.len()][other.len()]
    }

    #[test]
    fn slips_are_counted() {
        let rows = [
            ("", "", Some(0)),
            ("", "ab", Some(2)),
            ("ab", "", Some(2)),
            ("", "abc", None),
            ("word", "word", Some(0)),
            ("wrod", "word", Some(1)),
            ("wird", "word", Some(1)),
            ("wod", "word", Some(1)),
            ("woord", "word", Some(1)),
            ("recieve", "receive", Some(1)),
            ("acomodate", "accommodate", Some(2)),
            ("dowr", "word", None),
            ("abcd", "dcba", None),
        ];
        for (one, other, edits) in rows {
            assert_eq!(within(&chars(one), &chars(other), 2), edits, "{one} {other}");
        }
        assert_eq!(within(&chars(&"a".repeat(100)), &chars(&"a".repeat(100)), 2), None);
    }

    proptest::proptest! {
        #[test]
        fn the_band_tells_what_the_whole_table_does(one in "[abc]{0,7}", other in "[abc]{0,7}", most in 0usize..3) {
            let (one, other) = (chars(&one), chars(&other));
            let expected = Some(plain(&one, &other)).filter(|edits| *edits <= most);
            assert_eq!(within(&one, &other, most), expected);
        }
    }
}
