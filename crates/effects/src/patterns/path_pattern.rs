//! One pattern of paths.
//!
//! * `*` and `?` stop at a slash, `[a-z]` is a class, `{a,b}` are alternatives, `\` makes the next sign
//!   plain. The case of letters counts.
//! * `**` as a whole name is any number of folders: `**/x` also means `x`, `dir/**` also means `dir`.
//!   `dir/` is the same as `dir/**`.
//! * A pattern that begins with `/`, `~` or a folder variable is about that place. Any other one may start
//!   in any folder, as in `.gitignore`.
//!
//! # What lies below a path
//! Some effects reach everything below a path: `rm -r`, `tar`, `grep -r`. How such an effect meets a
//! pattern for something deeper:
//!
//! * The pattern names a place at or below the path, such as `~/.ssh/**` or `~/.claude/settings.json` for
//!   `~`: it is met.
//! * The pattern names a place and then a glob, such as `~/.ssh/id_*`: a removal meets it; whether
//!   something else meets it is unknown.
//! * The pattern names no place or any depth below one, such as `**/.env`: a removal of a whole
//!   project or home may meet it, which is unknown. Nothing else does: if it did, every
//!   `grep -r x .` would be a read of `.env`.

use super::deed::Deed;
use super::error::{PatternError, PatternFault, check_text};
use super::glob::{
    Set, Token, expand_braces, is_within, may_meet, push_below, read, read_shell, sample,
};
use super::other_syntax::check_path;
use super::truth::Truth;
use crate::effects::PathEffect;
use crate::word::{Word, WordPart};

/// The folders that patterns can name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folders {
    /// `~`
    pub home: Option<String>,
    /// `$cwd`: the folder of the session.
    pub cwd: Option<String>,
    /// `$project`: the nearest folder with `.git` or `.hookgate`, from the folder of the session upwards.
    pub project: Option<String>,
    /// `$config`: the folder of the configuration.
    pub config: Option<String>,
    /// `$tmp`: the folders for temporary files.
    pub tmp: Vec<String>,
}

impl Folders {
    /// Folders as a session may have them, for paths that are made up.
    pub(super) fn made_up() -> Self {
        Self {
            home: Some("/home/w".into()),
            cwd: Some("/home/w/x".into()),
            project: Some("/home/w/x".into()),
            config: Some("/home/w/.config/hookgate".into()),
            tmp: vec!["/tmp".into()],
        }
    }
}

/// Where a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    Anywhere,
    Root,
    Home,
    Cwd,
    Project,
    Config,
    Tmp,
}

/// One pattern, without `!`.
#[derive(Debug, Clone)]
pub(super) struct PathPattern {
    base: Base,
    tails: Vec<Tail>,
}

/// What follows the base, for one choice of the braces. Each name of a path begins with its slash,
/// and the root is the empty text.
#[derive(Debug, Clone)]
struct Tail {
    tokens: Vec<Token>,
    /// The text before the first wildcard.
    start: String,
    /// The text after the last wildcard.
    end: String,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Without wildcards.
    Exact,
    /// A text and `/**`.
    Below,
    /// `**` and a text.
    Ends,
    /// Anything else in one folder.
    Names,
    /// Anything else with a `**` that is not at its end.
    Deep,
}

impl PathPattern {
    /// Reads a pattern. With `folder`, what is in the path is meant as well.
    pub(super) fn parse(text: &str, folder: bool) -> Result<Self, PatternError> {
        check_text(text)?;
        check_path(text, |glob| Self::parse(glob, folder).is_ok())?;
        let (base, shift) = base(text)?;
        let rest = text.get(shift..).unwrap_or_default();
        let shifted = |error: PatternError| error.in_pattern(0, shift);
        let tails = expand_braces(rest)
            .map_err(shifted)?
            .iter()
            .map(|tail| Tail::parse(tail, base, folder).map_err(shifted))
            .collect::<Result<_, _>>()?;
        Ok(Self { base, tails })
    }

    /// Returns whether the path itself is meant.
    pub(super) fn matches(&self, path: &Word, folders: &Folders) -> Truth {
        self.each(folders, |base, tail| match path.known() {
            Some(known) => tail.takes(base, known.trim_end_matches('/')).into(),
            None => tail.meets(base, path),
        })
    }

    /// Returns whether an effect touches what is meant: the path itself, or something below it.
    pub(super) fn reaches(&self, effect: &PathEffect, deed: Deed, folders: &Folders) -> Truth {
        let itself = self.matches(&effect.path, folders);
        if itself == Truth::True {
            return itself;
        }
        // A star removes no more than its folder.
        if deed == Deed::Delete
            && let Some(path) = folder_of_globs(&effect.path)
        {
            let folder = PathEffect { path, below: true, ..effect.clone() };
            if self.reaches(&folder, deed, folders) == Truth::False {
                return Truth::False;
            }
        }
        if !effect.below {
            return itself;
        }
        let below = self.each(folders, |base, tail| {
            tail.lies_below(self.base == Base::Anywhere, base, effect, deed, folders)
        });
        itself.or(below)
    }

