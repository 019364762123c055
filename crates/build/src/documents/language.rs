//! In which language is this text? For pages that do not say so themselves.
//!
//! Most languages that have a script of their own are known by its letters. Languages that share one are told apart by the
//! words that every text has: articles, pronouns, prepositions. A word that several languages have counts for each of them
//! by its share. A language is named only if its words are frequent and those of the next one are not; so a list of names,
//! a program or a text too short has none. Norwegian, Danish and Swedish differ in few words, but in frequent ones.
//!
//! Cost: one pass over the first 16 KiB. What is declared is not doubted: that is for the caller to say.

use std::collections::HashMap;
use std::sync::LazyLock;

/// More text does not make it surer.
const TEXT_BYTES_MAX: usize = 16 << 10;

/// With fewer letters nothing is said.
const LETTERS_MIN: usize = 100;

/// So many of the frequent words have to be there.
const WORDS_MIN: f32 = 8.0;

/// One word of so many, at least, is a frequent one: in prose it is every third, in a manual with code every tenth.
const WORDS_SHARE_MIN: f32 = 0.05;

/// The frequent words of the next language are rarer, by this.
const LEAD_MIN: f32 = 1.3;

/// What a letter counts that one language alone has, where a word counts one.
const LETTER_WEIGHT: f32 = 0.5;

/// Frequent words by language.
const WORDS: [(&str, &str); 26] = [
    (
        "en",
        "the of and to in is that for it with as this are be on by you or not from an which can will if have at",
    ),
    (
        "de",
        "der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch es an werden wird oder sie sind",
    ),
    (
        "fr",
        "le la les des et est une du dans pour que qui sur pas par plus ce avec il sont au cette ou vous être ne aux",
    ),
    (
        "es",
        "el la los las y que en del se por una con para es un no como más su lo al está este pero o puede",
    ),
    (
        "it",
        "il di che e la per un è del non una con i le si della sono gli da nel alla anche come questo più può",
    ),
    ("pt", "o a os as e que do da em um para com não uma se por dos das no na mais como ao são é você"),
    (
        "nl",
        "de het een van en is dat niet op te zijn met voor aan als die worden er ook om wordt door bij u naar",
    ),
    ("sv", "och att det som en på är av för med den till inte om ett från kan eller har vid de du ska"),
    ("da", "og at det som en på er af for med den til ikke om et fra kan eller har ved de du skal blev også"),
    (
        "nb",
        "og å det som en på er av for med den til ikke om et fra kan eller har ved de du skal ble også etter",
    ),
    ("fi", "ja on ei että se oli ovat ole tai mutta myös kun joka sen voi jos niin kuin hän ne tämä mukaan"),
    ("pl", "i w na z się nie do to jest że o jak po przez są lub dla od za tym może który oraz być"),
    ("cs", "a se v na je že s z do o i to k by ve pro za jsou ale není jako pokud který nebo být"),
    ("sk", "a sa v na je že s z do o i to k by vo pre za sú ale nie ako ak ktorý alebo byť"),
    ("hu", "a az és hogy nem is egy ez meg van csak ha de mint el volt vagy kell még lehet minden"),
    ("ro", "și de în la a cu pe că nu este o pentru din care un mai se sunt ca sau fi al dacă"),
    ("tr", "ve bir bu için ile da de olarak çok daha gibi olan ne var her kadar sonra ya değil veya olduğu"),
    (
        "id",
        "yang dan di untuk dengan dari ini dalam tidak itu pada akan ke atau adalah oleh juga dapat ada anda",
    ),
    ("vi", "và của là có không được cho các một trong người này với để những khi đã từ bạn sẽ"),
    ("ca", "el la de i que a en els per un les és del amb una no al es com més o aquest són pot"),
    ("ru", "и в не на что с по как это для из к или от при но все то его если так вы за может"),
    ("uk", "і в не на що з та як це для до або від при але за у його якщо є ви також може він"),
    ("bg", "и в на да се за не от е с по че като това са или при но ще ако до може който"),
    ("sr", "и у на да се за не од је са по као то су или при али ће ако до може који"),
    ("ar", "من في على إلى أن عن هذا التي هذه مع لا ما كان أو هو الذي بعد إذا كل هي"),
    ("fa", "و در به از که این را با است برای آن یک می خود تا بر شود هم یا شده"),
];

