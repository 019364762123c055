//! Inside a crate, too, arrows go one way: no module imports another that imports it, directly or by a detour.
//!
//! Whoever reads a module can then read what it stands on first, and whoever moves one knows what moves with it. An arrow
//! is a `use`, or a path in the code, to where a thing is defined: through whatever re-exports it. Between a module and
//! the modules inside it there are arrows both ways by nature; they do not count. Tests do not count either.
//!
//! It stands here for the same reason as `arrows.rs`. The sources are scanned by hand, as far as our own way of writing
//! needs it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Crates that still have cycles. Nobody joins them; who mends one takes it off.
const STILL_TANGLED: &[&str] = &[];

/// The names from the root of a crate to a module.
type ModulePath = Vec<String>;

/// What a `use` makes known: a path, under its last name or another.
#[derive(Debug, PartialEq, Eq)]
struct Import {
    name: String,
    path: Vec<String>,
    is_handed_on: bool,
}

/// All modules of a crate, each with what it imports.
struct Crate(BTreeMap<ModulePath, Vec<Import>>);

impl Crate {
    fn read(sources: &Path) -> Self {
        let mut files = Vec::new();
        gather(sources, &mut files);
        let modules: Vec<(ModulePath, Vec<String>)> = files
            .iter()
            .map(|file| {
                let text = fs::read_to_string(file).expect("sources are text");
                (module_path(sources, file), without_tests(&tokens(&text)))
            })
            .collect();
        let paths: BTreeSet<ModulePath> = modules.iter().map(|(path, _)| path.clone()).collect();
        let imports = |(path, tokens): (ModulePath, Vec<String>)| {
            let is_child = |name: &String| paths.contains(&[&path[..], std::slice::from_ref(name)].concat());
            let found = imports(&tokens, is_child);
            (path, found)
        };
        Self(modules.into_iter().map(imports).collect())
    }

