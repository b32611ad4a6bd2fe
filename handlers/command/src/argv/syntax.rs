//! How programs read their arguments: which option takes one, and what is opened or run.

use std::path::Path;

use super::{interpreters, wrappers};

/// What the argument of an option is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// Neither opened nor run.
    Data,
    /// A file that is opened: program text, settings, a library.
    File,
    /// A file that takes the place of the script or the program text.
    Program,
    /// A folder, or several behind each other with `:`, in which files are looked for.
    Folders,
    /// Program text.
    Code,
    /// Program text, behind which no option comes any more.
    LastCode,
    /// The name of a module, behind which no option comes any more.
    LastModule,
    /// A module that is looked for from the folder of the session, unless it is a path.
    Module,
    /// Several arguments in one.
    Split,
    /// No argument: the first operand is program text.
    OperandIsCode,
    /// No argument: the first operand is a file that is opened.
    OperandIsFile,
    /// No argument: the program comes from stdin, where the envelope is.
    Stdin,
    /// No argument: nothing is run at all, as with `--version`.
    Nothing,
    /// So many arguments that are neither opened nor run.
    Several(usize),
    /// A name and a file that is opened.
    NameAndFile,
    /// It runs what the folder of the session says.
    Local,
}

/// What stands behind the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// The script; without one the program reads it from stdin.
    Script,
    /// Program text, if no option gave it, and files that are opened.
    CodeAndFiles,
    /// So many operands, and a command that is run.
    Command(usize),
    /// The name of a program that is a part of this one.
    Applet,
}

/// How a program reads its arguments.
#[derive(Debug)]
pub(super) struct Syntax {
    pub(super) names: &'static [&'static str],
    /// Letters of options that stand alone.
    pub(super) flags: &'static str,
    /// Letters of options whose argument, if there is one, is in the same word.
    pub(super) glued: &'static str,
    /// Options with an argument: the rest of the word or the next one.
    pub(super) takes: &'static [(&'static str, Takes)],
    /// Long options that stand alone; one with a `*` stands for all that begin so.
    pub(super) alone: &'static [&'static str],
    pub(super) then: Then,
    /// Words before the script that are passed over, such as `run`.
    pub(super) verbs: &'static [(&'static str, Verb)],
    /// Whether options may begin with `+`.
    pub(super) plus: bool,
    /// Whether options are whole words behind one dash, as `-jar`.
    pub(super) words: bool,
    /// Whether options may stand behind operands.
    pub(super) permutes: bool,
    /// Whether a script may be a URL.
    pub(super) urls: bool,
}

/// What a word before the script means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// The script follows.
    Run,
    /// Program text follows.
    Code,
    /// It runs what the folder of the session says.
    Local,
}

impl Syntax {
    /// A syntax without options, in which a script comes first.
    pub(super) const NONE: Self = Self {
        names: &[],
        flags: "",
        glued: "",
        takes: &[],
        alone: &["--version", "--help"],
        then: Then::Script,
        verbs: &[],
        plus: false,
        words: false,
        permutes: false,
        urls: false,
    };

    /// What an option takes: the exact one, or a long one that was shortened.
    pub(super) fn find(&self, option: &str) -> Option<Takes> {
        let exact = self.takes.iter().find(|(name, _)| *name == option);
        let long = option.starts_with("--") && option.len() > 3;
        let shortened = || {
            let is_alone = self.alone.contains(&option);
            let mut all = self.takes.iter().filter(|(name, _)| name.starts_with(option));
            let first = all.next()?;
            (long && !is_alone && all.next().is_none()).then_some(first)
        };
        exact.or_else(shortened).map(|(_, takes)| *takes)
    }

    /// Whether a long option is known to stand alone.
    pub(super) fn stands_alone(&self, option: &str) -> bool {
        self.alone.iter().any(|known| match known.strip_suffix('*') {
            Some(beginning) => option.starts_with(beginning),
            None => *known == option,
        })
    }
}

/// The syntax of a program, known by its name or, where it is a link, by the name of its file.
pub(super) fn of(program: &Path) -> Option<&'static Syntax> {
    let by_name = |path: &Path| named(path.file_name()?.to_str()?);
    by_name(program).or_else(|| by_name(&program.canonicalize().ok()?))
}

/// The syntax of a program of this name, also with a version: `python3.13`.
pub(super) fn named(name: &str) -> Option<&'static Syntax> {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let known = |name: &str| {
        let interpreters = interpreters::FAMILIES.iter().copied().flatten();
        interpreters.chain(wrappers::ALL).find(|syntax| syntax.names.contains(&name))
    };
    known(name).or_else(|| known(bare))
}

/// Programs that take what they run from the folder in which they are started.
const LOCAL: &[&str] = &[
    "ant",
    "bundle",
    "bunx",
    "cargo",
    "composer",
    "fab",
    "gmake",
    "go",
    "gradle",
    "invoke",
    "just",
    "make",
    "mise",
    "mvn",
    "nox",
    "npm",
    "npx",
    "pipenv",
    "pnpm",
    "poetry",
    "pre-commit",
    "rake",
    "task",
    "tox",
    "uv",
    "yarn",
];

/// Programs that run others elsewhere: in a container, on another machine, under another root. What
/// they name is nothing that stands here.
const REMOTE: &[&str] =
    &["chroot", "docker", "flatpak", "kubectl", "lxc", "nerdctl", "nsenter", "oc", "podman", "ssh"];

/// Whether a program runs others elsewhere.
pub(super) fn is_remote(program: &Path) -> bool {
    program.file_name().and_then(|name| name.to_str()).is_some_and(|name| REMOTE.contains(&name))
}

/// Whether a program takes what it runs from the folder of the session.
pub(super) fn is_local(program: &Path) -> bool {
    program.file_name().and_then(|name| name.to_str()).is_some_and(|name| LOCAL.contains(&name))
}
