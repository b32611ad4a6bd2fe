//! The values of `$x` and `${x}`.

use super::expand::Fields;
use super::state::Variable;
use super::syntax::tree::{Parameter, Piece};
use super::walk::Walker;
use crate::variables::is_name;
use crate::word::{Word, WordPart};

/// Parameters that stand for a number in every shell: which one does not matter in the name of a file, so the
/// parameter itself is taken for it.
const NUMBERS: [&str; 2] = ["$", "PPID"];

/// What a parameter stands for.
enum Value {
    One(Word),
    /// `"$@"` and `"${a[@]}"`: each a word of its own.
    Each(Vec<Word>),
    /// `"$*"`: joined by blanks.
    Joined(Vec<Word>),
    Unknown {
        /// Whether it is any number of words even in quotes.
        many: bool,
    },
}

impl Walker<'_> {
    /// The home folder, as `~` and `$HOME` have it.
    pub(super) fn home(&self) -> Option<Word> {
        match self.state.variables.get("HOME") {
            Some(Variable::Text(word)) => Some(word.clone()),
            Some(_) => None,
            None => self.around.home.as_deref().map(Word::text),
        }
    }

    /// Whether the shell splits at other signs than blanks.
    pub(super) fn splits_otherwise(&self) -> bool {
        self.state.variables.contains_key("IFS")
    }

    pub(super) fn parameter(&mut self, parameter: &Parameter, splits: bool, fields: &mut Fields) {
        let splits = splits && !parameter.quoted;
        if let Some(subscript) = &parameter.subscript {
            self.arithmetic(subscript);
        }
        if let Some(hole) = parameter.name.strip_prefix(super::code::HOLE) {
            let written = hole.parse::<usize>().ok().and_then(|place| self.holes.get(place));
            fields.unknown(written.unwrap_or(&parameter.written), splits);
            return;
        }
        if parameter.changed {
            self.commands_in(&parameter.operand);
            self.changed_value(parameter);
            // `${x:=…}` assigns.
            let assigns = parameter.operand.pieces.first();
            if let Some(super::syntax::tree::Piece::Bare(text)) = assigns
                && (text.starts_with(":=") || text.starts_with('='))
            {
                self.change().forget(&parameter.name);
            }
            let many = parameter.name == "@" || parameter.written.contains("[@]");
            let value = self
                .behind_name(parameter)
                .or_else(|| self.temporary_folder(parameter))
                .or_else(|| self.cut(parameter));
            match value {
                Some(value) if splits && self.splits_otherwise() && may_split(&value) => {
                    fields.unknown(&parameter.written, true);
                }
                Some(value) if splits => fields.split(&value),
                Some(value) => fields.whole(&value),
                None => fields.unknown(&parameter.written, splits || many),
            }
            return;
        }
        if parameter.name == "IFS" && splits && !self.splits_otherwise() {
            fields.end_word();
            return;
        }
        match self.value(parameter) {
            Value::One(word) if splits && self.splits_otherwise() && may_split(&word) => {
                fields.unknown(&parameter.written, true);
            }
            Value::One(word) if splits => fields.split(&word),
            Value::One(word) => fields.whole(&word),
            Value::Unknown { many } => fields.unknown(&parameter.written, splits || many),
            Value::Each(words) | Value::Joined(words) if splits && self.splits_otherwise() => {
                let _ = words;
                fields.unknown(&parameter.written, true);
            }
            Value::Each(words) => self.each(&words, splits, fields),
            Value::Joined(words) if splits => self.each(&words, true, fields),
            Value::Joined(words) => {
                for (place, word) in words.iter().enumerate() {
                    if place > 0 {
                        fields.text(" ");
                    }
                    fields.whole(word);
                }
            }
        }
    }

    /// The value of `${!x}`, if it is known which variable `x` names.
    fn behind_name(&self, parameter: &Parameter) -> Option<Word> {
        let name = parameter.written.strip_prefix("${!")?.strip_suffix('}')?;
        let Variable::Text(named) = self.state.variables.get(name)? else { return None };
        let named = named.known().filter(|named| is_name(named))?;
        Some(match self.state.variables.get(named.as_ref()) {
            Some(Variable::Text(word)) => word.clone(),
            _ => Word::unknown(format!("${{{named}}}"), true),
        })
    }

    /// The value of `${TMPDIR:-/tmp}`, if the line does not set that variable: a folder for temporary files, as its default
    /// is. The bare `$TMPDIR` may be empty.
    fn temporary_folder(&self, parameter: &Parameter) -> Option<Word> {
        if parameter.name != "TMPDIR" || self.state.variables.contains_key("TMPDIR") {
            return None;
        }
        let default = parameter.operand.bare()?.strip_prefix(":-")?;
        matches!(default, "/tmp" | "/var/tmp").then(|| Word::text(default))
    }

    /// The value of `${x%.ts}`, `${x%.*}`, `${x%/*}`, `${x#a/}`, `${x##*/}`, and of `${x:?}` with a known `x`.
    fn cut(&mut self, parameter: &Parameter) -> Option<Word> {
        let (first, rest) = parameter.operand.pieces.split_first()?;
        let Piece::Bare(first) = first else { return None };
        let is_plain = parameter.subscript.is_none() && !parameter.written.starts_with("${#");
        // `${x:?}` and `${x:-y}` are the value, if there is one.
        let asks = first.strip_prefix(':').unwrap_or(first);
        if is_plain && asks.starts_with(['?', '-', '=']) {
            let Value::One(value) = self.value(parameter) else { return None };
            return value.known().is_some_and(|known| !known.is_empty()).then_some(value);
        }
        let operators = ["%%", "##", "%", "#"];
        let operator = operators.into_iter().find(|operator| first.starts_with(operator))?;
        let mut pattern = first.get(operator.len()..)?.to_owned();
        for piece in rest {
            match piece {
                Piece::Quoted(text) if text.contains(['*', '?', '[', '\\', '(']) => return None,
                Piece::Bare(text) | Piece::Quoted(text) | Piece::Glob(text) => {
                    pattern.push_str(text)
                }
                _ => return None,
            }
        }
        let Value::One(value) = self.value(parameter) else { return None };
        if is_plain { cut(&value, operator, &pattern) } else { None }
    }

    /// What `${x@P}`, `${!x}` and `${x:n}` evaluate besides the words in them.
    fn changed_value(&mut self, parameter: &Parameter) {
        let operator = match parameter.operand.pieces.first() {
            Some(Piece::Bare(text)) => text.as_str(),
            _ => "",
        };
        let value = match self.state.variables.get(&parameter.name) {
            Some(Variable::Text(value)) => Some(value.clone()),
            _ => None,
        };
        if operator.starts_with("@P") {
            let value = value.unwrap_or_else(|| Word::unknown(&*parameter.written, false));
            self.expanded_again(&value, None, "${…@P}");
        } else if parameter.written.starts_with("${!") {
            if let Some(value) = value {
                self.evaluated(&value, None);
            }
        } else if let Some(place) = operator.strip_prefix(':')
            && !place.starts_with(['-', '=', '?', '+'])
        {
            let text = self.single_quiet(&parameter.operand);
            self.evaluated(&text, None);
        }
    }

    fn each(&mut self, words: &[Word], splits: bool, fields: &mut Fields) {
        for (place, word) in words.iter().enumerate() {
            if !self.spend(1) {
                return;
            }
            if place > 0 {
                fields.end_word();
            }
            if splits {
                fields.split(word);
            } else {
                fields.whole(word);
            }
        }
    }

    fn value(&mut self, parameter: &Parameter) -> Value {
        let name = parameter.name.as_str();
        if let Some(subscript) = &parameter.subscript {
            return self.element(name, subscript.bare().unwrap_or_default());
        }
        match name {
            "@" | "*" => match &self.state.positional {
                Some(words) if name == "@" => Value::Each(words.clone()),
                Some(words) => Value::Joined(words.clone()),
                None => Value::Unknown { many: name == "@" },
            },
            "0" => self.state.zero.clone().map_or(Value::Unknown { many: false }, Value::One),
            "HOME" => self.home().map_or(Value::Unknown { many: false }, Value::One),
            "PWD" if !self.state.variables.contains_key("PWD") => self
                .state
                .cwd
                .as_deref()
                .map_or(Value::Unknown { many: false }, |cwd| Value::One(Word::text(cwd))),
            _ if name.starts_with(|first: char| first.is_ascii_digit()) => {
                let place = name.parse::<usize>().ok().and_then(|place| place.checked_sub(1));
                match (&self.state.positional, place) {
                    // One that is not there is empty.
                    (Some(words), Some(place)) => {
                        Value::One(words.get(place).cloned().unwrap_or_default())
                    }
                    _ => Value::Unknown { many: false },
                }
            }
            _ => match self.state.variables.get(name) {
                Some(Variable::Text(word)) => {
                    let word = word.clone();
                    let cost = word.parts.len() + word.known_prefix().len() / 16;
                    self.spend(cost);
                    Value::One(word)
                }
                Some(Variable::Array(words)) => {
                    Value::One(words.first().cloned().unwrap_or_default())
                }
                None if NUMBERS.contains(&name) => {
                    Value::One(Word::text(parameter.written.as_str()))
                }
                _ => Value::Unknown { many: false },
            },
        }
    }

    fn element(&mut self, name: &str, subscript: &str) -> Value {
        match (self.state.variables.get(name), subscript) {
            (Some(Variable::Array(words)), "@") => Value::Each(words.clone()),
            (Some(Variable::Array(words)), "*") => Value::Joined(words.clone()),
            (Some(Variable::Array(words)), place) => match place.parse::<usize>() {
                Ok(place) => Value::One(words.get(place).cloned().unwrap_or_default()),
                Err(_) => Value::Unknown { many: false },
            },
            (_, place) => Value::Unknown { many: place == "@" },
        }
    }
}

