//! Globs for words: `*` takes any text, slashes too.

use hookgate_contract::glob::expand_braces;

use super::error::{PatternError, PatternFault};
use super::glob::{MOST_ALTERNATIVES, Set, Token, is_within, may_meet, read, sample};
use super::truth::Truth;
use crate::word::{Word, WordPart};

/// A glob for a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextGlob {
    tokens: Vec<Token>,
    /// The text, if there are no wildcards.
    literal: Option<String>,
}

impl TextGlob {
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        let tokens = read(text, true)?;
        let char_of = |token: &Token| match token {
            Token::Char(c) => Some(*c),
            _ => None,
        };
        let literal = tokens.iter().map(char_of).collect();
        Ok(Self { tokens, literal })
    }

    /// The text, if there are no wildcards.
    pub(super) fn literal(&self) -> Option<&str> {
        self.literal.as_deref()
    }

    /// Returns whether it is about a path, and not about a name in any folder.
    pub(super) fn has_slash(&self) -> bool {
        self.tokens.contains(&Token::Char('/'))
    }

    /// Returns a text that it takes.
    pub(super) fn sample(&self) -> Option<String> {
        sample(&self.tokens)
    }

    pub(super) fn takes(&self, text: &str) -> bool {
        match &self.literal {
            Some(literal) => literal == text,
            None if matches!(self.tokens.as_slice(), [Token::Many(Set::Any)]) => true,
            None => may_meet(&text.chars().map(Token::Char).collect::<Vec<_>>(), &self.tokens),
        }
    }

    pub(super) fn matches(&self, word: &Word) -> Truth {
        match word.known() {
            Some(known) => self.takes(&known).into(),
            None => self.meets(&tokens_of(word)),
        }
    }

    /// Returns whether a word can name this program, in any folder.
    pub(super) fn may_name(&self, word: &Word) -> bool {
        let mut in_folder = vec![Token::Many(Set::Any), Token::Char('/')];
        in_folder.extend(self.tokens.iter().cloned());
        let word = tokens_of(word);
        may_meet(&word, &self.tokens) || may_meet(&word, &in_folder)
    }

    fn meets(&self, word: &[Token]) -> Truth {
        if !may_meet(word, &self.tokens) {
            Truth::False
        } else if is_within(word, &self.tokens) {
            Truth::True
        } else {
            Truth::Unknown
        }
    }
}

fn tokens_of(word: &Word) -> Vec<Token> {
    let mut tokens = Vec::new();
    for part in &word.parts {
        match part {
            WordPart::Text(text) => tokens.extend(text.chars().map(Token::Char)),
            part if part.is_plain_name() => {
                let ranges = vec![('a', 'z'), ('A', 'Z'), ('0', '9'), ('.', '.'), ('_', '_')];
                tokens.push(Token::One(Set::Class { ranges, negated: false }));
                tokens.push(Token::Many(Set::NoColon));
            }
            part if part.is_number() => {
                let ranges = vec![('0', '9'), ('-', '-')];
                tokens.push(Token::Many(Set::Class { ranges, negated: false }));
            }
            part if part.is_plain() => {
                let mut ranges = vec![('a', 'z'), ('A', 'Z'), ('0', '9')];
                ranges.extend(['-', '_', '.', ':'].map(|sign| (sign, sign)));
                tokens.push(Token::Many(Set::Class { ranges, negated: false }));
            }
            WordPart::Glob(_) | WordPart::Unknown { .. } => tokens.push(Token::Many(Set::Any)),
        }
    }
    tokens
}

/// Splits `a|b` into its alternatives, with the offset of each; `a{b,c}` is two as well. Braces without a
/// comma are text, as they are in the shell.
pub(super) fn alternatives(text: &str) -> Result<Vec<(usize, String)>, PatternError> {
    let mut offset = 0;
    let mut found = Vec::new();
    for part in text.split('|') {
        if part.is_empty() {
            return Err(PatternFault::EmptyAlternative(text.to_owned()).at(offset));
        }
        let all = expand_braces(part, MOST_ALTERNATIVES, |choices| choices.len() > 1);
        let all =
            all.ok_or_else(|| PatternFault::TooManyAlternatives(MOST_ALTERNATIVES).at(offset))?;
        found.extend(all.into_iter().map(|one| (offset, one)));
        offset += part.len() + 1;
    }
    Ok(found)
}
