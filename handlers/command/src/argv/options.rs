//! The options of a program: what they take, up to the first operand.

use std::path::Path;

use super::names::is_stdin;
use super::syntax::{Syntax, Takes, Then};
use super::{Reader, Word};
use crate::program::ProgramError;

/// What the options of a program told.
#[derive(Default)]
pub(super) struct Seen {
    /// The program text was given, or a file with it.
    pub(super) has_program: bool,
    pub(super) operand_is_code: bool,
    pub(super) operand_is_file: bool,
    pub(super) nothing: bool,
    /// An option that is not known: the next word may be its argument or the first operand.
    pub(super) unknown: Option<String>,
    /// Everything that follows is for the script.
    pub(super) over: bool,
    isolated: bool,
}

impl Reader<'_> {
    /// Reads options up to the first operand, and tells where that is.
    pub(super) fn options(
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
                if matches!(letter, 'M' | 'm') {
                    perl_lib(&option, word.get(rest..).unwrap_or_default())?;
                }
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
}

/// `-Mlib=folder` of Perl is another way to write `-Ifolder`.
fn perl_lib(option: &str, module: &str) -> Result<(), ProgramError> {
    let Some(folders) = module.strip_prefix("lib=") else { return Ok(()) };
    match folders.split(',').find(|folder| !Path::new(folder).is_absolute()) {
        None => Ok(()),
        Some(folder) => {
            Err(ProgramError::Folder { option: format!("{option}lib"), folder: folder.to_owned() })
        }
    }
}
