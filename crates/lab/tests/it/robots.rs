//! A naive reader of robots.txt, for a robot that no group names.

pub struct Rules(Vec<(bool, String)>);

impl Rules {
    pub fn read(text: &str) -> Self {
        let (mut rules, mut mine) = (Vec::new(), false);
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or("");
            let Some((key, value)) = line.split_once(':') else { continue };
            let value = value.trim().to_owned();
            match key.trim().to_ascii_lowercase().as_str() {
                "user-agent" => mine = value == "*",
                "allow" if mine => rules.push((true, value)),
                "disallow" if mine && !value.is_empty() => rules.push((false, value)),
                _ => {}
            }
        }
        Self(rules)
    }

    /// The longest pattern that matches decides; between equals, the one that allows.
    pub fn allow(&self, path: &str) -> bool {
        let matching = self.0.iter().filter(|(_, pattern)| matches(pattern.as_bytes(), path.as_bytes()));
        matching.max_by_key(|(allow, pattern)| (pattern.len(), *allow)).is_none_or(|(allow, _)| *allow)
    }
}

fn matches(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|skip| matches(rest, &path[skip..])),
        [first, rest @ ..] => path.first() == Some(first) && matches(rest, &path[1..]),
    }
}
