//! What a list of arguments runs and opens.
//!
//! A program runs in the folder of the session, which the judged party can write to. So whatever it
//! would run or open by a relative path is made absolute when the table is built, or refused.

mod interpreters;
mod names;
mod syntax;
mod text;
mod wrappers;

use std::path::{Path, PathBuf};

use crate::program::{self, ProgramError};
use names::{assigned, beside, is_stdin};
pub(crate) use names::{first_line, is_list, relative_entry};
use syntax::{Syntax, Takes, Then, Verb};
pub(crate) use text::{relative_path, warning};

/// Arguments in which nothing is left that the folder of the session could decide.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    pub(crate) args: Vec<String>,
    /// The programs that the first one runs.
    pub(crate) programs: Vec<PathBuf>,
    /// What is run or read as a part of a program: scripts, libraries, settings.
    pub(crate) scripts: Vec<PathBuf>,
    /// Other files of the config's folder that are named.
    pub(crate) others: Vec<PathBuf>,
    pub(crate) warnings: Vec<String>,
}

/// Finds what the arguments of a program name from the folder of the config.
///
/// # Errors
/// Where the program would run or open something by a relative path, and it is not there.
pub(crate) fn resolve(
    program: &Path,
    args: &[&str],
    base: &Path,
) -> Result<Resolved, ProgramError> {
    if base.to_str().is_none() {
        return Err(ProgramError::Base(base.to_owned()));
    }
    let mut reader = Reader {
        base,
        depth: 0,
        words: args.iter().map(|arg| Word { text: (*arg).to_owned(), done: false }).collect(),
        resolved: Resolved::default(),
    };
    reader.first_line(program)?;
    reader.program(program, 0)?;
    reader.rest(program);
    let Reader { words, mut resolved, .. } = reader;
    resolved.args = words.into_iter().map(|word| word.text).collect();
    Ok(resolved)
}

/// One argument.
struct Word {
    text: String,
    /// Whether it is known what it is.
    done: bool,
}

/// So many programs may stand one in the other: `env nice sh guard.sh` has three. A script whose first
/// line names itself would never come to an end.
const DEEPEST: usize = 16;

struct Reader<'a> {
    base: &'a Path,
    /// How many programs stand around the one that is read.
    depth: usize,
    words: Vec<Word>,
    resolved: Resolved,
}

/// What the options of a program told.
#[derive(Default)]
struct Seen {
    /// The program text was given, or a file with it.
    has_program: bool,
    operand_is_code: bool,
    operand_is_file: bool,
    nothing: bool,
    /// An option that is not known: the next word may be its argument or the first operand.
    unknown: Option<String>,
    /// Everything that follows is for the script.
    over: bool,
    isolated: bool,
}