    /// Returns paths that are meant, and some below them: one for each choice of the braces.
    pub(super) fn samples(&self, folders: &Folders) -> Vec<String> {
        let base = match self.base {
            Base::Anywhere | Base::Root => Some(""),
            Base::Home => folders.home.as_deref(),
            Base::Cwd => folders.cwd.as_deref(),
            Base::Project => folders.project.as_deref(),
            Base::Config => folders.config.as_deref(),
            Base::Tmp => folders.tmp.first().map(String::as_str),
        };
        let tails = self.tails.iter().filter_map(|tail| sample(&tail.tokens));
        let whole = tails.map(|tail| format!("{}{tail}", base.unwrap_or_default()));
        // What is taken out may be the first path only.
        whole.flat_map(|path| [path.replace('w', "z"), format!("{path}/y/z.txt"), path]).collect()
    }

    /// Asks for each folder that the base can be and each choice of the braces.
    fn each(&self, folders: &Folders, ask: impl Fn(&str, &Tail) -> Truth) -> Truth {
        let ask_all = |base: &str| {
            let base = base.trim_end_matches('/');
            self.tails.iter().map(|tail| ask(base, tail)).max().unwrap_or(Truth::False)
        };
        match self.base {
            Base::Anywhere | Base::Root => ask_all(""),
            Base::Home => folders.home.as_deref().map_or(Truth::Unknown, ask_all),
            Base::Cwd => folders.cwd.as_deref().map_or(Truth::Unknown, ask_all),
            // Without a project or a configuration there is no such folder.
            Base::Project => folders.project.as_deref().map_or(Truth::False, ask_all),
            Base::Config => folders.config.as_deref().map_or(Truth::False, ask_all),
            Base::Tmp => {
                let each = folders.tmp.iter().map(|folder| ask_all(folder));
                each.max().unwrap_or(Truth::False)
            }
        }
    }
}

/// Returns where a pattern begins, and how many bytes of it say so.
fn base(text: &str) -> Result<(Base, usize), PatternError> {
    let first = text.split('/').next().unwrap_or_default();
    if let Some(user) = first.strip_prefix('~') {
        return if user.is_empty() {
            Ok((Base::Home, 1))
        } else {
            Err(PatternFault::OtherHome(first.to_owned()).at(0))
        };
    }
    let base = match first.strip_prefix('$') {
        None => return Ok((if first.is_empty() { Base::Root } else { Base::Anywhere }, 0)),
        Some("cwd") => Base::Cwd,
        Some("project") => Base::Project,
        Some("config") => Base::Config,
        Some("tmp") => Base::Tmp,
        Some("home" | "HOME") => Base::Home,
        Some(other) => return Err(PatternFault::Variable(other.to_owned()).at(0)),
    };
    Ok((base, first.len()))
}

impl Tail {
    fn parse(text: &str, base: Base, folder: bool) -> Result<Self, PatternError> {
        let mut tokens = Vec::new();
        let mut deep = false;
        if base == Base::Anywhere {
            push_below(&mut tokens);
            deep = true;
        }
        let mut offset = 0;
        for name in text.split('/') {
            match name {
                "" => {}
                "." | ".." => return Err(PatternFault::Dots.at(offset)),
                "**" => {
                    if !ends_below(&tokens) {
                        push_below(&mut tokens);
                    }
                }
                name => {
                    deep |= ends_below(&tokens);
                    tokens.push(Token::Char('/'));
                    let read = read(name, false).map_err(|error| error.in_pattern(0, offset))?;
                    tokens.extend(read);
                }
            }
            offset += name.len() + 1;
        }
        let is_folder = text.ends_with('/') && !(text == "/" && base == Base::Root);
        if (folder || is_folder) && !ends_below(&tokens) {
            push_below(&mut tokens);
        }
        let start = literal(tokens.iter());
        let end: String = literal(tokens.iter().rev()).chars().rev().collect();
        let length = tokens.len();
        let form = if start.chars().count() == length {
            Form::Exact
        } else if start.chars().count() + 2 == length && ends_below(&tokens) {
            Form::Below
        } else if end.chars().count() + 2 == length && matches!(tokens.first(), Some(Token::Enter))
        {
            Form::Ends
        } else if deep {
            Form::Deep
        } else {
            Form::Names
        };
        Ok(Self { tokens, start, end, form })
    }