/// What each frequent word says: the languages that have it, by their places in [`WORDS`].
static MEANINGS: LazyLock<HashMap<&'static str, Vec<u8>>> = LazyLock::new(|| {
    let mut meanings = HashMap::<_, Vec<u8>>::new();
    for (place, (_, words)) in WORDS.iter().enumerate() {
        for word in words.split(' ') {
            meanings.entry(word).or_default().push(place as u8);
        }
    }
    meanings
});

/// A script that one language writes, or several that words tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Shared,
    Of(&'static str),
}

/// Names the language of a text, given in pieces, by its code of two letters; `None` if it is not certain.
pub fn detect_language<'a>(pieces: impl Iterator<Item = &'a str>) -> Option<&'static str> {
    let mut seen = Seen::default();
    let mut bytes = 0;
    for piece in pieces {
        let mut end = piece.len().min(TEXT_BYTES_MAX - bytes);
        while !piece.is_char_boundary(end) {
            end -= 1;
        }
        seen.read(&piece[..end]);
        bytes += piece.len();
        if bytes >= TEXT_BYTES_MAX {
            break;
        }
    }
    seen.verdict()
}

/// What was seen of a text.
#[derive(Debug, Default)]
struct Seen {
    letters: usize,
    scripts: Vec<(&'static str, usize)>,
    words: usize,
    /// For each language of [`WORDS`], how many of its words.
    frequent: [f32; WORDS.len()],
}

impl Seen {
    fn read(&mut self, text: &str) {
        for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
            self.words += 1;
            // Most words are longer than any frequent one.
            if word.len() <= 16 {
                self.look_up(&word.to_lowercase());
            }
            for c in word.chars() {
                self.letters += 1;
                if let Some(language) = language_of_letter(c) {
                    self.add(language, LETTER_WEIGHT);
                }
                if let Script::Of(language) = script_of(c) {
                    match self.scripts.iter_mut().find(|(known, _)| *known == language) {
                        Some((_, count)) => *count += 1,
                        None => self.scripts.push((language, 1)),
                    }
                }
            }
        }
    }

    fn add(&mut self, language: &str, weight: f32) {
        if let Some(place) = WORDS.iter().position(|(known, _)| *known == language) {
            self.frequent[place] += weight;
        }
    }

    fn look_up(&mut self, word: &str) {
        if let Some(places) = MEANINGS.get(word) {
            for &place in places {
                self.frequent[usize::from(place)] += 1.0 / places.len() as f32;
            }
        }
    }

    fn verdict(&self) -> Option<&'static str> {
        if self.letters < LETTERS_MIN {
            return None;
        }
        self.by_script().or_else(|| self.by_words())
    }

    /// A script of one language is seen in a quarter of all letters, or kana in a tenth: manuals are full of names in ours.
    fn by_script(&self) -> Option<&'static str> {
        let count = |language: &str| {
            self.scripts.iter().find(|(known, _)| *known == language).map_or(0, |(_, count)| *count)
        };
        if count("ja") * 10 >= self.letters {
            return Some("ja");
        }
        let (language, count) = self.scripts.iter().copied().max_by_key(|(_, count)| *count)?;
        (count * 4 >= self.letters).then_some(language)
    }

    fn by_words(&self) -> Option<&'static str> {
        let mut order: Vec<usize> = (0..WORDS.len()).collect();
        order.sort_by(|a, b| self.frequent[*b].total_cmp(&self.frequent[*a]));
        let (best, next) = (self.frequent[order[0]], self.frequent[order[1]]);
        let is_certain =
            best >= WORDS_MIN && best >= WORDS_SHARE_MIN * self.words as f32 && best >= LEAD_MIN * next;
        is_certain.then_some(WORDS[order[0]].0)
    }
}

