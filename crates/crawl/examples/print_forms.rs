//! What should the print of a page see? All words or only those without digits; words, rows of words or rows of characters.
//!
//! `cargo run --release -p crawl --example print_forms -- [FOLDER | FOLDER+FOLDER]…`
//!
//! The first pages are machine-made: calendars (empty months and days are copies of each other, whatever their dates; months with events are
//! not), forums (views of a thread are copies, threads are not) and tables (a page for each town, all the same but for the name and the
//! numbers: no copies). Folders are of HTML, and two joined by + are two versions of one manual; there pages are copies
//! when their similarity (Jaccard, five words in a row) is at least 0.8, and others when it is below 0.5.
//!
//! Pages are shown to a [`CopyWatch`] one by one, as a crawl does, with prints of each form. *Recall* is the share of the
//! pages with an earlier copy that are marked as a copy of such a page, *wrong* counts pages that are marked as a copy of another, and
//! *wrong pairs* pairs of others whose SimHashes alone are near.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use dedup::{
    COPY_DISTANCE_MAX, CopyFound, CopyWatch, PagePrinter, Shingler, Shingling, SimHash64, TextOptions,
    WORDS_MIN, WatchedPage, hamming, jaccard, make_set,
};
use page::{ContentType, NearPrint, PageUrl};

/// Of a folder every n-th page is taken, so that there are about so many.
const PAGES_MAX: usize = 1500;

fn main() {
    let mut corpora = vec![made::calendars(), made::forums(), made::tables()];
    corpora.extend(std::env::args().skip(1).map(|folders| Corpus::of_folders(&folders)));
    for corpus in &corpora {
        report(corpus);
    }
}

/// Pages in the order in which they are seen.
struct Corpus {
    name: String,
    texts: Vec<String>,
    /// Pages of one class are copies of each other; without classes the similarity decides.
    classes: Option<Vec<usize>>,
}

impl Corpus {
    fn of_folders(folders: &str) -> Self {
        let mut pages: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for folder in folders.split('+').map(Path::new) {
            for file in html_files(folder) {
                let name = file.strip_prefix(folder).expect("it is in it").to_owned();
                pages.entry(name).or_default().push(file);
            }
        }
        let versions = folders.split('+').count();
        let step = (pages.len() * versions).div_ceil(PAGES_MAX).max(1);
        let texts = pages.values().step_by(step).flatten().map(|file| html_text(file)).collect();
        let folder_name =
            |folder: &str| Path::new(folder).file_name().map(|name| name.to_string_lossy().into_owned());
        let name = folders.split('+').filter_map(folder_name).collect::<Vec<_>>().join(" and ");
        Self { name, texts, classes: None }
    }
}

fn html_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in entries.map(|entry| entry.expect("a folder can be read")) {
        let kind = entry.file_type().expect("a folder can be read");
        if kind.is_dir() {
            files.extend(html_files(&entry.path()));
        } else if kind.is_file() && entry.path().extension().is_some_and(|ending| ending == "html") {
            files.push(entry.path());
        }
    }
    files
}

fn html_text(file: &Path) -> String {
    let url = PageUrl::parse("http://a.test/").expect("it is an address");
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    parse::parse_page(&url, ContentType("text/html"), &bytes).text
}