    /// Returns whether a known path is meant.
    fn takes(&self, base: &str, path: &str) -> bool {
        let Some(rest) = path.strip_prefix(base) else { return false };
        if !rest.starts_with(&self.start) || !rest.ends_with(&self.end) {
            return false;
        }
        match self.form {
            Form::Exact => rest.len() == self.start.len(),
            Form::Below => matches!(rest.as_bytes().get(self.start.len()), None | Some(b'/')),
            Form::Ends => true,
            Form::Names | Form::Deep => {
                let text: Vec<Token> = rest.chars().map(Token::Char).collect();
                may_meet(&text, &self.tokens)
            }
        }
    }

    /// Returns whether a path that is not wholly known is meant.
    fn meets(&self, base: &str, path: &Word) -> Truth {
        let (one, other) = (tokens_of(path), self.from(base));
        if !may_meet(&one, &other) {
            Truth::False
        } else if is_within(&one, &other) {
            Truth::True
        } else {
            Truth::Unknown
        }
    }

    fn lies_below(
        &self,
        anywhere: bool,
        base: &str,
        effect: &PathEffect,
        deed: Deed,
        folders: &Folders,
    ) -> Truth {
        let mut area = tokens_of(&effect.path);
        push_below(&mut area);
        if !may_meet(&area, &self.from(base)) {
            return Truth::False;
        }
        let named: Vec<Token> =
            format!("{base}{}", self.place()).chars().map(Token::Char).collect();
        let names_it = !anywhere && !effect.path.has_unknown() && is_within(&named, &area);
        match (self.form, deed) {
            (Form::Ends | Form::Deep, Deed::Delete) if may_be_whole(&area, folders) => {
                Truth::Unknown
            }
            (Form::Ends | Form::Deep, _) => Truth::False,
            _ if effect.path.has_unknown() => Truth::Unknown,
            (Form::Exact | Form::Below, _) if names_it => Truth::True,
            (Form::Names, Deed::Delete) if names_it => Truth::True,
            (Form::Names, _) if names_it => Truth::Unknown,
            // A glob in the path of the command, which may or may not take the place of the pattern.
            (Form::Exact | Form::Below | Form::Names, _) => Truth::Unknown,
        }
    }

    /// The folders before the first wildcard.
    fn place(&self) -> &str {
        match self.form {
            Form::Exact | Form::Below => &self.start,
            _ => self.start.rsplit_once('/').map_or("", |(folder, _)| folder),
        }
    }

    fn from(&self, base: &str) -> Vec<Token> {
        base.chars().map(Token::Char).chain(self.tokens.iter().cloned()).collect()
    }
}

/// Returns the folder that the globs of the shell in a path stay in; `None` if it has none, or parts that are not
/// known.
fn folder_of_globs(path: &Word) -> Option<Word> {
    let is_glob = |part: &WordPart| match part {
        WordPart::Text(_) => false,
        WordPart::Glob(_) => true,
        WordPart::Unknown { written, .. } => written == "**",
    };
    let is_known = |part: &WordPart| is_glob(part) || matches!(part, WordPart::Text(_));
    if !path.parts.iter().any(is_glob) || !path.parts.iter().all(is_known) {
        return None;
    }
    let (folder, _) = path.known_prefix().rsplit_once('/')?;
    Some(Word::text(if folder.is_empty() { "/" } else { folder }))
}

/// Returns whether a whole home or project may lie in the area.
fn may_be_whole(area: &[Token], folders: &Folders) -> bool {
    [&folders.cwd, &folders.home, &folders.project].into_iter().flatten().any(|folder| {
        let folder: Vec<Token> = folder.trim_end_matches('/').chars().map(Token::Char).collect();
        may_meet(&folder, area)
    })
}

fn ends_below(tokens: &[Token]) -> bool {
    matches!(tokens, [.., Token::Enter, Token::Many(Set::Any)])
}

fn literal<'t>(tokens: impl Iterator<Item = &'t Token>) -> String {
    tokens
        .map_while(|token| match token {
            Token::Char(c) => Some(*c),
            _ => None,
        })
        .collect()
}

/// A path as tokens, the root as nothing.
fn tokens_of(path: &Word) -> Vec<Token> {
    let mut tokens = Vec::new();
    for part in &path.parts {
        match part {
            WordPart::Text(text) => tokens.extend(text.chars().map(Token::Char)),
            WordPart::Glob(glob) => {
                read_shell(glob, tokens.last() == Some(&Token::Char('/')), &mut tokens);
            }
            // `**` of a glob: `word.rs` has no part of its own for it.
            WordPart::Unknown { written, splits: false, .. } if written == "**" => {
                tokens.push(Token::Many(Set::Visible));
            }
            WordPart::Unknown { .. } => tokens.push(Token::Many(Set::Any)),
        }
    }
    if tokens.last() == Some(&Token::Char('/')) {
        tokens.pop();
    }
    tokens
}