impl Reader<'_> {
    fn word(&self, index: usize) -> Option<&str> {
        self.words.get(index).map(|word| word.text.as_str())
    }

    fn done(&mut self, index: usize) {
        if let Some(word) = self.words.get_mut(index) {
            word.done = true;
        }
    }

    /// Reads the arguments of a program, which begin at an index.
    fn program(&mut self, program: &Path, from: usize) -> Result<(), ProgramError> {
        if syntax::is_local(program) && !self.is_own_script(program) {
            self.resolved.warnings.push(format!(
                "`{}` takes what it runs from the folder of the session, where the judged party \
                 writes: name a program of your own",
                program.display()
            ));
        }
        match syntax::of(program).filter(|_| !self.is_own_script(program)) {
            Some(syntax) => self.arguments(syntax, program, from),
            None => self.unknown_program(program, from),
        }
    }

    /// Whether a program is a script beside the config. It may be called like another program.
    fn is_own_script(&self, program: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        let beside = real(program).zip(real(self.base)).is_some_and(|(it, at)| it.starts_with(at));
        beside && first_line(program).is_some()
    }

    /// An unknown program may be one that runs another.
    fn unknown_program(&mut self, program: &Path, from: usize) -> Result<(), ProgramError> {
        let named = |word: &str| {
            let name = Path::new(word).file_name()?.to_str()?;
            (!word.starts_with('-')).then(|| syntax::named(name))?
        };
        let found =
            (from..self.words.len()).find_map(|index| Some((index, named(self.word(index)?)?)));
        let Some((index, syntax)) = found else { return Ok(()) };
        // It may as well be any other word. What is certain is that nobody means a script of the
        // session.
        let before = (self.resolved.scripts.len(), self.resolved.warnings.len());
        let texts: Vec<_> = self.words.iter().map(|word| word.text.clone()).collect();
        let read = self.arguments(syntax, program, index + 1);
        match read {
            Err(ProgramError::Missing(path)) if text::is_script_name(&path) => {
                return Err(ProgramError::Missing(path));
            }
            Ok(()) => return Ok(()),
            Err(_) => {}
        }
        self.resolved.scripts.truncate(before.0);
        self.resolved.warnings.truncate(before.1);
        self.words = texts.into_iter().map(|text| Word { text, done: false }).collect();
        Ok(())
    }

    fn arguments(
        &mut self,
        syntax: &'static Syntax,
        program: &Path,
        from: usize,
    ) -> Result<(), ProgramError> {
        let mut seen = Seen::default();
        let mut index = self.options(syntax, from, &mut seen)?;
        if seen.nothing || seen.over {
            return Ok(());
        }
        match syntax.then {
            Then::Script => {
                while let Some((_, verb)) =
                    syntax.verbs.iter().find(|(verb, _)| Some(*verb) == self.word(index))
                {
                    self.done(index);
                    match verb {
                        Verb::Run => {}
                        Verb::Code => seen.operand_is_code = true,
                        Verb::Local => {
                            self.local(program, self.word(index).unwrap_or_default().to_owned());
                            return Ok(());
                        }
                    }
                    index = self.options(syntax, index + 1, &mut seen)?;
                }
                self.script(syntax, program, index, &seen)
            }
            Then::CodeAndFiles => self.code_and_files(syntax, program, index, &mut seen),
            Then::Command(operands) => self.command(program, index, operands, &seen),
            Then::Applet => {
                let name = self.word(index).map(str::to_owned);
                self.done(index);
                match name.as_deref().and_then(syntax::named) {
                    Some(applet) => self.arguments(applet, program, index + 1),
                    None => Ok(()),
                }
            }
        }
    }

    /// Reads options up to the first operand, and tells where that is.
    fn options(
        &mut self,
        syntax: &'static Syntax,
        from: usize,
        seen: &mut Seen,
    ) -> Result<usize, ProgramError> {
        let mut index = from;
        while let Some(word) = self.word(index).map(str::to_owned) {
            let plus = syntax.plus && word.starts_with('+') && word.len() > 1;
            if word == "--" {
                self.done(index);
                seen.unknown = None;
                return Ok(index + 1);
            }
            if word == "-" && matches!(syntax.then, Then::Command(_)) {
                index += 1;
                continue;
            }
            if !plus && (!word.starts_with('-') || word.len() == 1) {
                return Ok(index);
            }
            seen.unknown = None;
            index = if syntax.words || word.starts_with("--") {
                self.long(syntax, index, &word, seen)?
            } else {
                self.cluster(syntax, index, &word, seen)?
            };
            if seen.over {
                break;
            }
        }
        Ok(index)
    }

    /// A long option; tells where the next word is.
    fn long(
        &mut self,
        syntax: &'static Syntax,
        index: usize,
        word: &str,
        seen: &mut Seen,
    ) -> Result<usize, ProgramError> {
        let (name, value) =
            word.split_once('=').map_or((word, None), |(name, _)| (name, Some(name.len() + 1)));
        let lower = name.to_ascii_lowercase();
        let name = if syntax.words && syntax.find(name).is_none() { &lower } else { name };
        if let Some(takes) = syntax.find(name) {
            return self.take(syntax, name, takes, index, value, seen);
        }
        if value.is_none() && !syntax.stands_alone(name) {
            seen.unknown = Some(name.to_owned());
        }
        Ok(index + 1)
    }

    /// A word of short options; tells where the next word is.
    fn cluster(
        &mut self,
        syntax: &'static Syntax,
        index: usize,
        word: &str,
        seen: &mut Seen,
    ) -> Result<usize, ProgramError> {
        if let Some(takes) = syntax.find(word) {
            return self.take(syntax, word, takes, index, None, seen);
        }
        let sign = word.chars().next().unwrap_or('-');
        for (place, letter) in word.char_indices().skip(1) {
            let option = format!("{sign}{letter}");
            let rest = place + letter.len_utf8();
            if let Some(takes) = syntax.find(&option) {
                let is_flag = matches!(
                    takes,
                    Takes::OperandIsCode | Takes::OperandIsFile | Takes::Stdin | Takes::Nothing
                );
                let value = (rest < word.len() && !is_flag).then_some(rest);
                let next = self.take(syntax, &option, takes, index, value, seen)?;
                if !is_flag {
                    return Ok(next);
                }
            } else if syntax.glued.contains(letter) {
                break;
            } else if syntax.flags.contains(letter) {
                seen.isolated |= letter == 'I' || letter == 'P';
            } else {
                seen.unknown = Some(word.to_owned());
                break;
            }
        }
        Ok(index + 1)
    }

    /// The argument of an option, in the same word from `value` on or in the next; tells where the
    /// next word is.
    fn take(
        &mut self,
        syntax: &'static Syntax,
        option: &str,
        takes: Takes,
        index: usize,
        value: Option<usize>,
        seen: &mut Seen,
    ) -> Result<usize, ProgramError> {
        let (place, start) = value.map_or((index + 1, 0), |start| (index, start));
        match takes {
            Takes::OperandIsCode => seen.operand_is_code = true,
            Takes::OperandIsFile => seen.operand_is_file = true,
            Takes::Nothing => seen.nothing = true,
            Takes::Stdin => return Err(ProgramError::Envelope(option.to_owned())),
            _ => {}
        }
        if matches!(takes, Takes::OperandIsCode | Takes::OperandIsFile | Takes::Nothing) {
            return Ok(index + 1);
        }
        if takes == Takes::Local {
            self.local(Path::new(syntax.names.first().unwrap_or(&"")), option.to_owned());
            seen.over = true;
            return Ok(index + 1);
        }
        let text = self.word(place).and_then(|word| word.get(start..)).map(str::to_owned);
        let Some(text) = text else { return Ok(place) };
        self.done(place);
        match takes {
            Takes::File => self.open(place, start)?,
            Takes::Program => {
                seen.has_program = true;
                if is_stdin(&text) {
                    return Err(ProgramError::Envelope(format!("{option} {text}")));
                }
                self.open(place, start)?;
                // What follows is for the script.
                seen.over = syntax.then == Then::Script;
            }
            Takes::Folders => self.folders(option, place, start)?,
            Takes::Code | Takes::LastCode => {
                seen.has_program = true;
                seen.over = takes == Takes::LastCode;
                self.code(option, &text);
            }
            Takes::LastModule => {
                seen.over = true;
                self.python_module(&text, seen.isolated);
            }
            Takes::Module => self.module(syntax, option, place, start)?,
            Takes::Split => return self.split(place, start, index).map(|()| index),
            Takes::Several(count) => {
                (place..place + count).for_each(|place| self.done(place));
                return Ok(place + count);
            }
            Takes::NameAndFile => {
                self.done(place + 1);
                self.open(place + 1, 0)?;
                return Ok(place + 2);
            }
            _ => {}
        }
        Ok(place + 1)
    }

    /// The script of an interpreter.
    fn script(
        &mut self,
        syntax: &'static Syntax,
        program: &Path,
        index: usize,
        seen: &Seen,
    ) -> Result<(), ProgramError> {
        if seen.operand_is_code {
            let text = self.word(index).unwrap_or_default().to_owned();
            self.done(index);
            self.code("-c", &text);
            return Ok(());
        }
        if seen.has_program {
            return Ok(());
        }
        match self.word(index) {
            None => return Err(ProgramError::Envelope(program.display().to_string())),
            Some(script) if is_stdin(script) => {
                return Err(ProgramError::Envelope(format!("{} {script}", program.display())));
            }
            Some(script) if syntax.urls && script.contains("://") => {
                self.done(index);
                return Ok(());
            }
            Some(_) => {}
        }
        if let Some(option) = &seen.unknown {
            self.undecided(option, program, index)?;
        }
        self.open(index, 0)
    }

    /// Behind an option that is not known stands its argument or an operand. Either must not
    /// depend on the session.
    fn undecided(&self, option: &str, program: &Path, index: usize) -> Result<(), ProgramError> {
        let is_safe =
            |word: &str| Path::new(word).is_absolute() || beside(word, self.base, false).is_some();
        for index in [index, index + 1] {
            let Some(word) = self.word(index) else { continue };
            if !is_safe(word) && !word.starts_with('-') {
                return Err(ProgramError::Undecided {
                    option: option.to_owned(),
                    program: program.display().to_string(),
                    word: word.to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Program text and then files, as of `awk` and `jq`.
    fn code_and_files(
        &mut self,
        syntax: &'static Syntax,
        program: &Path,
        first: usize,
        seen: &mut Seen,
    ) -> Result<(), ProgramError> {
        let mut operands = Vec::new();
        let mut index = first;
        while index < self.words.len() {
            operands.push(index);
            index += 1;
            if syntax.permutes {
                index = self.options(syntax, index, seen)?;
            }
        }
        let mut operands = operands.into_iter();
        if seen.nothing {
            return Ok(());
        }
        if seen.operand_is_file || !seen.has_program {
            let Some(index) = operands.next() else { return Ok(()) };
            let text = self.word(index).unwrap_or_default().to_owned();
            self.done(index);
            if seen.operand_is_file {
                if is_stdin(&text) {
                    return Err(ProgramError::Envelope(format!("{} {text}", program.display())));
                }
                self.open(index, 0)?;
            } else {
                self.code(&program.display().to_string(), &text);
            }
        }
        // `jq --args` takes what follows as text.
        let is_text = |word: &Word| word.text == "--args" || word.text == "--jsonargs";
        if self.words.get(first..).unwrap_or_default().iter().any(is_text) {
            return Ok(());
        }
        for index in operands {
            let text = self.word(index).unwrap_or_default();
            // Neither stdin nor, in awk, a variable is a file.
            if !is_stdin(text) && !text.contains('=') && !text.is_empty() {
                self.done(index);
                self.open(index, 0)?;
            }
        }
        Ok(())
    }

    /// The command of a wrapper.
    fn command(
        &mut self,
        wrapper: &Path,
        from: usize,
        operands: usize,
        seen: &Seen,
    ) -> Result<(), ProgramError> {
        let mut index = from;
        for _ in 0..operands {
            self.done(index);
            index += 1;
        }
        while let Some((name, value)) = self.word(index).and_then(assigned) {
            if let Some(entry) = names::relative_entry(name, value) {
                return Err(ProgramError::Assigned { name: name.to_owned(), entry });
            }
            self.done(index);
            index += 1;
        }
        let Some(name) = self.word(index).map(str::to_owned) else { return Ok(()) };
        if let Some(option) = &seen.unknown {
            self.undecided(option, wrapper, index)?;
        }
        if self.depth >= DEEPEST {
            return Err(ProgramError::Deep { program: name, most: DEEPEST });
        }
        self.depth += 1;
        self.done(index);
        // Who becomes somebody else looks elsewhere.
        let other_path = (from..index)
            .any(|place| self.word(place).is_some_and(|word| word.starts_with("PATH=")))
            || wrapper.file_name().is_some_and(|name| name == "sudo" || name == "doas");
        let program = match program::find(&name, self.base) {
            Ok(program) => program,
            Err(ProgramError::NotInPath(_)) if other_path => PathBuf::from(&name),
            Err(error) => return Err(error),
        };
        if program.is_absolute() && !other_path {
            self.put(index, 0, &program);
            self.resolved.programs.push(program.clone());
        }
        self.first_line(&program)?;
        self.program(&program, index + 1)
    }

    /// A file that is opened: one of the config's folder, or an absolute path.
    fn open(&mut self, index: usize, start: usize) -> Result<(), ProgramError> {
        let Some(text) = self.word(index).and_then(|word| word.get(start..)) else {
            return Ok(());
        };
        if is_stdin(text) {
            return Ok(());
        }
        let path = program::file(text, self.base)?;
        self.done(index);
        self.put(index, start, &path);
        self.script_found(path);
        Ok(())
    }

    fn script_found(&mut self, path: PathBuf) {
        if !self.resolved.scripts.contains(&path) {
            self.resolved.scripts.push(path);
        }
    }

    fn folders(&mut self, option: &str, index: usize, start: usize) -> Result<(), ProgramError> {
        let text = self.word(index).and_then(|word| word.get(start..)).unwrap_or_default();
        let mut found = Vec::new();
        for entry in text.split(':') {
            let path = self.base.join(entry);
            if Path::new(entry).is_absolute() {
                found.push(entry.to_owned());
            } else if !entry.is_empty() && !names::is_dots(entry) && path.exists() {
                found.push(path.components().collect::<PathBuf>().display().to_string());
            } else {
                return Err(ProgramError::Folder {
                    option: option.to_owned(),
                    folder: entry.to_owned(),
                });
            }
        }
        let found = found.join(":");
        self.put(index, start, Path::new(&found));
        Ok(())
    }

    /// A module: a path, or a name that must not be looked for in the folder of the session.
    fn module(
        &mut self,
        syntax: &Syntax,
        option: &str,
        index: usize,
        start: usize,
    ) -> Result<(), ProgramError> {
        let text = self.word(index).and_then(|word| word.get(start..)).unwrap_or_default();
        if names::is_builtin_module(syntax.names, text) {
            return Ok(());
        }
        let is_path = text.starts_with('/') || beside(text, self.base, false).is_some();
        if !is_path {
            return Err(ProgramError::Module {
                option: option.to_owned(),
                module: text.to_owned(),
            });
        }
        self.open(index, start)
    }

    fn python_module(&mut self, module: &str, isolated: bool) {
        let path = self.base.join(module.replace('.', "/"));
        if path.is_dir() || path.with_extension("py").is_file() {
            self.resolved.warnings.push(format!(
                "`-m {module}` does not find what stands beside the config: write the path of the \
                 script"
            ));
        } else if !isolated {
            self.resolved.warnings.push(format!(
                "`-m {module}`: Python before 3.11 looks for it in the folder of the session \
                 first: write `-I -m {module}`, or the path of the script"
            ));
        }
    }

    fn code(&mut self, what: &str, text: &str) {
        if let Some(path) = relative_path(text, self.base) {
            self.resolved.warnings.push(text::warning(what, &path));
        }
    }

    fn local(&mut self, program: &Path, what: String) {
        self.resolved.warnings.push(format!(
            "`{} {what}` takes what it runs from the folder of the session, where the judged party \
             writes: write the path of a script",
            program.display()
        ));
    }

    /// `env -S "python3 guard.py"` means the words of the text.
    fn split(&mut self, index: usize, start: usize, option: usize) -> Result<(), ProgramError> {
        let Some(word) = self.word(index).map(str::to_owned) else { return Ok(()) };
        let text = word.get(start..).unwrap_or_default();
        if text.contains(['\'', '"', '\\', '$', '#']) {
            return Err(ProgramError::Split(text.to_owned()));
        }
        let mut words: Vec<Word> = text
            .split_whitespace()
            .map(|text| Word { text: text.to_owned(), done: false })
            .collect();
        // Options in the same word come before: `-iS`.
        let option_word = self.word(option).unwrap_or_default();
        let before = if option == index {
            option_word.get(..start).unwrap_or_default()
        } else {
            option_word
        };
        let before = before.trim_end_matches("--split-string=").trim_end_matches("--split-string");
        let before = before.strip_suffix('S').unwrap_or(before);
        if before.len() > 1 {
            words.insert(0, Word { text: before.to_owned(), done: true });
        }
        self.words.splice(option..=index, words);
        Ok(())
    }

    fn put(&mut self, index: usize, start: usize, path: &Path) {
        if let (Some(word), Some(path)) = (self.words.get_mut(index), path.to_str()) {
            word.text.replace_range(start.., path);
            word.done = true;
        }
    }

    /// The first line of a script may name a relative path, too.
    fn first_line(&self, program: &Path) -> Result<(), ProgramError> {
        let Some(line) = names::first_line(program) else { return Ok(()) };
        let (interpreter, argument) = match line.split_once([' ', '\t']) {
            Some((interpreter, argument)) => (interpreter, argument.trim()),
            None => (line.as_str(), ""),
        };
        let wrong = |named: &str| ProgramError::FirstLine {
            path: program.to_owned(),
            named: named.to_owned(),
        };
        let path = Path::new(interpreter);
        if !path.is_absolute() {
            return Err(wrong(interpreter));
        }
        let Some(script) = program.to_str() else { return Ok(()) };
        let args: Vec<&str> =
            [argument, script].into_iter().filter(|arg| !arg.is_empty()).collect();
        let mut reader = Reader {
            // Nothing is found here: each relative path is an error.
            base: Path::new("/nonexistent/hookgate"),
            depth: self.depth + 1,
            words: args.iter().map(|arg| Word { text: (*arg).to_owned(), done: false }).collect(),
            resolved: Resolved::default(),
        };
        match syntax::of(path).map(|syntax| reader.arguments(syntax, path, 0)) {
            Some(Err(
                error @ (ProgramError::Missing(_)
                | ProgramError::Module { .. }
                | ProgramError::Folder { .. }
                | ProgramError::Assigned { .. }),
            )) => Err(wrong(&error.named().unwrap_or_else(|| argument.to_owned()))),
            _ => Ok(()),
        }
    }

    /// Whatever else names something beside the config means that.
    fn rest(&mut self, program: &Path) {
        for index in 0..self.words.len() {
            let after_option = index
                .checked_sub(1)
                .and_then(|before| self.words.get(before))
                .is_some_and(|before| before.text.starts_with('-') && !before.text.contains('='));
            let Some(word) = self.words.get(index).filter(|word| !word.done) else { continue };
            let start = names::value_start(&word.text);
            let text = word.text.get(start..).unwrap_or_default();
            if let Some(path) = beside(text, self.base, after_option) {
                self.put(index, start, &path);
                // Rules and scripts are a part of the hook; what else it names it may change itself.
                if text::is_script_name(&path) {
                    self.script_found(path);
                } else {
                    self.resolved.others.push(path);
                }
            } else if text.starts_with("./") && text != "./" || text.starts_with("../") {
                self.resolved.warnings.push(format!(
                    "`{text}` is not beside the config, so `{}` looks for it in the folder of the \
                     session: write an absolute path if you mean another",
                    program.display()
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests;
