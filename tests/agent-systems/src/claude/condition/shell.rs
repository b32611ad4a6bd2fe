//! Takes a command line apart: the commands in it, those in substitutions included.
//!
//! It is far from a shell. It has to know where a command ends, what is quoted, and whether something is
//! filled in when the line runs.

use std::iter::Peekable;
use std::str::CharIndices;

use super::blocks::{Blocks, Unclear};

/// How deep substitutions may be nested.
const MOST_NESTED: usize = 64;

/// The commands of a line.
#[derive(Debug, Default)]
pub(super) struct Commands {
    /// Each command, as it is written.
    pub(super) commands: Vec<String>,
    /// Whether the line has a substitution or a variable.
    pub(super) expands: bool,
}

/// Finds the commands of a line.
///
/// # Errors
/// If a quote, a bracket or a block is not closed, or a command is missing.
pub(super) fn commands(line: &str) -> Result<Commands, Unclear> {
    let mut reader = Reader {
        line,
        signs: line.char_indices().peekable(),
        found: Commands::default(),
        here_documents: Vec::new(),
        blocks: Blocks::default(),
    };
    reader.list(None, 0)?;
    Ok(reader.found)
}

struct Reader<'a> {
    line: &'a str,
    signs: Peekable<CharIndices<'a>>,
    found: Commands,
    /// The ends of the here-documents that begin with the next line, and whether they expand.
    here_documents: Vec<(String, bool)>,
    blocks: Blocks,
}

