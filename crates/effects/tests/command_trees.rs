//! Promise: however a command is quoted and wrapped, its effects are those of the command, or unclear.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    reason = "a test may fail"
)]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};

use hookgate_effects::{Effects, Origin, PathEffect, Surroundings};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// A path in the tree.
#[derive(Debug, Clone)]
enum Path {
    Of(&'static str),
    /// The variable of the innermost loop.
    Variable,
}

/// A program with effects that everybody knows.
#[derive(Debug, Clone)]
enum Deed {
    Read(Path),
    Search(&'static str, Path),
    Remove(Path),
    RemoveAll(Path),
    Touch(Path),
    Tee(Path),
    Copy(Path, Path),
    Fetch(&'static str),
    Say(&'static str),
    SayTo(&'static str, Path),
}

#[derive(Debug, Clone)]
enum Tree {
    Deed(Deed),
    Pipe(Vec<Tree>),
    List(Vec<Tree>),
    Branch(Box<Tree>, Box<Tree>),
    Subshell(Box<Tree>),
    InFolder(&'static str, Box<Tree>),
    Loop(Vec<&'static str>, Box<Tree>),
    Function(Box<Tree>),
}

/// What a tree does; a path has a mark for what is below it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    reads: BTreeSet<(String, bool)>,
    writes: BTreeSet<(String, bool)>,
    deletes: BTreeSet<(String, bool)>,
    connects: BTreeSet<String>,
}

const PATHS: [&str; 14] = [
    "/x/a",
    "/x/a b",
    "/x/it's",
    "/x/$HOME",
    "/x/*",
    "/x/{a,b}",
    "rel",
    "~q",
    "#h",
    "/x/é",
    "a\\b",
    "q\"q",
    "new\nline",
    "/x/`id`",
];
const TEXTS: [&str; 8] =
    ["hello", "rm -rf /", "$(rm x)", "it's; rm x", "> out", "a & b | c", "", "`x`"];
const HOSTS: [&str; 3] = ["docs.rs", "evil.example", "10.0.0.1"];
const FOLDERS: [&str; 3] = ["/srv", "/srv/a b", "/opt/$x"];

fn path() -> impl Strategy<Value = Path> {
    prop_oneof![4 => prop::sample::select(&PATHS[..]).prop_map(Path::Of), 1 => Just(Path::Variable)]
}

fn deed() -> impl Strategy<Value = Deed> {
    let text = || prop::sample::select(&TEXTS[..]);
    prop_oneof![
        path().prop_map(Deed::Read),
        (text(), path()).prop_map(|(text, path)| Deed::Search(text, path)),
        path().prop_map(Deed::Remove),
        path().prop_map(Deed::RemoveAll),
        path().prop_map(Deed::Touch),
        path().prop_map(Deed::Tee),
        (path(), path()).prop_map(|(from, to)| Deed::Copy(from, to)),
        prop::sample::select(&HOSTS[..]).prop_map(Deed::Fetch),
        text().prop_map(Deed::Say),
        (text(), path()).prop_map(|(text, path)| Deed::SayTo(text, path)),
    ]
}

fn tree() -> impl Strategy<Value = Tree> {
    deed().prop_map(Tree::Deed).prop_recursive(4, 16, 3, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Tree::Pipe),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Tree::List),
            (boxed(), boxed()).prop_map(|(yes, no)| Tree::Branch(yes, no)),
            boxed().prop_map(Tree::Subshell),
            (prop::sample::select(&FOLDERS[..]), boxed())
                .prop_map(|(folder, body)| Tree::InFolder(folder, body)),
            (prop::collection::vec(prop::sample::select(&PATHS[..]), 1..4), boxed())
                .prop_map(|(words, body)| Tree::Loop(words, body)),
            boxed().prop_map(Tree::Function),
        ]
    })
}

impl Tree {
    /// Adds what the tree does, without any text of a shell in between.
    fn does(&self, folder: &str, variable: &str, told: &mut Told) {
        match self {
            Self::Deed(deed) => deed.does(folder, variable, told),
            Self::Pipe(trees) | Self::List(trees) => {
                trees.iter().for_each(|tree| tree.does(folder, variable, told));
            }
            Self::Branch(yes, no) => {
                yes.does(folder, variable, told);
                no.does(folder, variable, told);
            }
            Self::Subshell(tree) | Self::Function(tree) => tree.does(folder, variable, told),
            Self::InFolder(folder, tree) => tree.does(folder, variable, told),
            Self::Loop(words, tree) => words.iter().for_each(|word| tree.does(folder, word, told)),
        }
    }
}

impl Deed {
    fn does(&self, folder: &str, variable: &str, told: &mut Told) {
        let absolute = |path: &Path| {
            let path = match path {
                Path::Of(path) => path,
                Path::Variable => variable,
            };
            if path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") }
        };
        let Told { reads, writes, deletes, connects } = told;
        match self {
            Self::Read(path) | Self::Search(_, path) => _ = reads.insert((absolute(path), false)),
            Self::Remove(path) => _ = deletes.insert((absolute(path), false)),
            Self::RemoveAll(path) => _ = deletes.insert((absolute(path), true)),
            Self::Touch(path) | Self::Tee(path) | Self::SayTo(_, path) => {
                writes.insert((absolute(path), false));
            }
            Self::Copy(from, to) => {
                reads.insert((absolute(from), false));
                writes.insert((absolute(to), false));
            }
            Self::Fetch(host) => _ = connects.insert((*host).to_owned()),
            Self::Say(_) => {}
        }
    }
}

/// Writes a tree as a command line, in one of many ways.
struct Renderer {
    seed: u64,
    /// The programs in the order of the text.
    names: Vec<String>,
    functions: usize,
    /// How many loops are around this point.
    loops: usize,
    /// A broken renderer forgets to quote.
    quotes: bool,
}

impl Renderer {
    fn pick(&mut self, count: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.seed % count
    }

