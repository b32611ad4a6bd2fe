//! Reads one word: its quotes, its variables, and the commands in it.

use super::{OPEN_QUOTE, Reader, Word};

impl Reader<'_> {
    /// Reads the word that begins here.
    pub(super) fn word(&mut self) -> Result<Word, &'static str> {
        let start = self.at;
        let mut value = Some(String::new());
        let mut braces = false;
        while let Some(sign) = self.peek() {
            match sign {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' => break,
                '<' | '>' => {
                    if self.at != start || !(self.skip("<(") || self.skip(">(")) {
                        break;
                    }
                    self.nested()?;
                    value = None;
                }
                '\\' => {
                    self.take(sign);
                    match self.peek() {
                        Some('\n') => self.take('\n'),
                        Some(next) => {
                            self.take(next);
                            push(&mut value, next);
                        }
                        None => push(&mut value, sign),
                    }
                }
                '\'' => {
                    self.take(sign);
                    let (text, _) = self.rest().split_once('\'').ok_or(OPEN_QUOTE)?;
                    push_str(&mut value, text);
                    self.at += text.len() + 1;
                }
                '"' => {
                    self.take(sign);
                    self.double_quotes(&mut value)?;
                }
                '$' => self.dollar(&mut value, false)?,
                '`' => self.backticks(&mut value)?,
                '{' | ',' | '*' | '?' | '[' => {
                    braces |= sign == '{';
                    self.take(sign);
                    // It depends on the files of a folder, or stands for several words.
                    if sign == '{' || (sign == ',' && !braces) {
                        push(&mut value, sign);
                    } else {
                        value = None;
                    }
                }
                _ => {
                    self.take(sign);
                    push(&mut value, sign);
                }
            }
        }
        Ok(Word { span: start..self.at, value })
    }

    fn double_quotes(&mut self, value: &mut Option<String>) -> Result<(), &'static str> {
        loop {
            let sign = self.peek().ok_or(OPEN_QUOTE)?;
            match sign {
                '"' => {
                    self.take(sign);
                    return Ok(());
                }
                '\\' => {
                    self.take(sign);
                    let next = self.peek().ok_or(OPEN_QUOTE)?;
                    self.take(next);
                    if next != '\n' {
                        if !"$`\"\\".contains(next) {
                            push(value, sign);
                        }
                        push(value, next);
                    }
                }
                '$' => self.dollar(value, true)?,
                '`' => self.backticks(value)?,
                _ => {
                    self.take(sign);
                    push(value, sign);
                }
            }
        }
    }

    fn dollar(&mut self, value: &mut Option<String>, quoted: bool) -> Result<(), &'static str> {
        let start = self.at;
        self.take('$');
        match self.peek() {
            Some('(') if self.rest().starts_with("((") => self.opaque(start, '(', ')')?,
            Some('(') => {
                self.take('(');
                self.nested()?;
            }
            Some('{') => self.opaque(start, '{', '}')?,
            Some('\'') if !quoted => {
                self.take('\'');
                loop {
                    let sign = self.peek().ok_or(OPEN_QUOTE)?;
                    self.take(sign);
                    match sign {
                        '\'' => break,
                        '\\' => {
                            let next = self.peek().ok_or(OPEN_QUOTE)?;
                            self.take(next);
                            *value = None;
                        }
                        _ => push(value, sign),
                    }
                }
                return Ok(());
            }
            // A text to be translated: as without the dollar.
            Some('"') if !quoted => return Ok(()),
            Some(sign) if sign.is_ascii_alphanumeric() || "_@*#?-$!".contains(sign) => {
                self.take(sign);
                let name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
                while let Some(next) = self.peek().filter(|next| name(sign) && name(*next)) {
                    self.take(next);
                }
            }
            _ => {
                push(value, '$');
                return Ok(());
            }
        }
        *value = None;
        Ok(())
    }

    /// Skips what is between two signs, which may be nested.
    fn opaque(&mut self, start: usize, open: char, close: char) -> Result<(), &'static str> {
        let mut depth = 0_usize;
        while let Some(sign) = self.peek() {
            self.take(sign);
            if sign == open {
                depth += 1;
            } else if sign == close {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    self.line.opaque.push(start..self.at);
                    return Ok(());
                }
            } else if sign == '\\'
                && let Some(next) = self.peek()
            {
                self.take(next);
            }
        }
        Err("an expansion is not closed")
    }

    fn backticks(&mut self, value: &mut Option<String>) -> Result<(), &'static str> {
        let start = self.at;
        self.take('`');
        loop {
            let sign = self.peek().ok_or(OPEN_QUOTE)?;
            self.take(sign);
            match sign {
                '`' => break,
                '\\' => {
                    if let Some(next) = self.peek() {
                        self.take(next);
                    }
                }
                _ => {}
            }
        }
        self.line.opaque.push(start..self.at);
        *value = None;
        Ok(())
    }
}

fn push(value: &mut Option<String>, sign: char) {
    if let Some(value) = value {
        value.push(sign);
    }
}

fn push_str(value: &mut Option<String>, text: &str) {
    if let Some(value) = value {
        value.push_str(text);
    }
}
