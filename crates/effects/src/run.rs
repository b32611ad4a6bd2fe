//! One program that a command line would run.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use crate::checkout::Checkout;
use crate::line_files::LineFiles;
use crate::word::Word;

/// One program that a command line would run, with everything that is known of it.
///
/// A wrapper is a run of its own, and what it starts is another one: `sudo rm x` has two.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// The word that names the program, as written: `/bin/rm`, `rm`, `$CMD`.
    pub program: Word,
    /// The words after it.
    pub args: Vec<Word>,
    /// Whether more words than these may follow, which come from elsewhere: `xargs`, `find -exec`.
    pub more_args: bool,
    /// The search that these words come from, if nothing else gives any: `find . | xargs`.
    pub search: Option<Arc<Run>>,
    /// The word that stands for what this search finds, as written, if it is no added word: `cat $(find .)`.
    pub search_word: Option<String>,
    /// Variables that are set for this run only: `A=1 make`, `env A=1 make`.
    pub env: Vec<(String, Word)>,
    /// The names of the programs that run this one, the outermost first: `sudo`, `env`, `sh`.
    pub via: Vec<String>,
    /// Where it runs.
    pub place: Place,
    /// The folder in which it runs, normalized and absolute; `None` if that is not known.
    pub cwd: Option<String>,
    /// Folders that must be there for `cwd` to be right, because nothing asks whether the `cd` to them has succeeded.
    pub doubtful: Vec<Doubt>,
    /// The names of files that the command line has made before: links, mounts, copies.
    pub files: LineFiles,
    /// Its redirections to files.
    pub redirects: Vec<Redirect>,
    /// Where the code comes from that this program would run, if not from words that were read:
    /// set for shells and interpreters only.
    pub code_from: Option<CodeFrom>,
    /// The file with the code that this program would run: `python x.py`, `bash x.sh`, `. x`.
    pub script: Option<Word>,
    /// Code of another language that stands in the words: `python -c CODE`.
    pub code: Option<Word>,
    /// Whether each program that this code starts is a run of its own, which follows.
    pub code_is_told: bool,
    /// The text that it reads on its standard input, if that stands in the line: a here-document, a here-string.
    pub document: Option<Word>,
    /// Whether the name may stand for another program than usual: an alias, a changed `PATH`.
    pub renamed: bool,
    /// Whether it is a command of PowerShell or cmd: what it does with files and hosts is told by the run of the
    /// program that does the same, which follows it.
    pub is_cmdlet: bool,
    /// Where its standard output goes.
    pub output: Output,
    /// How the run comes about.
    pub origin: Origin,
    /// Whether the call can succeed although this program did not run or has failed: the shell throws its exit
    /// status away, as in `cargo test || true`.
    pub status_lost: bool,
    /// Whether the file that it runs by path was written in this session; `None` if that is not known.
    pub written_in_session: Option<bool>,
    /// What the line has changed of what is checked out before it runs.
    pub checkouts: Vec<Checkout>,
}

impl Run {
    /// Returns the folders in which it works if a `cd` before has failed: those whose folder is not there now. `None` is one
    /// that is not known.
    pub(crate) fn stays_in(&self) -> Vec<Option<String>> {
        let missing: Vec<&Doubt> =
            self.doubtful.iter().filter(|doubt| !Path::new(&doubt.folder).is_dir()).collect();
        let mut folders: Vec<Option<String>> =
            missing.iter().map(|doubt| doubt.now.clone()).collect();
        // If the last one fails, those before it may have failed, too.
        for last in missing.iter().filter(|doubt| self.cwd.as_ref() == Some(&doubt.folder)) {
            let mut cwd = last.before.as_ref();
            for earlier in missing.iter().rev() {
                if cwd == Some(&earlier.folder) {
                    cwd = earlier.before.as_ref();
                }
            }
            if !folders.iter().any(|folder| folder.as_ref() == cwd) {
                folders.push(cwd.cloned());
            }
        }
        folders.retain(|folder| self.cwd.is_none() || *folder != self.cwd);
        folders
    }

    /// Returns the name of the program without its folder and without `.exe`; `None` if it is not known.
    #[must_use]
    pub fn name(&self) -> Option<Cow<'_, str>> {
        Some(match self.program.known()? {
            Cow::Borrowed(written) => Cow::Borrowed(name_of(written)),
            Cow::Owned(written) => Cow::Owned(name_of(&written).to_owned()),
        })
    }
}

fn name_of(written: &str) -> &str {
    let base = written.rsplit_once('/').map_or(written, |(_, base)| base);
    match base.len().checked_sub(".exe".len()).and_then(|at| base.split_at_checked(at)) {
        Some((stem, end))
            if [".exe", ".cmd", ".bat", ".com"].iter().any(|one| one.eq_ignore_ascii_case(end)) =>
        {
            stem
        }
        _ => base,
    }
}

/// How a run comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    /// The text names it as a program to run.
    #[default]
    Text,
    /// The same command of the text once more, with other words: a later round of a loop.
    Round,
    /// Another program runs it in a way of its own: because of an option or a variable
    /// (`git -c core.pager=…`, `PAGER=…`), or as a task runner (`npx`, `uv run`).
    Carried,
}

/// Where the standard output of a program goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Output {
    /// To where that of the shell goes.
    #[default]
    Shown,
    /// To a file, or to another descriptor.
    Elsewhere,
    /// To `/dev/null`.
    Nowhere,
    /// To the program of the run that follows, and to nothing else: `env | sort`.
    Pipe,
}

/// Where a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Place {
    /// On the machine of the session.
    #[default]
    Local,
    /// On another machine or in a container: its paths are not those of the session.
    Remote,
}

/// Where code comes from that cannot be read before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeFrom {
    /// From the network: `curl … | sh`, `npx github:a/b`.
    Network,
    /// From a program that decodes or transforms text: `base64 -d | sh`.
    Decoded,
    /// From standard input, whatever writes there.
    Stdin,
}

/// A folder in which something works only if the `cd` to it has succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// The folder.
    pub folder: String,
    /// In which folder the shell stays if it is not there; `None` if that is not known.
    pub before: Option<String>,
    /// To where what follows has led from that one since.
    pub now: Option<String>,
}

/// What a redirection does with its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `&>>`
    Write,
    /// `<>`
    ReadWrite,
}

/// A redirection to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// What it does.
    pub kind: RedirectKind,
    /// The file.
    pub target: Word,
}
