//! A naive reader of HTML: tags with attributes, and the words between them.

pub struct Tag {
    pub name: String,
    attributes: Vec<(String, String)>,
}

impl Tag {
    /// The first attribute of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn has_word(&self, attribute: &str, word: &str) -> bool {
        let value = self.get(attribute).unwrap_or("").to_ascii_lowercase();
        value.split([' ', ',']).any(|item| item == word)
    }
}

/// All opening tags, and the text of the body.
pub fn read(html: &str) -> (Vec<Tag>, String) {
    let (mut tags, mut text, mut rest) = (Vec::new(), String::new(), html);
    while let Some(open) = rest.find('<') {
        text.push_str(&rest[..open]);
        text.push(' ');
        rest = &rest[open..];
        if rest.starts_with("<!--") {
            rest = after(rest, "-->");
        } else if rest.starts_with("<script") {
            rest = after(rest, "</script>");
        } else {
            let (tag, length) = read_tag(rest);
            if tag.name == "body" {
                text.clear();
            }
            tags.push(tag);
            rest = &rest[length..];
        }
    }
    (tags, text.replace("&copy;", " "))
}

fn after<'a>(text: &'a str, mark: &str) -> &'a str {
    text.split_once(mark).map_or("", |(_, rest)| rest)
}

fn read_tag(html: &str) -> (Tag, usize) {
    let bytes = html.as_bytes();
    let mut at = 1;
    let until = |at: &mut usize, stop: &dyn Fn(u8) -> bool| {
        let start = *at;
        while !stop(bytes[*at]) {
            *at += 1;
        }
        html[start..*at].to_owned()
    };
    let name = until(&mut at, &|b| b == b'>' || b.is_ascii_whitespace()).to_ascii_lowercase();
    let mut attributes = Vec::new();
    loop {
        until(&mut at, &|b| !b.is_ascii_whitespace());
        if bytes[at] == b'>' {
            return (Tag { name, attributes }, at + 1);
        }
        let key = until(&mut at, &|b| b == b'=' || b == b'>' || b.is_ascii_whitespace()).to_ascii_lowercase();
        until(&mut at, &|b| !b.is_ascii_whitespace());
        let mut value = String::new();
        if bytes[at] == b'=' {
            at += 1;
            until(&mut at, &|b| !b.is_ascii_whitespace());
            let quote = bytes[at];
            if quote == b'"' || quote == b'\'' {
                at += 1;
                value = until(&mut at, &|b| b == quote);
                at += 1;
            } else {
                value = until(&mut at, &|b| b == b'>' || b.is_ascii_whitespace());
            }
        }
        attributes.push((key, value.replace("&amp;", "&").replace("&#38;", "&")));
    }
}
