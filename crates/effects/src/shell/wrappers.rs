//! Programs that run other programs.

use std::rc::Rc;

use super::builtins::joined;
use super::code::quoted;
use super::start::Launch;
use super::walk::{Input, Walker};
use crate::effects::UnclearWhat;
use crate::line_files::{Leads, LineFiles};
use crate::options::{Given, OptionsRead, read_options};
use crate::paths::absolute;
use crate::paths::join;
use crate::word::Word;

mod env;
mod find;
mod places;
pub(super) mod runners;
pub(super) mod table;
mod users;
mod xargs;

use table::{Shape, Wrapper};

/// Wrappers that start a shell if no program is named.
const START_SHELLS: [&str; 6] = ["chroot", "unshare", "nsenter", "fakeroot", "fakechroot", "sg"];

/// A program that runs others in a way of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    Env,
    Find,
    Fd,
    Xargs,
    Parallel,
    Su,
    Flock,
    Watch,
    Script,
    Ssh,
    Runner,
}

impl Special {
    /// Names, and what they are. The task runners have a table of their own.
    pub(super) const NAMES: &[(&str, Self)] = &[
        ("env genv", Self::Env),
        ("find gfind", Self::Find),
        ("fd fdfind", Self::Fd),
        ("xargs gxargs", Self::Xargs),
        ("parallel rush", Self::Parallel),
        ("su runuser", Self::Su),
        ("flock", Self::Flock),
        ("watch", Self::Watch),
        ("script", Self::Script),
        ("ssh autossh mosh", Self::Ssh),
    ];
}