    fn quote(&mut self, text: &str) -> String {
        if !self.quotes {
            return text.to_owned();
        }
        if text.chars().count() > 1 && self.pick(3) == 0 {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).skip(1).collect();
            let at = places[usize::try_from(self.pick(places.len() as u64)).expect("a place")];
            return self.quote(&text[..at]) + &self.quote(&text[at..]);
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        match self.pick(5) {
            0 if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
            1 => {
                let escape =
                    |c: char| if "\\\"$`".contains(c) { format!("\\{c}") } else { c.into() };
                format!("\"{}\"", text.chars().map(escape).collect::<String>())
            }
            2 if !text.is_empty() && !text.contains('\n') => {
                let escape = |c: char| if is_plain(c) { c.into() } else { format!("\\{c}") };
                text.chars().map(escape).collect()
            }
            3 => {
                let hexadecimal = self.pick(2) == 0;
                let escape = |c: char| match c {
                    'a'..='z' | '/' if !hexadecimal => c.to_string(),
                    c if c.is_ascii() && hexadecimal => format!("\\x{:02x}", u32::from(c)),
                    c if c.is_ascii() => format!("\\{:03o}", u32::from(c)),
                    c => c.to_string(),
                };
                format!("$'{}'", text.chars().map(escape).collect::<String>())
            }
            _ => format!("'{}'", text.replace('\'', "'\\''")),
        }
    }

    fn path(&mut self, path: &Path) -> String {
        match path {
            Path::Of(path) => self.quote(path),
            Path::Variable if self.loops > 0 => match self.pick(2) {
                0 => format!("\"$i{}\"", self.loops),
                _ => format!("\"${{i{}}}\"", self.loops),
            },
            Path::Variable => self.quote("/unset"),
        }
    }

    fn program(&mut self, name: &str) -> String {
        self.names.push(name.to_owned());
        self.quote(name)
    }

    /// Words that run the program behind them.
    fn wrappers(&mut self) -> String {
        const WRAPPERS: [&[&str]; 9] = [
            &["sudo", "-u", "root"],
            &["sudo"],
            &["env", "A=1", "B=2"],
            &["timeout", "-k", "1", "5"],
            &["nohup"],
            &["nice", "-n", "3"],
            &["stdbuf", "-oL"],
            &["setsid"],
            &["command"],
        ];
        let mut text = String::new();
        while self.pick(4) == 0 {
            let at = usize::try_from(self.pick(WRAPPERS.len() as u64)).expect("a place");
            let (name, words) = WRAPPERS[at].split_first().expect("a name");
            text += &self.program(name);
            for word in words {
                text += " ";
                text += &if word.contains('=') { (*word).to_owned() } else { self.quote(word) };
            }
            text += " ";
        }
        text
    }

    fn deed(&mut self, deed: &Deed) -> String {
        let mut text = self.wrappers();
        let (name, words): (_, Vec<String>) = match deed {
            Deed::Read(path) => ("cat", vec![self.path(path)]),
            Deed::Search(what, path) => {
                ("grep", vec![self.quote("-e"), self.quote(what), self.path(path)])
            }
            Deed::Remove(path) => ("rm", vec!["--".into(), self.path(path)]),
            Deed::RemoveAll(path) => ("rm", vec![self.quote("-rf"), self.path(path)]),
            Deed::Touch(path) => ("touch", vec![self.path(path)]),
            Deed::Tee(path) => ("tee", vec![self.quote("-a"), self.path(path)]),
            Deed::Copy(from, to) => ("cp", vec![self.path(from), self.path(to)]),
            Deed::Fetch(host) => {
                ("curl", vec!["-s".into(), self.quote(&format!("https://{host}/x"))])
            }
            Deed::Say(what) => ("echo", vec![self.quote(what)]),
            Deed::SayTo(what, path) => {
                ("echo", vec![self.quote(what), format!(">{}", self.path(path))])
            }
        };
        text += &self.program(name);
        for word in words {
            text += " ";
            text += &word;
        }
        text
    }