/// What of a text is compared: which words, and which texts keep all of them: those of which a third would go, or
/// of which fewer than so many would stay.
type Form = (&'static str, fn(&str) -> bool, Option<usize>);

const FORMS: [Form; 6] = [
    ("all words", |_| true, None),
    ("without numbers", |word| !is_number(word), None),
    ("without numbers, but where they are a third", |word| !is_number(word), Some(0)),
    ("the same, but where fewer than 64 words stay", |word| !is_number(word), Some(64)),
    ("without words with digits", |word| !word.contains(char::is_numeric), None),
    ("without numbers, months, days", |word| !is_number(word) && !is_of_calendar(word), None),
];

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// What the SimHash is made of, and whether repeats count.
const SIGNALS: [(&str, Shingling, bool); 8] = [
    ("words", Shingling::Words(1), true),
    ("words, each once", Shingling::Words(1), false),
    ("pairs of words", Shingling::Words(2), true),
    ("rows of 3 words", Shingling::Words(3), true),
    ("3 characters", Shingling::Chars(3), true),
    ("4 characters", Shingling::Chars(4), true),
    ("5 characters", Shingling::Chars(5), true),
    ("5 characters, each once", Shingling::Chars(5), false),
];

fn is_of_calendar(word: &str) -> bool {
    made::MONTHS.iter().chain(&made::DAYS).any(|name| {
        let short = &name[..3];
        word.eq_ignore_ascii_case(name) || word.eq_ignore_ascii_case(short)
    })
}

/// The words of a text that belong to a form, a space between them.
fn in_form(text: &str, is_in: fn(&str) -> bool, words_min: Option<usize>) -> String {
    let words = || text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_in = |word: &&str| is_in(word);
    let (all, kept) = (words().count(), words().filter(is_in).count());
    let keeps_all = words_min.is_some_and(|least| kept < least || (all - kept) * 3 > all);
    words().filter(|word| keeps_all || is_in(word)).collect::<Vec<_>>().join(" ")
}

fn shingles(text: &str, shingling: Shingling) -> Vec<u64> {
    let mut hashes = Vec::new();
    Shingler::new(shingling, TextOptions::default()).shingle(text.as_bytes(), &mut hashes);
    hashes
}

/// What is known about pairs of pages.
struct Truth<'c> {
    corpus: &'c Corpus,
    sets: Vec<Vec<u64>>,
    /// For each page whether there is an earlier copy.
    has_original: Vec<bool>,
}

#[derive(PartialEq)]
enum Kinship {
    Copies,
    Neither,
    Others,
}

impl<'c> Truth<'c> {
    fn of(corpus: &'c Corpus) -> Self {
        let set = |text: &String| {
            let mut set = shingles(text, Shingling::Words(5));
            make_set(&mut set);
            set
        };
        let sets = corpus.texts.iter().map(set).collect();
        let mut truth = Self { corpus, sets, has_original: Vec::new() };
        let has_original = |page| (0..page).any(|earlier| truth.kinship(earlier, page) == Kinship::Copies);
        truth.has_original = (0..corpus.texts.len()).map(has_original).collect();
        truth
    }

    fn kinship(&self, left: usize, right: usize) -> Kinship {
        if let Some(classes) = &self.corpus.classes
            && classes[left] == classes[right]
        {
            return Kinship::Copies;
        }
        let (left, right) = (&self.sets[left], &self.sets[right]);
        let sizes = [left.len().min(right.len()), left.len().max(right.len())];
        // No need to count what cannot reach the limits.
        let most = sizes[0] as f64 / sizes[1].max(1) as f64;
        match if most < 0.5 { 0.0 } else { jaccard(left, right) } {
            0.8.. if self.corpus.classes.is_none() => Kinship::Copies,
            ..0.5 => Kinship::Others,
            _ => Kinship::Neither,
        }
    }
}

fn report(corpus: &Corpus) {
    let truth = Truth::of(corpus);
    let with_original = truth.has_original.iter().filter(|has| **has).count();
    println!("\n{}: {} pages, {with_original} with an earlier copy\n", corpus.name, corpus.texts.len());
    println!("| form | signals | recall | wrong | wrong pairs |\n|---|---|---|---|---|");
    for (number, (form, is_in, words_min)) in FORMS.into_iter().enumerate() {
        let in_form = |text: &String| in_form(text, is_in, words_min);
        let texts: Vec<String> = corpus.texts.iter().map(in_form).collect();
        // In two forms all signals are tried, in the others the best.
        let signals = if number == 0 || number == 2 { &SIGNALS[..] } else { &SIGNALS[..1] };
        for (name, shingling, with_repeats) in signals {
            let prints = prints(corpus, &texts, *shingling, *with_repeats);
            let (found, wrong) = marks(&truth, &prints);
            let recall = found as f64 / with_original.max(1) as f64;
            println!("| {form} | {name} | {recall:.3} | {wrong} | {} |", wrong_pairs(&truth, &prints));
        }
    }
}