impl Walker<'_> {
    pub(super) fn special(
        &mut self,
        special: Special,
        name: &str,
        args: &[Word],
        by: usize,
        env: &[(String, Word)],
    ) {
        match special {
            Special::Env => self.env(name, args, by, env),
            Special::Find => self.find(name, args, by),
            Special::Fd => self.fd(name, args, by),
            Special::Xargs => self.xargs(name, args, by),
            Special::Parallel => self.parallel(name, args, by),
            Special::Su => self.su(name, args, by),
            Special::Flock => self.flock(name, args, by),
            Special::Watch => self.watch(name, args, by),
            Special::Script => self.script_program(name, args, by),
            Special::Ssh => self.ssh(name, args, by),
            Special::Runner => {
                self.runner(name, args, by);
                self.carriers(name, args, by);
                self.database_of_service(name, by);
            }
        }
    }

    /// A wrapper of the table.
    pub(super) fn wrapper(
        &mut self,
        wrapper: &Wrapper,
        name: &str,
        args: &[Word],
        by: usize,
        env: &[(String, Word)],
    ) {
        let read = read_options(&wrapper.options, args);
        if read.has(wrapper.stop) {
            return;
        }
        self.check_options(&read, args, name, by);
        for code in read.values(wrapper.code) {
            let code = code.clone();
            self.run_by(name, |walker| walker.code_in_new_shell(&code, by, None, None, &[]));
        }
        let mut rest = args.get(read.rest..).unwrap_or_default();
        let mut launch =
            Launch { env: env.to_vec(), more_args: wrapper.more_args, ..Launch::default() };
        if wrapper.shape == Shape::Assignments {
            rest = take_assignments(rest, &mut launch.env);
        }
        let skip = match wrapper.shape {
            Shape::Program { skip } | Shape::Code { skip } => skip,
            Shape::Assignments => 0,
            Shape::Codes => {
                let operands: Vec<Word> = read.operands().cloned().collect();
                for code in &operands {
                    let go = |walker: &mut Self| {
                        walker.code_in_new_shell(code, by, None, None, &[]);
                    };
                    self.run_by(name, go);
                }
                return;
            }
            Shape::Nothing => return,
        };
        let rest = rest.get(skip..).unwrap_or_default();
        self.check_splits(args, rest, name, by);
        let folder = read.value(wrapper.folder).cloned();
        let root = if name == "chroot" { args.get(read.rest).cloned() } else { None };
        let outer = root.map(|root| self.change_root(&root));
        self.in_folder(folder.as_ref(), |walker| match wrapper.shape {
            Shape::Code { .. } if !rest.is_empty() => {
                let code = joined(rest.iter());
                walker.run_by(name, |walker| walker.code_in_new_shell(&code, by, None, None, &[]));
            }
            _ if rest.is_empty() && read.has("i s login shell") && wrapper.names != "nice" => {
                // A shell of that user, which reads its input.
                walker.start_by(name, &[Word::text("sh")], launch);
            }
            _ if rest.is_empty() && START_SHELLS.contains(&name) => walker.fed_shell(name),
            _ => walker.start_rest(name, rest, launch, read.has("i s login shell"), by),
        });
        if let Some(outer) = outer {
            self.names = outer;
        }
    }

    /// Makes a folder the root of what runs next, and returns the names that the line had made before.
    fn change_root(&mut self, root: &Word) -> LineFiles {
        let outer = self.names.clone();
        let target = absolute(root, self.state.cwd.as_deref());
        self.names.add(Word::text("/"), target, Leads::Mounted);
        outer
    }

    /// Starts a shell that a program starts by itself, if this line gives it something to read.
    fn fed_shell(&mut self, name: &str) {
        if self.input != Input::Session {
            self.start_by(name, &[Word::text("sh")], Launch::default());
        }
    }

    /// Starts the program that the rest of the words names. With `as_code` one word with blanks is code.
    fn start_rest(&mut self, name: &str, rest: &[Word], launch: Launch, as_code: bool, by: usize) {
        match rest {
            [] => {}
            [one] if as_code && one.written().contains([' ', ';', '|', '&']) => {
                self.run_by(name, |walker| {
                    walker.code_in_new_shell(one, by, None, None, &launch.env)
                });
            }
            rest => self.start_by(name, rest, launch),
        }
    }

    /// An option that the table does not list may take the next word.
    pub(super) fn check_options(
        &mut self,
        read: &OptionsRead<'_>,
        args: &[Word],
        name: &str,
        by: usize,
    ) {
        for given in &read.given {
            let (option, word) = match given {
                Given::Option { name, listed: false, value: None, at, .. } => {
                    (name.to_string(), args.get(*at))
                }
                Given::Unknown { word, .. } => (word.written(), None),
                _ => continue,
            };
            let shown = word.map_or(option, Word::written);
            let why = format!(
                "`{name}` has the option {}, which is not known to its reader",
                quoted(&shown)
            );
            self.unclear(UnclearWhat::Program, why, Some(by));
        }
    }

    /// A word before the program that may be several words may name another one: `timeout $T rm`.
    pub(super) fn check_splits(&mut self, args: &[Word], rest: &[Word], name: &str, by: usize) {
        let before = args.len().saturating_sub(rest.len());
        let splits = |word: &&Word| word.splits() && word.known_prefix().is_empty();
        let Some(word) = args.iter().take(before).find(splits) else { return };
        let written = quoted(&word.written());
        let why =
            format!("which program `{name}` runs is not known: {written} may be several words");
        self.unclear(UnclearWhat::Program, why, Some(by));
    }

    /// Goes through something that runs in another folder.
    pub(super) fn in_folder(&mut self, folder: Option<&Word>, go: impl FnOnce(&mut Self)) {
        let Some(folder) = folder else {
            let state = Rc::clone(&self.state);
            go(self);
            self.state = state;
            return;
        };
        let state = Rc::clone(&self.state);
        self.change().cwd = folder.known().and_then(|folder| join(state.cwd.as_deref(), &folder));
        go(self);
        self.state = state;
    }
}

/// Takes the words `NAME=value` from the beginning.
pub(super) fn take_assignments<'w>(words: &'w [Word], env: &mut Vec<(String, Word)>) -> &'w [Word] {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        let Some((name, _)) =
            first.known_prefix().split_once('=').filter(|(name, _)| !name.is_empty())
        else {
            break;
        };
        env.push((name.to_owned(), first.without_start(name.len() + 1)));
        rest = after;
    }
    rest
}