    /// Writes a tree as one command.
    fn command(&mut self, tree: &Tree) -> String {
        let wraps = self.pick(6);
        // A new shell does not know the variables of a loop.
        let wrapper = match wraps {
            0 => "eval",
            1 if self.loops == 0 => "sh",
            2 if self.loops == 0 => "bash",
            _ => return self.plain(tree),
        };
        let program = self.program(wrapper);
        let code = self.plain(tree);
        let code = self.quote(&code);
        if wrapper == "eval" { format!("{program} {code}") } else { format!("{program} -c {code}") }
    }

    fn plain(&mut self, tree: &Tree) -> String {
        match tree {
            Tree::Deed(deed) => self.deed(deed),
            Tree::Pipe(trees) => {
                let commands: Vec<String> = trees.iter().map(|tree| self.command(tree)).collect();
                format!("{{ {}; }}", commands.join(if self.pick(2) == 0 { " | " } else { "|" }))
            }
            Tree::List(trees) => {
                let mut text = String::from("{ ");
                for tree in trees {
                    text += &self.command(tree);
                    let joint = usize::try_from(self.pick(5)).expect("a place");
                    text += [" && ", "; ", "\n", " || ", " & "][joint];
                }
                self.names.push(":".to_owned());
                text + ":; }"
            }
            Tree::Branch(yes, no) => {
                self.names.push("true".to_owned());
                let yes = self.command(yes);
                format!("if true; then {yes}; else {}; fi", self.command(no))
            }
            Tree::Subshell(tree) => format!("( {} )", self.command(tree)),
            Tree::InFolder(folder, tree) => {
                let cd = self.program("cd");
                let folder = self.quote(folder);
                format!("({cd} {folder} && {})", self.command(tree))
            }
            Tree::Loop(words, tree) => {
                let words: Vec<String> = words.iter().map(|word| self.quote(word)).collect();
                self.loops += 1;
                let body = self.command(tree);
                let text = format!("for i{} in {}; do {body}; done", self.loops, words.join(" "));
                self.loops -= 1;
                text
            }
            Tree::Function(tree) => {
                self.functions += 1;
                let name = format!("f{}", self.functions);
                format!("{{ {name}() {{ {}; }}; {name}; }}", self.command(tree))
            }
        }
    }
}

fn of(effects: &Effects, left_out: &str) -> Told {
    let paths = |list: &[PathEffect]| {
        let kept = list.iter().filter(|effect| effect.by != left_out);
        kept.map(|effect| (effect.path.written(), effect.below)).collect()
    };
    Told {
        reads: paths(&effects.reads),
        writes: paths(&effects.writes),
        deletes: paths(&effects.deletes),
        connects: effects.connects.iter().map(|effect| effect.host.written()).collect(),
    }
}

/// Compares a tree with the effects of its text; returns whether they are told without anything unclear.
/// A broken reader leaves a program out.
fn compare(tree: &Tree, seed: u64, quotes: bool, left_out: &str) -> Result<bool, String> {
    let mut renderer =
        Renderer { seed: seed | 1, names: Vec::new(), functions: 0, loops: 0, quotes };
    let text = renderer.command(tree);
    let mut expected = Told::default();
    tree.does("/w", "/unset", &mut expected);
    let around = Surroundings { cwd: Some("/w".to_owned()), home: Some("/h".to_owned()) };
    let effects = Effects::of_command(&text, &around);
    // A path of which a part is not known is told to be so.
    let mut paths = effects.reads.iter().chain(&effects.writes).chain(&effects.deletes);
    if !effects.unclear.is_empty() || paths.any(|effect| effect.path.has_unknown()) {
        return Ok(false);
    }
    let runs = effects.runs.iter().filter(|run| run.origin == Origin::Text);
    let names: Vec<_> = runs.filter_map(hookgate_effects::Run::name).collect();
    let read = of(&effects, left_out);
    if read == expected && names == renderer.names {
        return Ok(true);
    }
    Err(format!("{text}\n  is  {expected:?} {:?}\n  read {read:?} {names:?}", renderer.names))
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
}

fn check(cases: u32, quotes: bool, left_out: &str) -> Result<u32, String> {
    let unclear = AtomicU32::new(0);
    let compared = runner(cases).run(&(tree(), any::<u64>()), |(tree, seed)| {
        match compare(&tree, seed, quotes, left_out) {
            Ok(told) => {
                unclear.fetch_add(u32::from(!told), Ordering::Relaxed);
                Ok(())
            }
            Err(why) => Err(TestCaseError::fail(why)),
        }
    });
    compared.map_err(|error| error.to_string())?;
    Ok(unclear.into_inner())
}

#[test]
fn effects_are_those_of_the_tree_or_unclear() {
    let cases = 2_000;
    let unclear = check(cases, true, "").unwrap_or_else(|why| panic!("{why}"));
    println!("{unclear} of {cases} are unclear");
    assert!(unclear * 20 <= cases, "{unclear} of {cases} are unclear");
}

/// The comparison is not blind: mistakes of the reader and of the renderer are found.
#[test]
fn a_broken_reader_or_renderer_is_found() {
    for program in ["rm", "cat", "touch"] {
        assert!(check(2_000, true, program).is_err(), "a reader without {program}");
    }
    assert!(check(2_000, false, "").is_err(), "a renderer without quotes");
}