/// The digest is always of all words: an exact copy is one.
fn prints(corpus: &Corpus, texts: &[String], shingling: Shingling, with_repeats: bool) -> Vec<WatchedPage> {
    let mut printer = PagePrinter::new();
    let mut print = |(number, (whole, text)): (usize, (&String, &String))| {
        let print = printer.print(text.as_bytes());
        let mut signals = shingles(text, shingling);
        if !with_repeats {
            make_set(&mut signals);
        }
        let simhash = SimHash64::of(signals.into_iter().map(|hash| (hash, 1))).0;
        let near = (print.words >= WORDS_MIN).then_some(NearPrint { simhash, check: print.check });
        let digest = printer.digest(whole.as_bytes());
        WatchedPage { id: number as u32, site: 0, digest, near }
    };
    corpus.texts.iter().zip(texts).enumerate().map(&mut print).collect()
}

/// How many pages are rightly and wrongly marked.
fn marks(truth: &Truth, prints: &[WatchedPage]) -> (usize, usize) {
    let folder = std::env::temp_dir().join(format!("print-forms-{}", std::process::id()));
    let mut watch = CopyWatch::new(&folder, 1 << 30).expect("a folder can be made");
    let (mut found, mut wrong) = (0, 0);
    for (page, print) in prints.iter().enumerate() {
        let original = match watch.see(*print).expect("all is in memory") {
            Some(CopyFound::Exact(original) | CopyFound::Near(original, _)) => original as usize,
            None => continue,
        };
        match truth.kinship(original, page) {
            Kinship::Copies => found += 1,
            Kinship::Others => wrong += 1,
            Kinship::Neither => {}
        }
    }
    drop(watch);
    let _ = std::fs::remove_dir_all(&folder);
    (found, wrong)
}

fn wrong_pairs(truth: &Truth, prints: &[WatchedPage]) -> usize {
    // Equal SimHashes are looked at once per pair of pages all the same: they are what is counted.
    let simhashes: Vec<Option<u64>> =
        prints.iter().map(|print| print.near.map(|near| near.simhash)).collect();
    let mut count = 0;
    for (page, simhash) in simhashes.iter().enumerate() {
        let Some(simhash) = simhash else { continue };
        for (earlier, other) in simhashes[..page].iter().enumerate() {
            if other.is_some_and(|other| hamming(*simhash, other) <= COPY_DISTANCE_MAX) {
                count += usize::from(truth.kinship(earlier, page) == Kinship::Others);
            }
        }
    }
    count
}

/// Machine-made pages.
mod made {
    use super::{Corpus, HashMap};

    pub const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    pub const DAYS: [&str; 7] =
        ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

    /// Numbers without end, and words made of them.
    struct Random(u64);

    impl Random {
        fn next(&mut self, below: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % below
        }

        /// Frequent words are more frequent, as in a language.
        fn word(&mut self) -> String {
            const SYLLABLES: [&str; 16] = [
                "ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo", "ar",
                "en",
            ];
            let most = [40, 400, 4000][self.next(3)];
            let mut number = self.next(most) + 16;
            let mut word = String::new();
            while number > 0 {
                word += SYLLABLES[number % 16];
                number /= 16;
            }
            word
        }

        fn words(&mut self, count: usize) -> String {
            (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
        }

        fn date(&mut self) -> String {
            let (day, month, year) = (self.next(28) + 1, MONTHS[self.next(12)], 2015 + self.next(12));
            format!("{} {day} {month} {year} {:02}:{:02}", DAYS[self.next(7)], self.next(24), self.next(60))
        }
    }

    /// Puts pages of classes together, in an order that does not tell the classes.
    fn corpus(name: &str, pages: Vec<(String, String)>) -> Corpus {
        let mut random = Random(7);
        let mut pages: Vec<(usize, (String, String))> =
            pages.into_iter().map(|page| (random.next(1 << 30), page)).collect();
        pages.sort();
        let mut numbers = HashMap::new();
        let (mut texts, mut classes) = (Vec::new(), Vec::new());
        for (_, (class, text)) in pages {
            let next = numbers.len();
            classes.push(*numbers.entry(class).or_insert(next));
            texts.push(text);
        }
        Corpus { name: name.to_owned(), texts, classes: Some(classes) }
    }

