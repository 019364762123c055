//! Pieces of HTML.

use std::fmt::Write;

/// Text that means nothing to a browser but itself.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A table of names and scores; `is_link` tells which names are addresses that can be opened.
pub fn table(title: &str, column: &str, rows: &[(String, String)], is_link: bool) -> String {
    let mut html = format!("<div class=\"top\"><h3>{}</h3><table>", escaped(title));
    let _ = write!(html, "<tr><th>{}</th><th>score</th></tr>", escaped(column));
    for (name, score) in rows {
        let safe = escaped(name);
        // Only addresses of pages become links: they have one of two schemes, whatever a page has written.
        let is_address = is_link && (name.starts_with("http://") || name.starts_with("https://"));
        let name =
            if is_address { format!("<a href=\"{safe}\" rel=\"noreferrer\">{safe}</a>") } else { safe };
        let _ = write!(html, "<tr><td>{name}</td><td>{}</td></tr>", escaped(score));
    }
    html.push_str("</table></div>");
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_is_called_is_shown_and_never_run() {
        let rows = [
            ("https://a/<script>'\"&".to_owned(), "1".to_owned()),
            ("javascript:alert(1)".to_owned(), "2".to_owned()),
        ];
        let html = table("x", "page", &rows, true);
        assert!(html.contains("href=\"https://a/&lt;script&gt;&#39;&quot;&amp;\""), "{html}");
        assert!(!html.contains("<script>") && !html.contains("href=\"javascript"), "{html}");
    }
}
