//! Interpreters of other languages: their code is noted, but not read.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::start::Launch;
use super::walk::{Input, Walker};
use crate::effects::UnclearWhat;
use crate::options::{Given, OptionTable, OptionsRead, read_options};
use crate::programs;
use crate::run::Run;
use crate::word::Word;

mod foreign;
mod more_code;
mod open_mode;
mod python;

/// A program that runs code of another language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interpreter {
    names: &'static str,
    options: OptionTable<'static>,
    /// Options whose value is code.
    code: &'static str,
    /// Options after which no script follows.
    no_script: &'static str,
    /// Whether the first operand is code: awk.
    code_first: bool,
    /// Words that must stand before a script: `deno run`.
    subcommand: &'static str,
}

const fn options(
    short_value: &'static str,
    short_optional: &'static str,
    long_value: &'static str,
) -> OptionTable<'static> {
    OptionTable {
        short_value,
        short_optional,
        long_value,
        stop_at_operand: true,
        ..OptionTable::NONE
    }
}

const fn interpreter(
    names: &'static str,
    options: OptionTable<'static>,
    code: &'static str,
    no_script: &'static str,
) -> Interpreter {
    Interpreter { names, options, code, no_script, code_first: false, subcommand: "" }
}

const INTERPRETERS: &[Interpreter] = &[
    interpreter(
        "python python2 python3 pypy pypy3 py",
        options("cmWXQ", "", "check-hash-based-pycs"),
        "c",
        "c m V h version help",
    ),
    interpreter(
        "node nodejs",
        options(
            "eprC",
            "",
            "eval print require import loader conditions env-file input-type experimental-loader",
        ),
        "e p eval print",
        "e p eval print v h version help test",
    ),
    Interpreter {
        subcommand: "run",
        ..interpreter(
            "deno",
            options("cL", "", "config import-map lock location seed"),
            "",
            "V h version help",
        )
    },
    Interpreter {
        subcommand: "run",
        ..interpreter(
            "bun",
            options("erc", "", "eval preload config cwd"),
            "e eval",
            "e eval v h version help",
        )
    },
    interpreter(
        "tsx ts-node",
        options("epP", "", "eval project"),
        "e p eval",
        "e p eval v h version help",
    ),
    // A number behind `-0` and `-l` is no part of the letters that follow: `perl -lne CODE`.
    interpreter("perl", options("eEImM", "iFVx", ""), "e E", "e E v V h version help"),
    interpreter("ruby", options("eIrCE", "iKFx", "encoding"), "e", "e h version help"),
    interpreter(
        "php",
        options("rBRFEfcdzSt", "", "run file define"),
        "r B R E run",
        "r B R E v i m h version help S",
    ),
    interpreter("lua luajit lua5.3 lua5.4", options("el", "", ""), "e", "e v"),
    interpreter("osascript", options("els", "", ""), "e", "e"),
    Interpreter {
        code_first: true,
        ..interpreter(
            "awk gawk mawk nawk",
            options("Fvfe", "", "field-separator assign file source"),
            "source e",
            "f file version help",
        )
    },
    interpreter("Rscript", options("eg", "", ""), "e", "e version help"),
    interpreter(
        "julia",
        options("eELpJ", "", "eval print load project"),
        "e E eval print",
        "e E eval print v version help",
    ),
    interpreter(
        "elixir groovy scala ghci",
        options("er", "", "eval"),
        "e eval",
        "e eval v version help",
    ),
    interpreter("tclsh wish expect", options("cf", "", ""), "c", "c"),
    interpreter("pwsh powershell", powershell(), "", ""),
    interpreter("cmd", powershell(), "", ""),
];

const fn powershell() -> OptionTable<'static> {
    options("", "", "")
}