    /// On each of six sites 60 empty months, 60 months with events and 80 empty days.
    pub fn calendars() -> Corpus {
        let (mut random, mut pages) = (Random(1), Vec::new());
        for site in 0..6 {
            let (menu, foot) = (random.words(40), random.words(30));
            for number in 0..60 {
                let title = format!("{} {}", MONTHS[number % 12], 2020 + number / 12);
                let days: Vec<String> = (1..=31).map(|day| day.to_string()).collect();
                let week = DAYS.map(|day| &day[..3]).join(" ");
                let grid = format!("{week} {}", days.join(" "));
                let around = |body: &str, today: String| {
                    format!(
                        "{menu}\n{title}\n{grid}\n{body}\nprevious month next month\n{foot}\ntoday is {today}"
                    )
                };
                pages.push((format!("months of {site}"), around("no events", random.date())));
                let events: Vec<String> =
                    (0..12).map(|_| format!("{} {}", random.date(), random.words(15))).collect();
                pages.push((format!("events {site} {number}"), around(&events.join("\n"), random.date())));
            }
            for _ in 0..80 {
                let (date, today) = (random.date(), random.date());
                let text = format!(
                    "{menu}\n{date}\nnothing is planned\nprevious day next day\n{foot}\ntoday is {today}"
                );
                pages.push((format!("days of {site}"), text));
            }
        }
        corpus("calendars", pages)
    }

    /// On each of four boards 60 threads in four views, and 60 profiles.
    pub fn forums() -> Corpus {
        let (mut random, mut pages) = (Random(2), Vec::new());
        for board in 0..4 {
            let (menu, foot) = (random.words(40), random.words(20));
            for thread in 0..60 {
                let title = random.words(6);
                let posts: Vec<String> = (0..3 + random.next(10))
                    .map(|post| {
                        let length = 10 + random.next(50);
                        let author = random.word();
                        format!(
                            "#{post} {author} posted {} posts {}\n{}",
                            random.date(),
                            random.next(5000),
                            random.words(length)
                        )
                    })
                    .collect();
                for view in 0..4 {
                    let posts = match view {
                        3 => posts.iter().rev().cloned().collect::<Vec<_>>().join("\n"),
                        _ => posts.join("\n"),
                    };
                    let counts = format!(
                        "{} views, {} users online, made in 0.{:04} seconds on {}",
                        random.next(100_000),
                        random.next(900),
                        random.next(10_000),
                        random.date()
                    );
                    pages.push((
                        format!("thread {board} {thread}"),
                        format!("{menu}\n{title}\n{posts}\n{foot}\n{counts}"),
                    ));
                }
                let profile = format!(
                    "{menu}\nprofile of {}\njoined {} last seen {} posts {} points {}\n{}\n{foot}",
                    random.word(),
                    random.date(),
                    random.date(),
                    random.next(5000),
                    random.next(90_000),
                    random.words(40)
                );
                pages.push((format!("profile {board} {thread}"), profile));
            }
        }
        corpus("forums", pages)
    }

    /// 300 towns with forty years of four numbers each.
    pub fn tables() -> Corpus {
        let mut random = Random(3);
        let menu = random.words(20);
        let mut page = |number: usize| {
            let rows: Vec<String> = (1980..2020)
                .map(|year| {
                    let numbers: Vec<String> = (0..4).map(|_| random.next(1_000_000).to_string()).collect();
                    format!("{year} {}", numbers.join(" "))
                })
                .collect();
            let head = format!("population of {} year births deaths arrivals departures", random.words(2));
            (format!("town {number}"), format!("{menu}\n{head}\n{}", rows.join("\n")))
        };
        let pages = (0..300).map(&mut page).collect();
        corpus("tables", pages)
    }
}
