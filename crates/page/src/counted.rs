//! Numbers of things, as people read them.

/// Writes a number with its thousands apart: `12,345`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Names a number of things: "1 host", "2,000 hosts"; "1 address", "2 addresses"; "1 copy", "2 copies".
pub fn counted(number: u64, thing: &str) -> String {
    let many = match thing.strip_suffix('y') {
        _ if number == 1 => thing.to_owned(),
        Some(stem) if !stem.ends_with(['a', 'e', 'o']) => format!("{stem}ies"),
        _ if thing.ends_with('s') || thing.ends_with("ch") => format!("{thing}es"),
        _ => format!("{thing}s"),
    };
    format!("{} {many}", thousands(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")];
        for (number, text) in cases {
            assert_eq!(thousands(number), text);
        }
    }

    #[test]
    fn one_thing_is_no_things() {
        let cases = [
            (0, "host", "0 hosts"),
            (1, "host", "1 host"),
            (1000, "host", "1,000 hosts"),
            (1, "address", "1 address"),
            (2, "address", "2 addresses"),
            (2, "copy", "2 copies"),
            (2, "key", "2 keys"),
            (2, "stretch", "2 stretches"),
        ];
        for (number, thing, text) in cases {
            assert_eq!(counted(number, thing), text);
        }
    }
}
