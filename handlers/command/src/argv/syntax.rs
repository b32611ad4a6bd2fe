//! How a program reads its arguments: which option takes one, and what the program opens or runs.
//!
//! A [`Syntax`] is data. The tables are in `interpreters/` and `wrappers`, and the code
//! that reads arguments by them is in `options` and `operands`. All lists of a syntax are texts of words with
//! spaces between, since none of these words can have a space.

/// What the argument of an option is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// Neither opened nor run: a number, a name, a pattern.
    Data,
    /// A file that is opened: program text, settings, a library.
    File,
    /// A file that takes the place of the script or the program text.
    Program,
    /// A folder, or several with `:` between, in which files are looked for.
    Folders,
    /// Program text.
    Code,
    /// Program text; no option follows it.
    LastCode,
    /// The name of a module; no option follows it.
    LastModule,
    /// A module that is looked for from the folder of the session, unless it is a path.
    Module,
    /// Several arguments in one text, as of `env -S`.
    Split,
    /// No argument: the first operand is program text.
    OperandIsCode,
    /// No argument: the first operand is a file that is opened.
    OperandIsFile,
    /// No argument: the program comes from stdin, where the envelope is.
    Stdin,
    /// No argument: the program prints something and exits, as with `--version`.
    Exits,
    /// This many arguments that are neither opened nor run.
    Several(usize),
    /// A name and a file that is opened.
    NameAndFile,
    /// It runs what the folder of the session says, as `node --run`.
    Local,
}

impl Takes {
    /// Returns how many arguments an option of this kind has, if it has any.
    pub(super) const fn count(self) -> usize {
        match self {
            Self::Several(count) => count,
            Self::NameAndFile => 2,
            _ => 1,
        }
    }

    /// Returns whether an option of this kind takes no argument, so that further letters may follow it in
    /// a word of short options.
    pub(super) const fn is_flag(self) -> bool {
        matches!(self, Self::OperandIsCode | Self::OperandIsFile | Self::Stdin | Self::Exits)
    }
}

/// What follows the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// The script; without one the program reads it from stdin.
    Script,
    /// Program text, if no option gave it, and files that are opened.
    CodeAndFiles,
    /// This many operands, and a command that is run.
    Command(usize),
    /// The name of a program that is a part of this one, as of `busybox`.
    Applet,
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

/// How a program reads its arguments.
#[derive(Debug)]
pub(super) struct Syntax {
    /// The names of the program.
    pub(super) names: &'static str,
    /// Letters of options that stand alone.
    pub(super) flags: &'static str,
    /// Letters of options whose argument, if there is one, is in the same word.
    pub(super) glued: &'static str,
    /// Options with an argument, by what it is; it is the rest of the word or the next word.
    pub(super) takes: &'static [(Takes, &'static str)],
    /// Long options that stand alone; one with a `*` covers all that begin like it.
    pub(super) alone: &'static str,
    /// What follows the options.
    pub(super) then: Then,
    /// Words before the script that are passed over, such as `run`.
    pub(super) verbs: &'static [(&'static str, Verb)],
    /// Whether options may begin with `+`.
    pub(super) plus: bool,
    /// Whether options are whole words behind one dash, as `-jar`.
    pub(super) words: bool,
    /// Whether options may follow operands.
    pub(super) permutes: bool,
    /// Whether a script may be a URL.
    pub(super) urls: bool,
}

impl Syntax {
    /// A syntax without options, in which a script comes first.
    pub(super) const NONE: Self = Self {
        names: "",
        flags: "",
        glued: "",
        takes: &[],
        alone: "--version --help",
        then: Then::Script,
        verbs: &[],
        plus: false,
        words: false,
        permutes: false,
        urls: false,
    };

    /// Returns whether a program of this name has this syntax.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.names.split(' ').any(|known| known == name)
    }

    /// Returns the usual name of the program.
    pub(super) fn first_name(&self) -> &'static str {
        self.names.split(' ').next().unwrap_or_default()
    }

    /// Returns what an option takes. A long option may be shortened as far as it stays the only one
    /// that begins so, as `getopt_long` reads it.
    pub(super) fn find(&self, option: &str) -> Option<Takes> {
        let options = || {
            let groups = self.takes.iter();
            groups.flat_map(|(takes, names)| names.split(' ').map(move |name| (name, *takes)))
        };
        if let Some((_, takes)) = options().find(|(name, _)| *name == option) {
            return Some(takes);
        }
        let is_long = option.starts_with("--") && option.len() > 3;
        if !is_long || self.alone.split(' ').any(|known| known == option) {
            return None;
        }
        let mut longer = options().filter(|(name, _)| name.starts_with(option));
        let (_, takes) = longer.next()?;
        longer.next().is_none().then_some(takes)
    }

    /// Returns whether a long option is known to stand alone.
    pub(super) fn stands_alone(&self, option: &str) -> bool {
        self.alone.split(' ').any(|known| match known.strip_suffix('*') {
            Some(beginning) => option.starts_with(beginning),
            None => known == option,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNTAX: Syntax = Syntax {
        takes: &[(Takes::Data, "-x --signal --size"), (Takes::File, "--file")],
        alone: "--quiet --no-*",
        ..Syntax::NONE
    };

    #[test]
    fn a_long_option_may_be_shortened_while_it_is_the_only_one() {
        assert_eq!(SYNTAX.find("-x"), Some(Takes::Data));
        assert_eq!(SYNTAX.find("--fi"), Some(Takes::File));
        assert_eq!(SYNTAX.find("--sig"), Some(Takes::Data));
        assert_eq!(SYNTAX.find("--si"), None);
        assert_eq!(SYNTAX.find("--quiet"), None);
        assert!(SYNTAX.stands_alone("--no-color") && !SYNTAX.stands_alone("--not"));
    }

    #[test]
    fn an_empty_list_names_no_program() {
        assert!(!Syntax::NONE.has_name("python"));
    }
}