/// Cuts what a pattern takes off a word. What it takes must be known; a `*` among the names of files holds no slash.
pub(super) fn cut(word: &Word, operator: &str, pattern: &str) -> Option<Word> {
    let is_literal = !pattern.is_empty() && !pattern.contains(['*', '?', '[', '\\', '(']);
    let mut parts = word.parts.clone();
    match (operator, pattern) {
        ("%", ".*") => {
            let WordPart::Text(last) = parts.last_mut()? else { return None };
            last.truncate(last.rfind('.')?);
        }
        ("%", "/*") | ("##", "*/") => {
            let with_slash =
                |part: &WordPart| matches!(part, WordPart::Text(text) if text.contains('/'));
            let at = parts.iter().rposition(with_slash);
            let behind = parts.get(at.map_or(0, |at| at + 1)..)?;
            let may_have_slash = |part: &WordPart| match part {
                WordPart::Text(_) => false,
                WordPart::Glob(glob) => glob.contains("**"),
                WordPart::Unknown { .. } => true,
            };
            if behind.iter().any(may_have_slash) {
                return None;
            }
            let Some(at) = at else { return Some(word.clone()) };
            let WordPart::Text(text) = parts.get_mut(at)? else { return None };
            let slash = text.rfind('/')?;
            if operator == "%" {
                text.truncate(slash);
                parts.truncate(at + 1);
            } else {
                text.replace_range(..=slash, "");
                parts.drain(..at);
            }
        }
        _ if !is_literal => return None,
        _ => {
            let is_end = operator.starts_with('%');
            let part = if is_end { parts.last_mut() } else { parts.first_mut() };
            let WordPart::Text(text) = part? else { return None };
            let rest = if is_end { text.strip_suffix(pattern) } else { text.strip_prefix(pattern) };
            match rest {
                Some(rest) => *text = rest.to_owned(),
                None if text.len() >= pattern.len() => {}
                None => return None,
            }
        }
    }
    parts.retain(|part| !matches!(part, WordPart::Text(text) if text.is_empty()));
    Some(Word { parts })
}

fn may_split(word: &Word) -> bool {
    word.known().is_none_or(|text| !text.chars().all(|sign| sign.is_ascii_alphanumeric()))
}
