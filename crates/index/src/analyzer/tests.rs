use super::*;
use proptest::prelude::*;

fn tokens_of(analysis: Analysis, text: &str, kind: TokenKind) -> Vec<String> {
    let mut terms = Vec::new();
    Analyzer::new(analysis).tokens(text, &mut |token| {
        if token.kind == kind {
            terms.push(token.term.to_owned());
        }
    });
    terms
}

fn words(text: &str) -> Vec<String> {
    tokens_of(Analysis::Full, text, TokenKind::Word)
}

fn plain(text: &str) -> Vec<String> {
    tokens_of(Analysis::Plain, text, TokenKind::Word)
}

/// Terms with their positions.
fn extras(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    Analyzer::default().tokens(text, &mut |token| {
        if token.kind == TokenKind::Extra {
            terms.push(format!("{}@{}", token.term, token.position));
        }
    });
    terms
}

#[test]
fn words_are_what_a_reader_would_call_words() {
    let rows: &[(&str, &[&str])] = &[
        ("", &[]),
        (" \t\n.,;", &[]),
        ("Hello, World", &["hello", "world"]),
        ("don't", &["don", "t"]),
        ("don’t", &["don", "t"]),
        ("l'eau l’Été à Nîmes", &["l", "eau", "l", "ete", "a", "nimes"]),
        ("3.14 example.com snake_case", &["3", "14", "example", "com", "snake", "case"]),
        ("İstanbul STRASSE Straße ırmak", &["istanbul", "strasse", "strasse", "irmak"]),
        ("Łódź Ærø œuvre Đakovo", &["lodz", "aero", "oeuvre", "dakovo"]),
        ("ΟΔΟΣ οδός", &["οδοσ", "οδοσ"]),
        ("Ёлка йод їжак", &["елка", "йод", "їжак"]),
        ("한국어", &["한국어"]),
        ("हिन्दी किताबें", &["हिन्दी", "किताबें"]),
        ("தமிழ் বাংলা", &["தமிழ்", "বাংলা"]),
        ("שָׁלוֹם كِتَاب كتـــاب", &["שלום", "كتاب", "كتاب"]),
        ("co\u{ad}operate", &["cooperate"]),
        ("ﬁne Ⅻ ① Ｗｉｄｅ", &["fine", "xii", "1", "wide"]),
        ("👍🏽 ok 👨‍👩‍👧", &["ok"]),
        ("a\u{0}b\u{7}c", &["a", "b", "c"]),
    ];
    for (text, expected) in rows {
        assert_eq!(words(text), *expected, "{text:?}");
        assert_eq!(plain(text), *expected, "{text:?}");
    }
}

#[test]
fn an_owner_is_found_without_the_s() {
    for text in ["PostgreSQL's", "postgresql’s", "POSTGRESQL'S,"] {
        assert_eq!(words(text), ["postgresql"], "{text}");
        assert_eq!(plain(text), ["postgresql", "s"], "{text}");
    }
    assert_eq!(
        words("'s-Hertogenbosch it'so rock'n'roll"),
        ["s", "hertogenbosch", "it", "so", "rock", "n", "roll"]
    );
    assert_eq!(words("node.js's server"), ["node", "js", "server"]);
}