/// Programs of other languages, each with the words behind which code stands.
const EVALUATORS: &[(&str, &[&str])] = &[
    ("bun", &["-e", "--eval", "-p", "--print"]),
    ("deno crystal", &["eval"]),
    ("mix rebar3 ocaml nim", &["-e", "--eval"]),
    ("guile", &["-c"]),
    (
        "racket clojure clj bb raku perl6 swift janet ghc runghc R kotlin kotlinc gnuplot",
        &["-e", "--eval"],
    ),
    ("iex emacsclient scheme chez ccl sbcl ecl clisp", &["-e", "-x", "--eval"]),
    ("octave octave-cli matlab", &["--eval", "-r", "-batch"]),
    ("erl", &["-eval"]),
    ("swipl", &["-g", "-t"]),
    ("ipython ipython3 xonsh nu", &["-c"]),
    ("irb groovysh jshell", &["-e"]),
];

/// Those of them that take code from their standard input if no file is named.
const SESSIONS: &str = "iex guile racket clojure clj bb raku swift janet R gnuplot scheme chez ccl sbcl ecl clisp octave \
    octave-cli matlab erl swipl ocaml deno kotlinc ipython ipython3 xonsh nu irb groovysh jshell";
/// Programs that take it from there if these are their last words, options apart, or stand anywhere if the first is an
/// option; without words, if they have none.
const ASKED_FOR_INPUT: [(&str, &[&str]); 13] = [
    ("nix-shell wsl wsl.exe", &[]),
    ("adb poetry pipenv flask", &["shell"]),
    ("rails", &["console"]),
    ("rails", &["c"]),
    ("rails", &["runner", "-"]),
    ("bun", &["-"]),
    ("bun uv", &["run", "-"]),
    ("awk gawk mawk nawk sed", &["-f", "-"]),
    ("awk gawk mawk nawk sed", &["-f", "/dev/stdin"]),
    ("awk gawk mawk nawk sed", &["-f-"]),
    ("awk gawk mawk nawk sed", &["--file=-"]),
    ("python python3", &["manage.py", "shell"]),
    ("npx", &["zx", "-"]),
];

/// Whether the words of a program are those of a row of [`ASKED_FOR_INPUT`].
fn asks_for_input(args: &[Word], words: &[&str]) -> bool {
    let args = args.iter().map(Word::known_prefix);
    let is_kept = |arg: &&str| !arg.starts_with('-') || *arg == "-" || words.contains(arg);
    let args: Vec<_> = args.filter(is_kept).collect();
    match words {
        [] => args.is_empty(),
        [first, ..] if first.starts_with('-') => {
            args.windows(words.len()).any(|some| some == words)
        }
        _ => args.ends_with(words),
    }
}

/// Options with which they do not: other code runs, which may read it.
const NO_SESSION: [&str; 6] = ["-M", "-X", "-T", "-noshell", "-noinput", "--file="];

/// Whether a program takes code from its standard input. What stands behind `-S` is code beside that: `iex -S mix`.
fn is_session(name: &str, args: &[Word]) -> bool {
    let starts =
        |word: &Word| NO_SESSION.iter().any(|start| word.known_prefix().starts_with(start));
    let known: Vec<_> = args.iter().map(Word::known_prefix).collect();
    let has_operand = known.iter().enumerate().any(|(at, word)| {
        let is_beside = at > 0 && known.get(at - 1).is_some_and(|before| *before == "-S");
        !is_beside && !word.starts_with('-')
    });
    SESSIONS.split_ascii_whitespace().any(|session| session == name)
        && !args.iter().any(starts)
        && !has_operand
}

/// The words of [`EVALUATORS`] and of [`ASKED_FOR_INPUT`] by the names of the programs.
static CODE_WORDS: LazyLock<HashMap<&'static str, CodeWords>> = LazyLock::new(|| {
    let mut all: HashMap<_, CodeWords> = HashMap::new();
    for (names, flags) in EVALUATORS {
        names.split_ascii_whitespace().for_each(|name| all.entry(name).or_default().flags = flags);
    }
    for (names, words) in ASKED_FOR_INPUT {
        names
            .split_ascii_whitespace()
            .for_each(|name| all.entry(name).or_default().asked.push(words));
    }
    all
});

