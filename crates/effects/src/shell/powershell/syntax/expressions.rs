//! Values and what is done with them.

use super::super::tree::{Base, Block, Expression, Kind, Operand, Piece, Postfix, Statement};
use super::strings::{is_dash, is_double, is_single};
use super::{Parser, UNCLOSED};

const fn is_quote(c: char) -> bool {
    is_single(c) || is_double(c)
}

impl Parser {
    /// Whether a value starts here, and no name of a command.
    pub(super) fn starts_value(&self) -> bool {
        let Some(c) = self.peek() else { return false };
        match c {
            '$' | '(' | '[' | '{' | '!' | ',' | '+' => true,
            '@' => self.peek_at(1).is_some_and(|c| matches!(c, '(' | '{') || is_quote(c)),
            c if is_quote(c) || is_dash(c) => true,
            c if c.is_ascii_digit() => {
                let rest = self.text.get(self.at..).unwrap_or_default();
                let ends = |c: &char| c.is_whitespace() || ");|},.".contains(*c);
                let is_digit =
                    |c: &char| c.is_ascii_hexdigit() || matches!(c, 'x' | 'k' | 'm' | 'g');
                rest.iter().take_while(|c| !ends(c)).all(is_digit)
            }
            _ => false,
        }
    }

    /// Reads operands and the operators between them.
    pub(super) fn expression(&mut self) -> Expression {
        let mut expression = Expression::default();
        loop {
            self.skip_blanks();
            let Some(operand) = self.operand() else { return expression };
            expression.operands.push(operand);
            self.skip_blanks();
            let Some(operator) = self.operator() else { return expression };
            expression.operators.push(operator);
            self.skip_lines();
        }
    }

    fn operator(&mut self) -> Option<String> {
        let c = self.peek()?;
        if is_dash(c) && self.peek_at(1).is_some_and(char::is_alphabetic) {
            self.at += 1;
            let mut name = String::from("-");
            while let Some(c) = self.peek().filter(|c| c.is_alphabetic()) {
                name.push(c.to_ascii_lowercase());
                self.at += 1;
            }
            return Some(name);
        }
        for operator in ["..", "??", "+", "*", "/", "%", ",", "-", "?", ":"] {
            let is_assignment = self.peek_at(operator.len()) == Some('=');
            if !is_assignment && self.take_text(operator) {
                return Some(operator.to_owned());
            }
        }
        None
    }

    /// Reads one value with what is taken of it.
    pub(super) fn operand(&mut self) -> Option<Operand> {
        self.nested(|parser| {
            let from = parser.at;
            let mut is_changed = parser.signs();
            let mut base = parser.base()?;
            // `[int] $x`, `[scriptblock] 'code'`
            while let Base::Type(_) = &base {
                let at = parser.at;
                parser.skip_blanks();
                let is_value = |c: char| matches!(c, '$' | '(' | '@' | '[' | '{') || is_quote(c);
                let casts = parser.peek().is_some_and(is_value);
                match if casts { parser.base() } else { None } {
                    Some(value) => (base, is_changed) = (value, true),
                    None => {
                        parser.at = at;
                        break;
                    }
                }
            }
            let postfix = parser.postfix();
            Some(Operand { base, postfix, is_changed, written: parser.written(from) })
        })
    }

    /// Passes over what stands before a value: `!`, `-not`, `-join`, `-5`.
    fn signs(&mut self) -> bool {
        let mut are_there = false;
        loop {
            self.skip_blanks();
            match self.peek() {
                Some('!' | '+' | ',') => self.at += 1,
                Some(c) if is_dash(c) => {
                    self.at += 1;
                    while self.peek().is_some_and(char::is_alphabetic) {
                        self.at += 1;
                    }
                }
                _ => return are_there,
            }
            are_there = true;
        }
    }