#[test]
fn words_of_code_are_found_as_a_whole_and_by_their_parts() {
    // text, words, extras with their positions
    let rows: &[(&str, &[&str], &[&str])] = &[
        ("use std::vec;", &["use", "std", "vec"], &["std::vec@1"]),
        ("node.js", &["node", "js"], &["node.js@0"]),
        ("Python 3.11.", &["python", "3", "11"], &["3.11@1"]),
        ("utf8_decode(x)", &["utf8", "decode", "x"], &["utf8_decode@0"]),
        ("--max-pages 10", &["max", "pages", "10"], &["maxpages@0"]),
        ("E-Mail", &["e", "mail"], &["email@0"]),
        ("state-of-the-art", &["state", "of", "the", "art"], &["stateoftheart@0"]),
        ("Straßen-Bahn", &["strassen", "bahn"], &["strassenbahn@0"]),
        ("C++ and C#, g++", &["c++", "and", "c#", "g++"], &["c@0", "c@2", "g@3"]),
        ("C++11 (since C++2a)", &["c++", "11", "since", "c++", "2a"], &["c@0", "c++11@0", "c@3", "c++2a@3"]),
        ("c++12345 c#8 C++1é", &["c", "12345", "c", "8", "c", "1e"], &[]),
        ("c+++ x++y page#top 5#", &["c", "x", "y", "page", "top", "5"], &[]),
        ("getElementById", &["getelementbyid"], &["get@0", "element@0", "by@0", "id@0"]),
        ("XMLHttpRequest", &["xmlhttprequest"], &["xml@0", "http@0", "request@0"]),
        ("the PostgreSQL iPhone", &["the", "postgresql", "iphone"], &["postgre@1", "sql@1", "phone@2"]),
        ("NASA URLs Hello FooFoo", &["nasa", "urls", "hello", "foofoo"], &["foo@3"]),
        ("2024-01-15 a--b x- -y __init__", &["2024", "01", "15", "a", "b", "x", "y", "init"], &[]),
        ("a.b.c.d.e.f.g.h.i", &["a", "b", "c", "d", "e", "f", "g", "h", "i"], &[]),
        ("end. Next: this", &["end", "next", "this"], &[]),
        // Two words and then a sign that is none are not one each.
        ("ก\u{e9}::a_\u{301}", &["ก", "e", "a"], &[]),
    ];
    for (text, expected, whole) in rows {
        assert_eq!(words(text), *expected, "{text:?}");
        assert_eq!(extras(text), *whole, "{text:?}");
        assert_eq!(tokens_of(Analysis::Plain, text, TokenKind::Extra), [""; 0], "{text:?}");
    }
}

#[test]
fn scripts_without_spaces_become_pairs_of_letters() {
    // text, words, letters
    let rows: &[(&str, &[&str], &[&str])] = &[
        ("東京都", &["東京", "京都"], &["東", "京", "都"]),
        ("水 と 水。", &["水", "と", "水"], &["水", "水"]),
        ("東京、京都", &["東京", "京都"], &["東", "京", "京", "都"]),
        ("カタカナ", &["カタ", "タカ", "カナ"], &[]),
        ("ｶﾀｶﾅ", &["カタ", "タカ", "カナ"], &[]),
        ("がかデー", &["がか", "かデ", "デー"], &[]),
        ("日本のIBM社", &["日本", "本の", "ibm", "社"], &["日", "本", "社"]),
        ("ภาษา", &["ภา", "าษ", "ษา"], &[]),
        ("น้ำดื่ม", &["น้ํา", "ําดื่", "ดื่ม"], &[]),
        ("ລາວ ខ្មែរ မြန်မာ", &["ລາ", "າວ", "ខ្មែ", "មែរ", "မြန်", "န်မာ"], &[]),
    ];
    for (text, expected, letters) in rows {
        assert_eq!(words(text), *expected, "{text:?}");
        assert_eq!(tokens_of(Analysis::Full, text, TokenKind::Letter), *letters, "{text:?}");
    }
    assert_eq!(plain("東京 カタカナ"), ["東", "京", "カタカナ"]);
}

#[test]
fn a_decomposed_accent_is_the_same_word_as_a_composed_one() {
    assert_eq!(words("caffe\u{301}"), words("caff\u{e9}"));
    assert_eq!(words("caffé"), ["caffe"]);
    assert_eq!(words("и\u{306}од"), words("йод"));
}