/// Where the code of a program stands.
#[derive(Default)]
struct CodeWords {
    /// The words behind which it stands.
    flags: &'static [&'static str],
    /// The words with which it comes from the standard input.
    asked: Vec<&'static [&'static str]>,
}

/// The names of all interpreters.
pub(super) fn names() -> impl Iterator<Item = (&'static str, &'static Interpreter)> {
    let all = INTERPRETERS.iter();
    all.flat_map(|one| one.names.split_ascii_whitespace().map(move |name| (name, one)))
}

/// Returns the interpreter behind another name than those of [`names`]: `python3.12`, `PowerShell`.
pub(super) fn of_other_name(name: &str) -> Option<&'static Interpreter> {
    let version = name.strip_prefix("python3.").or_else(|| name.strip_prefix("python2."));
    let is_version =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let lower =
        name.bytes().any(|byte| byte.is_ascii_uppercase()).then(|| name.to_ascii_lowercase());
    let plain = match (version, &lower) {
        (Some(version), _) if is_version(version) => "python3",
        (_, Some(lower)) if is_windows(lower) => lower,
        _ => return None,
    };
    names().find(|(known, _)| *known == plain).map(|(_, interpreter)| interpreter)
}

fn is_windows(name: &str) -> bool {
    matches!(name, "pwsh" | "powershell" | "cmd")
}

impl Walker<'_> {
    /// Notes the code that stands behind a word of a program: `deno eval CODE`, `erl -eval CODE`, `guile -c CODE`.
    pub(super) fn evaluated_code(&mut self, name: &str, by: usize) {
        let Some(CodeWords { flags, asked }) = CODE_WORDS.get(name) else { return };
        let asks = |run: &Run| asked.iter().any(|words| asks_for_input(&run.args, words));
        if self.input != Input::Session && self.runs.get(by).is_some_and(asks) {
            return self.code_from_input(by, false, &[]);
        }
        if flags.is_empty() {
            return;
        }
        let args = self.runs.get(by).map(|run| run.args.clone()).unwrap_or_default();
        let mut has_code = false;
        for (at, word) in args.iter().enumerate() {
            let text = word.known_prefix();
            let mut behind = args.iter().skip(at + 1);
            let code = match text.split_once('=') {
                Some((flag, _)) if flags.contains(&flag) => {
                    Some(word.without_start(flag.len() + 1))
                }
                _ if !flags.contains(&text) || word.has_unknown() => None,
                _ if text.starts_with('-') => behind.next().cloned(),
                // `deno eval --ext=ts CODE`
                _ => behind.find(|word| !word.known_prefix().starts_with('-')).cloned(),
            };
            if let Some(code) = code {
                has_code = true;
                self.foreign_code(by, code);
            }
        }
        if !has_code && is_session(name, &args) {
            self.code_from_input(by, false, &[]);
        }
    }

    pub(super) fn interpreter(&mut self, interpreter: &Interpreter, args: &[Word], by: usize) {
        let name = self.name_of(by);
        if is_windows(&name.to_ascii_lowercase()) {
            self.windows_shell(&name, args, by);
            return;
        }
        let mut args = args;
        if !interpreter.subcommand.is_empty() {
            match args.split_first() {
                Some((first, rest)) if first.known().as_deref() == Some(interpreter.subcommand) => {
                    args = rest
                }
                Some((first, _))
                    if first.known_prefix().starts_with('-') || looks_like_file(first) => {}
                _ => return,
            }
        }
        let read = read_options(&interpreter.options, args);
        let mut codes: Vec<Word> = read.values(interpreter.code).cloned().collect();
        if interpreter.code.split(' ').any(|option| option == "e") {
            // Whatever the letters before it take, an `e` has code behind it: `perl -d:Trace -e CODE`, `node -pe CODE`,
            // `node -p -e CODE`.
            let ends_in_e = |word: &Word| {
                let text = word.known().unwrap_or_default();
                text.starts_with('-') && !text.starts_with("--") && text.ends_with(['e', 'E'])
            };
            let pairs = args.windows(2).filter_map(|pair| Some((pair.first()?, pair.get(1)?)));
            let behind = pairs.filter(|(word, _)| ends_in_e(word)).map(|(_, code)| code.clone());
            let others: Vec<Word> = behind.filter(|code| !codes.contains(code)).collect();
            codes.extend(others);
        }
        if interpreter.names == "ruby"
            && read.values("r").any(|library| library.known().as_deref() == Some("un"))
        {
            self.ruby_command(&codes, args.get(read.rest..).unwrap_or_default());
        }
        for code in codes {
            self.foreign_code(by, code);
        }
        let more = self.runs.get(by).is_some_and(|run| run.more_args);
        if more && read.has(interpreter.code) && read.value(interpreter.code).is_none() {
            self.unclear(
                UnclearWhat::Program,
                format!("the code that `{name}` runs is not known"),
                Some(by),
            );
        }
        if read.has(interpreter.no_script) {
            if interpreter.names.starts_with("python") {
                self.module(&name, &read, args);
            }
            return;
        }
        let script = args.get(read.rest);
        match script {
            Some(code) if interpreter.code_first => self.foreign_code(by, code.clone()),
            Some(file) if file.known().as_deref() == Some("-") => {
                self.code_from_input(by, false, &[]);
            }
            Some(file) => self.foreign_script(file, by),
            None if interpreter.code_first => {}
            None => self.code_from_input(by, false, &[]),
        }
    }
}

