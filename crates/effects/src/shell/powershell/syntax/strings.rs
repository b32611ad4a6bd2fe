//! Texts in quotes, and what is expanded in them.

use super::super::tree::Piece;
use super::{Parser, UNCLOSED};

/// PowerShell takes the quotes of writers for plain ones.
pub(super) const fn is_single(c: char) -> bool {
    matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}')
}

/// The same.
pub(super) const fn is_double(c: char) -> bool {
    matches!(c, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}')
}

/// And their dashes for a dash.
pub(super) const fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2013}' | '\u{2014}' | '\u{2015}')
}

/// Adds a character to the last text.
pub(super) fn push(pieces: &mut Vec<Piece>, c: char) {
    match pieces.last_mut() {
        Some(Piece::Text(text)) => text.push(c),
        _ => pieces.push(Piece::Text(c.to_string())),
    }
}

impl Parser {
    /// Whether a text in quotes starts here.
    pub(super) fn starts_quotes(&self) -> bool {
        let is_quote = |c: char| is_single(c) || is_double(c);
        match self.peek() {
            Some('@') => self.peek_at(1).is_some_and(is_quote) && self.starts_document(),
            Some(c) => is_quote(c),
            None => false,
        }
    }

    /// Whether the line ends after `@"`.
    fn starts_document(&self) -> bool {
        let rest = self.text.get(self.at + 2..).unwrap_or_default();
        let mut rest = rest.iter().skip_while(|c| **c != '\n' && c.is_whitespace());
        rest.next() == Some(&'\n')
    }

    /// Reads a text in quotes into pieces.
    pub(super) fn quoted(&mut self, pieces: &mut Vec<Piece>) {
        if pieces.is_empty() {
            // It is a text even if there is nothing in it.
            pieces.push(Piece::Text(String::new()));
        }
        if self.take('@') {
            return self.document(pieces);
        }
        let Some(quote) = self.peek() else { return };
        self.at += 1;
        let is_end = if is_single(quote) { is_single } else { is_double };
        while let Some(c) = self.peek() {
            if is_end(c) {
                self.at += 1;
                // Two of them are one.
                if self.peek().is_some_and(is_end) {
                    self.at += 1;
                    push(pieces, c);
                    continue;
                }
                return;
            }
            if is_single(quote) || !self.expanded(pieces) {
                self.at += 1;
                push(pieces, c);
            }
        }
        self.give_up(UNCLOSED);
    }

    /// Reads `@' … '@`, whose ends stand on lines of their own.
    fn document(&mut self, pieces: &mut Vec<Piece>) {
        let Some(quote) = self.peek() else { return };
        let is_end = if is_single(quote) { is_single } else { is_double };
        while self.peek().is_some_and(|c| c != '\n') {
            self.at += 1;
        }
        let mut is_first = true;
        loop {
            let at_end = self.peek() == Some('\n')
                && self.peek_at(1).is_some_and(is_end)
                && self.peek_at(2) == Some('@');
            if at_end {
                self.at += 3;
                return;
            }
            let Some(c) = self.peek() else { return self.give_up(UNCLOSED) };
            // The end of the first line is none of the text.
            if std::mem::take(&mut is_first) {
                self.at += 1;
            } else if is_single(quote) || !self.expanded(pieces) {
                self.at += 1;
                push(pieces, c);
            }
        }
    }

    /// Reads what is expanded in a text: `` `n ``, `$x`, `$( … )`. False if there is nothing such here.
    pub(super) fn expanded(&mut self, pieces: &mut Vec<Piece>) -> bool {
        match (self.peek(), self.peek_at(1)) {
            (Some('`'), Some(next)) => {
                self.at += 2;
                match next {
                    'n' => push(pieces, '\n'),
                    't' => push(pieces, '\t'),
                    'r' => push(pieces, '\r'),
                    '0' | 'a' | 'b' | 'e' | 'f' | 'v' => push(pieces, ' '),
                    '\n' | '\r' => {}
                    other => push(pieces, other),
                }
                true
            }
            (Some('$'), Some('(')) => {
                let from = self.at;
                self.at += 2;
                let block = self.block_until(')');
                pieces.push(Piece::Group { block, written: self.written(from) });
                true
            }
            (Some('$'), Some(_)) => match self.variable() {
                Some(name) => {
                    pieces.push(Piece::Variable(name));
                    true
                }
                None => false,
            },
            _ => false,
        }
    }

    /// Reads `$name`, `$env:NAME`, `${any text}`; the name is in lower case.
    pub(super) fn variable(&mut self) -> Option<String> {
        let from = self.at;
        if !self.take('$') {
            return None;
        }
        let mut name = String::new();
        if self.take('{') {
            while let Some(c) = self.peek().filter(|c| *c != '}') {
                name.push(c);
                self.at += 1;
            }
            if !self.take('}') {
                self.give_up(UNCLOSED);
            }
            return Some(name.to_lowercase());
        }
        while let Some(c) = self.peek() {
            let is_scope = c == ':'
                && !name.is_empty()
                && !name.contains(':')
                && self.peek_at(1).is_some_and(|c| c.is_alphanumeric() || c == '_');
            if !(c.is_alphanumeric() || c == '_' || is_scope) {
                break;
            }
            name.push(c);
            self.at += 1;
        }
        if name.is_empty()
            && let Some(c @ ('?' | '$' | '^')) = self.peek()
        {
            self.at += 1;
            name.push(c);
        }
        if name.is_empty() {
            self.at = from;
            return None;
        }
        let scopes = ["script:", "global:", "local:", "private:", "using:", "variable:"];
        let name = name.to_lowercase();
        let bare = scopes.iter().find_map(|scope| name.strip_prefix(scope)).map(str::to_owned);
        Some(bare.unwrap_or(name))
    }
}