#[test]
fn long_terms_are_cut_at_a_character_border() {
    assert_eq!(words(&"a".repeat(1000)), ["a".repeat(64)]);
    assert_eq!(words(&"ж".repeat(100)), ["ж".repeat(32)]);
    assert_eq!(words(&format!("a{}", "ж".repeat(100))), [format!("a{}", "ж".repeat(31))]);
}

#[test]
fn stems_are_those_of_the_languages_of_the_index() {
    let mut languages = Languages::default();
    for tag in ["en", "de", "fr"] {
        languages.insert(crate::stems::Language::of_tag(tag).unwrap());
    }
    let stems = |typed: &str, term: &str| Analyzer::default().with_languages(languages).stems(typed, term);
    assert_eq!(stems("Connections", "connections"), ["connection", "connect"]);
    assert_eq!(stems("水", "水"), ["水"]);
    assert_eq!(Analyzer::default().stems("connections", "connections"), [""; 0]);
    assert_eq!(Analyzer::new(Analysis::Plain).with_languages(languages).stems("a", "a"), [""; 0]);
}

/// The tokens of what is not ASCII, by the rules of Unicode or by what is remembered of them.
fn tokens_by(by_the_rules: bool, text: &str, is_full: bool) -> Vec<(String, TokenKind, u32, Range<usize>)> {
    let mut tokens = Vec::new();
    let mut keep = |token: Token<'_>| {
        tokens.push((token.term.to_owned(), token.kind, token.position, token.start..token.end));
    };
    let mut emitter = Emitter { text, term: String::new(), position: 0, f: &mut keep };
    match by_the_rules {
        true => emitter.words_by_the_rules(0..text.len(), is_full),
        false => emitter.unicode_words(0..text.len(), is_full),
    }
    tokens
}

#[test]
fn signs_and_letters_that_join_are_left_to_the_rules() {
    for text in ["々¡", "a々", "\u{80}\u{e34}ぁ", "«\u{301}é»", "é\u{301}«ж", "Javaのコード、ー", "ﾊﾟ！Ａ１"]
    {
        for is_full in [true, false] {
            let [quick, thorough] = [false, true].map(|by_the_rules| tokens_by(by_the_rules, text, is_full));
            assert_eq!(quick, thorough, "{text:?}");
        }
    }
}

proptest! {
    #[test]
    fn offsets_are_ordered_character_borders(
        text in "\\PC{0,40}[a-zA-Zé 東ก\u{301}\\-.:_+#'’]{0,30}",
        is_full: bool,
    ) {
        let (mut last_end, mut expected_position) = (0, 0);
        let analysis = if is_full { Analysis::Full } else { Analysis::Plain };
        Analyzer::new(analysis).tokens(&text, &mut |token| {
            assert!(token.start < token.end && text.get(token.start..token.end).is_some());
            assert!(!token.term.is_empty() && token.term.len() <= TERM_BYTES_MAX);
            if token.kind == TokenKind::Word {
                // Pairs of letters overlap.
                assert!(last_end <= token.start || token.end > last_end);
                assert_eq!(token.position, expected_position);
                (last_end, expected_position) = (token.end, expected_position + 1);
            } else {
                assert!(token.position < expected_position && token.end <= last_end);
            }
        });
    }

    /// What is remembered of single letters gives the words that the rules give of all.
    #[test]
    fn letters_that_are_known_alone_make_the_words_of_the_rules(
        text in "([a-zA-Z0-9À-ɏͰ-ԯ]|[\u{80}-\u{bf}\u{2000}-\u{206f}]|[\u{300}-\u{36f}\u{3099}\u{483}]|[ぁ-ヿ一-三々〇、。「」・ー]|[！-ﾟ]|[ก-ฺ]|[가-각]|[\u{1100}-\u{1112}]|[👍👨\u{200d}]){1,24}",
        is_full: bool,
    ) {
        let [quick, thorough] = [false, true].map(|by_the_rules| tokens_by(by_the_rules, &text, is_full));
        prop_assert_eq!(quick, thorough);
    }
}