impl Walker<'_> {
    /// `ruby -run -e rm -- -r FOLDER`: the library `un` has methods that do what the programs of these names do.
    fn ruby_command(&mut self, codes: &[Word], args: &[Word]) {
        const PROGRAMS: [&str; 9] =
            ["cp", "ln", "mv", "rm", "mkdir", "rmdir", "install", "chmod", "touch"];
        for code in codes.iter().filter_map(Word::known) {
            let name = match code.trim() {
                "httpd" => "un-httpd",
                name if PROGRAMS.contains(&name) => name,
                _ => continue,
            };
            let words = [Word::text(name)].into_iter().chain(args.iter().cloned()).collect();
            self.run_by("ruby", |walker| walker.start(words, Launch::default()));
        }
    }

    /// `python -m pip install`: many modules are the program of that name.
    fn module(&mut self, python: &str, read: &OptionsRead<'_>, args: &[Word]) {
        let module = read.given.iter().find_map(|given| match given {
            Given::Option { name, value: Some(module), at, .. } if name == "m" => {
                Some((module.known()?.into_owned(), *at))
            }
            _ => None,
        });
        let Some((module, at)) = module.filter(|(module, _)| programs::is_listed(module)) else {
            return;
        };
        // Without its value in the same word: `-m pip`, `-Im pip`.
        let stands_apart =
            args.get(at + 1).is_some_and(|word| word.known().as_deref() == Some(&module))
                && args.get(at).is_some_and(|word| word.known_prefix().ends_with('m'));
        let rest = args.get(at + 1 + usize::from(stands_apart)..).unwrap_or_default();
        let words = [Word::text(module)].into_iter().chain(rest.iter().cloned()).collect();
        self.run_by(python, |walker| walker.start(words, Launch::default()));
    }
}

fn looks_like_file(word: &Word) -> bool {
    let written = word.written();
    written.contains(['.', '/']) || word.has_unknown()
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words of code, each with its place.
fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = code.get(at..)?;
        let start = at + rest.find(is_letter)?;
        let word = code.get(start..)?;
        let length = word.find(|c: char| !is_letter(c)).unwrap_or(word.len());
        at = start + length;
        Some((start, word.get(..length)?))
    })
}