    /// A path as seen from the root of the crate; nothing if it leads to another crate.
    fn absolute(&self, from: &ModulePath, path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([from, rest].concat()),
            "super" => {
                let ups = path.iter().take_while(|name| *name == "super").count();
                let base = &from[..from.len().checked_sub(ups)?];
                Some([base, &path[ups..]].concat())
            }
            _ => {
                let is_child = self.0.contains_key(&[&from[..], std::slice::from_ref(first)].concat());
                is_child.then(|| [&from[..], path].concat())
            }
        }
    }

    /// The module in which the thing at the end of a path is defined.
    fn owner(&self, path: &[String], detours: u32) -> Option<ModulePath> {
        let length = (0..=path.len()).rev().find(|length| self.0.contains_key(&path[..*length]))?;
        let (module, rest) = (path[..length].to_vec(), &path[length..]);
        let Some(name) = rest.first().filter(|_| detours < 9) else { return Some(module) };
        for import in self.0[&module].iter().filter(|import| import.is_handed_on) {
            if import.name == *name {
                return self.owner(&self.absolute(&module, &import.path)?, detours + 1);
            }
            if import.name == "*" {
                let inside = [&import.path[..import.path.len() - 1], rest].concat();
                return self.owner(&self.absolute(&module, &inside)?, detours + 1);
            }
        }
        Some(module)
    }

    /// Which modules each module stands on.
    fn arrows(&self) -> BTreeMap<&ModulePath, BTreeSet<ModulePath>> {
        let target = |from: &ModulePath, import: &Import| {
            let owner = self.owner(&self.absolute(from, &import.path)?, 0)?;
            (!owner.starts_with(from) && !from.starts_with(&owner)).then_some(owner)
        };
        let arrows = |(from, imports): (&_, &Vec<Import>)| {
            imports
                .iter()
                .filter(|import| !import.is_handed_on)
                .filter_map(|import| target(from, import))
                .collect()
        };
        self.0.iter().map(|module| (module.0, arrows(module))).collect()
    }

    /// The modules that can be reached from themselves, with the arrows by which that is so.
    fn cycles(&self) -> Vec<String> {
        let arrows = self.arrows();
        let reachable = |from: &ModulePath| {
            let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
            while let Some(module) = next.pop() {
                next.extend(arrows[module].iter().filter(|target| seen.insert((*target).clone())));
            }
            seen
        };
        let reach: BTreeMap<_, _> = arrows.keys().map(|module| (*module, reachable(module))).collect();
        let mut cycles = Vec::new();
        for (module, targets) in &arrows {
            for back in targets.iter().filter(|target| reach[target].contains(*module)) {
                cycles.push(format!("{} → {}", module.join("::"), back.join("::")));
            }
        }
        cycles
    }
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            gather(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// `a/b.rs` and `a/b/mod.rs` are `a::b`.
fn module_path(sources: &Path, file: &Path) -> ModulePath {
    let relative = file.strip_prefix(sources).expect("it was found there").with_extension("");
    let mut path: ModulePath = relative.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    path.pop_if(|name| matches!(name.as_str(), "mod" | "lib" | "main"));
    path
}

/// Names, `::` and single signs; no comments, strings and lifetimes.
fn tokens(source: &str) -> Vec<String> {
    let (mut tokens, mut rest) = (Vec::new(), source);
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let length = match first {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("r#\"") => rest.find("\"#").map_or(rest.len(), |end| end + 2),
            _ if rest.starts_with("::") => 2,
            '"' => string_length(rest),
            '\'' if rest[1..].starts_with('\\') => 2 + rest[3..].find('\'').map_or(0, |end| end + 2),
            '\'' if rest.chars().nth(2) == Some('\'') => rest.chars().take(3).map(char::len_utf8).sum(),
            '\'' => 1 + rest[1..].find(|c| !is_name(c)).unwrap_or(rest.len() - 1),
            _ if is_name(first) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        let is_one = is_name(first) || token == "::" || (length == 1 && first.is_ascii_punctuation());
        if is_one {
            tokens.push(token.to_owned());
        }
        rest = behind;
    }
    tokens
}

fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (place, c) in text.char_indices().skip(1) {
        if c == '"' && !is_escaped {
            return place + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

/// What is not behind `#[cfg(test)]`.
fn without_tests(tokens: &[String]) -> Vec<String> {
    const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        if tokens[at..].iter().take(TEST.len()).eq(TEST.iter()) {
            let mut depth = 0;
            while at < tokens.len() {
                at += 1;
                let token = tokens.get(at - 1).map_or("", String::as_str);
                depth += i32::from(token == "{") - i32::from(token == "}");
                if depth == 0 && matches!(token, "}" | ";") {
                    break;
                }
            }
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// Every `use`, and every path in the code that begins in this crate.
fn imports(tokens: &[String], is_child: impl Fn(&String) -> bool) -> Vec<Import> {
    let (mut found, mut at) = (Vec::new(), 0);
    let is_at = |place: usize, token: &str| tokens.get(place).is_some_and(|found| found == token);
    while at < tokens.len() {
        let is_path = matches!(tokens[at].as_str(), "crate" | "self" | "super") || is_child(&tokens[at]);
        if tokens[at] == "use" && !is_at(at + 1, "<") {
            let is_handed_on = at > 0 && matches!(tokens[at - 1].as_str(), "pub" | ")");
            at += 1;
            read_use(tokens, &mut at, Vec::new(), is_handed_on, &mut found);
        } else if is_path && is_at(at + 1, "::") && !(at > 0 && tokens[at - 1] == "::") {
            let mut path = vec![tokens[at].clone()];
            while is_at(at + 1, "::") {
                at += 2;
                path.extend(tokens.get(at).cloned());
            }
            found.push(Import { name: String::new(), path, is_handed_on: false });
        } else {
            at += 1;
        }
    }
    found
}

/// Reads one tree of a `use` from where it begins to the sign behind it.
fn read_use(
    tokens: &[String],
    at: &mut usize,
    mut path: Vec<String>,
    is_handed_on: bool,
    found: &mut Vec<Import>,
) {
    let mut other_name = None;
    while let Some(token) = tokens.get(*at) {
        match token.as_str() {
            "," | ";" | "}" => break,
            "{" => {
                *at += 1;
                while tokens.get(*at).is_some_and(|token| token != "}") {
                    read_use(tokens, at, path.clone(), is_handed_on, found);
                    *at += usize::from(tokens.get(*at).is_some_and(|token| token == ","));
                }
                *at += 1;
                return;
            }
            "as" => {
                other_name = tokens.get(*at + 1).cloned();
                *at += 2;
            }
            "::" => *at += 1,
            _ => {
                path.push(token.clone());
                *at += 1;
            }
        }
    }
    if path.len() > 1 {
        path.pop_if(|name| name == "self");
    }
    let name = other_name.or_else(|| path.last().cloned()).unwrap_or_default();
    found.push(Import { name, path, is_handed_on });
}

#[test]
fn no_module_stands_on_one_that_stands_on_it() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut faults = Vec::new();
    for entry in fs::read_dir(crates).expect("the workspace has a folder of crates") {
        let folder = entry.expect("the folder can be read").path();
        let name = folder.file_name().expect("it has a name").to_string_lossy().into_owned();
        if folder.join("src").is_dir() && !STILL_TANGLED.contains(&name.as_str()) {
            let found = Crate::read(&folder.join("src"));
            assert!(found.0.contains_key(&ModulePath::new()), "crates/{name} has a root");
            faults.extend(found.cycles().into_iter().map(|arrow| format!("crates/{name}/src: {arrow}")));
        }
    }
    assert!(
        faults.is_empty(),
        "\nthese arrows are part of a cycle:\n{}\n\nwhat to do: find the one arrow that goes up, and move what it points \
         to further down, mostly a type that both need, into a file of its own; or let the upper module hand it in.\n",
        faults.join("\n")
    );
}

#[test]
fn arrows_are_found_through_re_exports_and_cycles_by_detours() {
    let dir = std::env::temp_dir().join(format!("crivello-rooms-{}", std::process::id()));
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod d;\npub use b::{Deep as Renamed, inner::Inner};"),
        ("a.rs", "use crate::{Renamed, Other};\n#[cfg(test)]\nmod tests { use crate::d::D; }"),
        ("b/mod.rs", "pub mod inner; pub(crate) use self::inner::Deep; // use crate::d::D;"),
        ("b/inner.rs", "use super::super::c::C; const TEXT: &str = \"crate::d::D\";"),
        ("c.rs", "fn f<'a>(_: &'a crate::a::A) -> char { '\"' } use std::fmt as d;"),
        ("d.rs", "use crate::a::{self, A}; use crate::Renamed;"),
    ];
    for (name, text) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    let cycles = Crate::read(&dir).cycles();
    fs::remove_dir_all(&dir).expect("the folder can be removed");
    assert_eq!(cycles, ["a → b::inner", "b::inner → c", "c → a"]);
}