impl Reader<'_> {
    fn position(&mut self) -> usize {
        self.signs.peek().map_or(self.line.len(), |(at, _)| *at)
    }

    fn rest(&mut self) -> &str {
        let at = self.position();
        self.line.get(at..).unwrap_or_default()
    }

    fn takes(&mut self, sign: char) -> bool {
        self.signs.next_if(|(_, next)| *next == sign).is_some()
    }

    /// Reads commands up to the sign that closes them.
    fn list(&mut self, close: Option<char>, depth: usize) -> Result<(), Unclear> {
        if depth > MOST_NESTED {
            return Err(Unclear);
        }
        let open_blocks = self.blocks.depth();
        let mut start = self.position();
        let mut before = ' ';
        // Whether a group stood where the command begins, and whether `&&` or `|` stood before it.
        let (mut is_filled, mut is_wanted) = (false, false);
        loop {
            let at = self.position();
            let sign = self.signs.next().map(|(_, sign)| sign);
            let Some(sign) = sign.filter(|sign| Some(*sign) != close) else {
                is_filled |= self.add(start, at)?;
                let is_whole = (is_filled || !is_wanted) && self.blocks.depth() == open_blocks;
                return if is_whole && sign == close { Ok(()) } else { Err(Unclear) };
            };
            match sign {
                '\\' => {
                    let _ = self.signs.next();
                }
                '\'' => self.skip_to('\'')?,
                '"' => self.quoted(depth)?,
                '`' => self.substitution('`', depth)?,
                '$' => self.expansion(depth)?,
                '#' if before.is_whitespace() => {
                    is_filled |= self.add(start, at)?;
                    while self.signs.next_if(|(_, sign)| *sign != '\n').is_some() {}
                    start = self.position();
                }
                '<' if self.rest().starts_with('<') => self.here_document()?,
                '&' | '|' if matches!(before, '>' | '<') => {}
                '&' if self.rest().starts_with('>') => {}
                '\n' => {
                    is_wanted &= !(self.add(start, at)? || is_filled);
                    self.skip_here_documents()?;
                    (start, is_filled) = (self.position(), false);
                }
                ';' | '&' | '|' => {
                    if !(self.add(start, at)? || is_filled) {
                        return Err(Unclear);
                    }
                    is_wanted = self.operator(sign);
                    (start, is_filled) = (self.position(), false);
                }
                '(' => {
                    self.add(start, at)?;
                    self.list(Some(')'), depth + 1)?;
                    self.blocks.filled();
                    (start, is_filled) = (self.position(), true);
                }
                ')' => return Err(Unclear),
                _ => {}
            }
            before = sign;
        }
    }

    /// Reads on behind the first sign of an operator. Tells whether a command must follow.
    fn operator(&mut self, sign: char) -> bool {
        match sign {
            '&' => self.takes('&'),
            '|' => {
                let _ = self.takes('|') || self.takes('&');
                true
            }
            // The end of a branch of `case`.
            _ => {
                let _ = self.takes(';');
                false
            }
        }
    }

    /// Adds a command, without the keywords before it. Tells whether there is anything.
    fn add(&mut self, start: usize, end: usize) -> Result<bool, Unclear> {
        let text = self.line.get(start..end).unwrap_or_default();
        let command = self.blocks.enter(text)?;
        if !command.is_empty() {
            self.found.commands.push(command.to_owned());
        }
        Ok(!text.trim().is_empty())
    }

    fn skip_to(&mut self, close: char) -> Result<(), Unclear> {
        self.signs.find(|(_, sign)| *sign == close).map(|_| ()).ok_or(Unclear)
    }

    /// Reads on behind a double quote.
    fn quoted(&mut self, depth: usize) -> Result<(), Unclear> {
        loop {
            match self.signs.next().ok_or(Unclear)?.1 {
                '"' => return Ok(()),
                '\\' => {
                    let _ = self.signs.next();
                }
                '`' => self.substitution('`', depth)?,
                '$' => self.expansion(depth)?,
                _ => {}
            }
        }
    }

    fn substitution(&mut self, close: char, depth: usize) -> Result<(), Unclear> {
        self.found.expands = true;
        self.list(Some(close), depth + 1)
    }

    /// Reads on behind a dollar.
    fn expansion(&mut self, depth: usize) -> Result<(), Unclear> {
        let Some((_, next)) = self.signs.peek().copied() else { return Ok(()) };
        match next {
            '(' => {
                let _ = self.signs.next();
                self.substitution(')', depth)
            }
            '{' => {
                let _ = self.signs.next();
                self.found.expands = true;
                self.braces(depth)
            }
            sign if sign.is_ascii_alphanumeric() || "_@*#?$!-".contains(sign) => {
                self.found.expands = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Reads on behind `${`.
    fn braces(&mut self, depth: usize) -> Result<(), Unclear> {
        if depth > MOST_NESTED {
            return Err(Unclear);
        }
        loop {
            match self.signs.next().ok_or(Unclear)?.1 {
                '}' => return Ok(()),
                '\\' => {
                    let _ = self.signs.next();
                }
                '\'' => self.skip_to('\'')?,
                '"' => self.quoted(depth + 1)?,
                '`' => self.substitution('`', depth)?,
                '$' => self.expansion(depth + 1)?,
                _ => {}
            }
        }
    }

    /// Reads on behind the first `<` of a here-document or a here-string.
    fn here_document(&mut self) -> Result<(), Unclear> {
        let _ = self.signs.next();
        if self.takes('<') {
            return Ok(());
        }
        let _ = self.takes('-');
        while self.signs.next_if(|(_, sign)| matches!(sign, ' ' | '\t')).is_some() {}
        let mut end = String::new();
        let mut expands = true;
        while let Some((_, sign)) =
            self.signs.next_if(|(_, sign)| !sign.is_whitespace() && !"|&;<>()".contains(*sign))
        {
            if matches!(sign, '\'' | '"' | '\\') {
                expands = false;
            } else {
                end.push(sign);
            }
        }
        if end.is_empty() {
            return Err(Unclear);
        }
        self.here_documents.push((end, expands));
        Ok(())
    }

    /// Skips the here-documents that begin here. What they fill in counts.
    fn skip_here_documents(&mut self) -> Result<(), Unclear> {
        for (end, expands) in std::mem::take(&mut self.here_documents) {
            loop {
                let rest = self.rest();
                if rest.is_empty() {
                    return Err(Unclear);
                }
                let line = rest.split('\n').next().unwrap_or_default().to_owned();
                for _ in line.chars() {
                    let _ = self.signs.next();
                }
                let _ = self.takes('\n');
                if line.trim_start_matches('\t') == end {
                    break;
                }
                if expands && line.contains(['$', '`']) {
                    self.found.expands = true;
                    let inner = commands(&format!("\"{}\"", line.replace('"', "\\\"")))?;
                    let is_inner = |command: &String| !command.starts_with('"');
                    self.found.commands.extend(inner.commands.into_iter().filter(is_inner));
                }
            }
        }
        Ok(())
    }
}

/// Takes a command apart at its blanks; quotes and brackets keep a word together.
pub(super) fn words(command: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut quote, mut depth) = (None, None, 0_usize);
    let mut is_escaped = false;
    for (at, sign) in command.char_indices() {
        if is_escaped {
            is_escaped = false;
            continue;
        }
        let is_blank = sign.is_whitespace() && quote.is_none() && depth == 0;
        match (is_blank, start) {
            (true, Some(from)) => {
                words.extend(command.get(from..at));
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
        match (sign, quote) {
            ('\\', None | Some('"')) => is_escaped = true,
            ('\'' | '"' | '`', None) => quote = Some(sign),
            (sign, Some(open)) if sign == open => quote = None,
            ('(' | '{', None) => depth += 1,
            (')' | '}', None) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    words.extend(start.and_then(|from| command.get(from..)));
    words
}