    fn base(&mut self) -> Option<Base> {
        let c = self.peek()?;
        if self.starts_quotes() {
            let mut pieces = Vec::new();
            self.quoted(&mut pieces);
            return Some(Base::Text(pieces));
        }
        match (c, self.peek_at(1)) {
            ('@' | '$', Some('(')) => {
                self.at += 2;
                Some(Base::Group(self.block_until(')')))
            }
            ('@', Some('{')) => {
                self.at += 2;
                Some(Base::Table(self.nested(Self::table)))
            }
            ('@', _) => {
                // `@arguments`
                let from = self.at;
                self.at += 1;
                while self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
                    self.at += 1;
                }
                Some(Base::Variable(self.written(from).to_lowercase()))
            }
            ('$', _) => self.variable().map(Base::Variable),
            ('(', _) => {
                self.at += 1;
                Some(Base::Group(self.block_until(')')))
            }
            ('{', _) => {
                self.at += 1;
                Some(Base::Script(self.block_until('}')))
            }
            ('[', _) => self.type_name().map(Base::Type),
            (c, _) if c.is_alphanumeric() || matches!(c, '_' | '.') => {
                let from = self.at;
                // `1..5` has an operator.
                while self.peek().is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
                    && !(self.peek() == Some('.') && self.peek_at(1) == Some('.'))
                {
                    self.at += 1;
                }
                let text = self.written(from);
                (!text.is_empty()).then(|| Base::Text(vec![Piece::Text(text)]))
            }
            _ => None,
        }
    }

    fn type_name(&mut self) -> Option<String> {
        let (from, mut open) = (self.at, 0_usize);
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '[' => open += 1,
                ']' => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                let written = self.written(from);
                let inner = written.trim_start_matches('[').trim_end_matches(']');
                return Some(inner.trim().to_lowercase());
            }
        }
        self.give_up(UNCLOSED);
        None
    }

    /// Reads the values of `@{ name = value; … }`.
    fn table(&mut self) -> Block {
        let mut values = Block::new();
        loop {
            self.skip_lines();
            match self.peek() {
                None => {
                    self.give_up(UNCLOSED);
                    return values;
                }
                Some('}') => {
                    self.at += 1;
                    return values;
                }
                Some(';') => {
                    self.at += 1;
                    continue;
                }
                Some(_) => {}
            }
            let from = self.at;
            // The name: a word or a value.
            let _ = self.operand();
            while self.peek().is_some_and(|c| !matches!(c, '=' | '\n' | ';' | '}')) {
                self.at += 1;
            }
            if self.take('=') {
                self.skip_lines();
                values.extend(self.nested(Self::statement));
            }
            if self.at == from {
                self.at += 1;
            }
        }
    }

    fn postfix(&mut self) -> Vec<Postfix> {
        let mut all = Vec::new();
        loop {
            match (self.peek(), self.peek_at(1)) {
                (Some('.'), Some(next)) if is_member(next) => self.at += 1,
                (Some(':'), Some(':')) | (Some('?'), Some('.')) => self.at += 2,
                (Some('['), _) => {
                    self.at += 1;
                    all.push(Postfix::Index(self.block_until(']')));
                    continue;
                }
                (Some('+'), Some('+')) => {
                    self.at += 2;
                    continue;
                }
                _ => return all,
            }
            let name = self.member();
            if self.take('(') {
                all.push(Postfix::Call(name, self.nested(Self::call_arguments)));
            } else if self.take('{') {
                // `.ForEach{ … }`
                all.push(Postfix::Index(self.block_until('}')));
            } else {
                all.push(Postfix::Member(name));
            }
        }
    }

    fn member(&mut self) -> Option<String> {
        if self.starts_quotes() {
            let mut pieces = Vec::new();
            self.quoted(&mut pieces);
            return match pieces.as_slice() {
                [Piece::Text(text)] => Some(text.to_lowercase()),
                _ => None,
            };
        }
        if self.peek() == Some('$') {
            self.variable();
            return None;
        }
        let from = self.at;
        while self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
            self.at += 1;
        }
        Some(self.written(from).to_lowercase())
    }

    /// Reads the arguments of a method, up to the bracket.
    fn call_arguments(&mut self) -> Vec<Expression> {
        let block = self.statements(Some(')'));
        if !self.take(')') {
            self.give_up(UNCLOSED);
        }
        let mut arguments = Vec::new();
        for statement in block {
            let Statement::Pipeline(elements) = statement else { continue };
            let values = elements.into_iter().map(|element| match element.kind {
                Kind::Value(value) => value,
                Kind::Command { name, .. } => name,
            });
            values.for_each(|value| split_at_commas(value, &mut arguments));
        }
        arguments
    }
}

/// Commas stand between the arguments of a method.
fn split_at_commas(value: Expression, arguments: &mut Vec<Expression>) {
    let mut open = Expression::default();
    let mut operators = value.operators.into_iter();
    for operand in value.operands {
        open.operands.push(operand);
        match operators.next() {
            Some(comma) if comma == "," => arguments.push(std::mem::take(&mut open)),
            Some(other) => open.operators.push(other),
            None => {}
        }
    }
    if !open.operands.is_empty() {
        arguments.push(open);
    }
}

/// Whether a member may follow a dot.
fn is_member(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '$') || is_quote(c)
}