/// Slavic languages share their shortest words, but not all letters.
fn language_of_letter(c: char) -> Option<&'static str> {
    Some(match c {
        'ы' | 'э' => "ru",
        'і' | 'ї' | 'є' | 'ґ' => "uk",
        'ј' | 'љ' | 'њ' | 'ђ' | 'ћ' | 'џ' => "sr",
        'ř' | 'ů' => "cs",
        'ľ' | 'ĺ' | 'ŕ' => "sk",
        _ => return None,
    })
}

fn script_of(c: char) -> Script {
    match c as u32 {
        0..=0x36f | 0x400..=0x52f | 0x600..=0x6ff => Script::Shared,
        0x370..=0x3ff | 0x1f00..=0x1fff => Script::Of("el"),
        0x530..=0x58f => Script::Of("hy"),
        0x590..=0x5ff => Script::Of("he"),
        0x900..=0x97f => Script::Of("hi"),
        0x980..=0x9ff => Script::Of("bn"),
        0xb80..=0xbff => Script::Of("ta"),
        0xc00..=0xc7f => Script::Of("te"),
        0xe00..=0xe7f => Script::Of("th"),
        0x10a0..=0x10ff => Script::Of("ka"),
        0x3040..=0x30ff => Script::Of("ja"),
        0x1100..=0x11ff | 0xac00..=0xd7af => Script::Of("ko"),
        0x3400..=0x9fff | 0x20000..=0x3ffff => Script::Of("zh"),
        _ => Script::Shared,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(text: &str) -> Option<&'static str> {
        detect_language(std::iter::once(text))
    }

    #[test]
    fn sentences_have_their_language() {
        let cases = [
            (
                "en",
                "The quick brown fox jumps over the lazy dog, and it is said that this is one of the sentences which you can read on every page about typing. ",
            ),
            (
                "de",
                "Die Würde des Menschen ist unantastbar. Sie zu achten und zu schützen ist die Verpflichtung aller, und das gilt auch für den Staat, der nicht als Ziel, sondern als Mittel zu sehen ist. ",
            ),
            (
                "fr",
                "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité, ce qui est une règle pour tous. ",
            ),
            (
                "ru",
                "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства, и это не только слова, но и то, что есть в законе. ",
            ),
            (
                "uk",
                "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю та мають діяти у ставленні один до одного в дусі братерства, що є не лише словами, але й законом для всіх. ",
            ),
            (
                "ja",
                "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。",
            ),
            ("zh", "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。"),
            (
                "el",
                "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική. ",
            ),
        ];
        for (expected, text) in cases {
            assert_eq!(language(&text.repeat(3)), Some(expected), "for {text}");
        }
    }

    #[test]
    fn what_is_no_text_has_no_language() {
        let names =
            "Anna Berta Carlos Dorothea Emil Friedrich Gustav Heinrich Ida Julius Konrad Ludwig Martha "
                .repeat(5);
        let code = "fn main() { let x = foo.bar(baz); println!(\"{x}\"); return match y { Some(z) => z + 1, None => 0 } } ".repeat(5);
        for text in ["", "the of and", &names, &code, "123 456 ".repeat(100).as_str()] {
            assert_eq!(language(text), None, "for {text}");
        }
    }

    #[test]
    fn pieces_are_one_text_and_its_beginning_counts() {
        let english = "this is the text that you can read in the manual and it is not for others. ";
        assert_eq!(detect_language(std::iter::repeat_n(english, 10)), Some("en"));
        let german = "das ist der text den sie in dem handbuch lesen und der nicht für andere ist. ";
        let long = english.repeat(TEXT_BYTES_MAX / english.len()) + &german.repeat(10_000);
        assert_eq!(language(&long), Some("en"));
    }
}
