//! Code in arithmetic and in names: bash takes the subscript of `a[$(…)]` apart wherever it wants a name or a
//! number, also one that comes out of a variable.

use super::syntax::tree::Word as Written;
use super::walk::Walker;
use crate::effects::UnclearWhat;
use crate::word::{Word, WordPart};

/// How many variables lead to each other: `x=y; y=z`.
const DEEPEST: usize = 8;

impl Walker<'_> {
    /// Looks into a text that bash evaluates as arithmetic, or as the name of a variable.
    pub(super) fn evaluated(&mut self, text: &Word, by: Option<usize>) {
        self.evaluate(text, by, 0);
    }

    fn evaluate(&mut self, text: &Word, by: Option<usize>, depth: usize) {
        if depth > DEEPEST || !self.spend(1) {
            return;
        }
        let mut names: Vec<String> = Vec::new();
        for part in &text.parts {
            if let WordPart::Text(text) | WordPart::Glob(text) = part {
                names.extend(names_in(text));
            }
        }
        if let Some(known) = text.known() {
            if holds_code(&known) {
                let code = Word::text(format!("(( {known} ))"));
                self.carried_code(&code, by, "arithmetic");
            }
        } else if depth > 0 && text.known_prefix().contains('[') {
            let why = format!("`{}` is evaluated, and may run programs", text.written());
            self.unclear(UnclearWhat::Program, why, by);
        }
        for name in names {
            use super::state::Variable;
            let value = match self.state.variables.get(&name) {
                Some(Variable::Text(value)) => value.clone(),
                Some(Variable::Array(words)) => words.first().cloned().unwrap_or_default(),
                _ => continue,
            };
            let is_number =
                value.known().is_some_and(|known| known.bytes().all(|byte| byte.is_ascii_digit()));
            if !is_number {
                self.evaluate(&value, by, depth + 1);
            }
        }
    }

    /// Looks into words that a builtin takes for names: `unset 'a[$(…)]'`, `declare 'a[$(…)]=1'`.
    pub(super) fn names_evaluated<'w>(
        &mut self,
        words: impl IntoIterator<Item = &'w Word>,
        by: usize,
    ) {
        for word in words {
            if word.known().is_some_and(|text| text.contains('[') && holds_code(&text)) {
                self.evaluated(word, Some(by));
            }
        }
    }

    /// The words of `test` and `[`: behind `-v` stands a name.
    pub(super) fn tested(&mut self, args: &[Word], by: usize) {
        for pair in args.windows(2) {
            if let [option, name] = pair
                && matches!(option.known().as_deref(), Some("-v" | "-R"))
            {
                self.names_evaluated([name], by);
            }
        }
    }

    /// The words of `[[ … ]]`. Beside `-eq` and the like stands arithmetic.
    pub(super) fn tested_words(&mut self, words: &[Written]) {
        let values: Vec<Word> = words.iter().map(|word| self.single(word)).collect();
        for (place, word) in words.iter().enumerate() {
            let (before, after) = match word.bare() {
                Some("-v" | "-R") => (None, values.get(place + 1)),
                Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") => (
                    place.checked_sub(1).and_then(|before| values.get(before)),
                    values.get(place + 1),
                ),
                _ => continue,
            };
            for value in before.into_iter().chain(after) {
                self.evaluated(value, None);
            }
        }
    }

    /// A text that is expanded once more, as in double quotes: `${x@P}`, `compgen -W TEXT`.
    pub(super) fn expanded_again(&mut self, text: &Word, by: Option<usize>, what: &str) {
        match text.known() {
            Some(text) if holds_code(&text) => {
                let code = Word::text(format!(": <<__text\n{text}\n__text\n"));
                self.carried_code(&code, by, what);
            }
            Some(_) => {}
            None => {
                let why = format!("`{what}` expands `{}`, which is not known", text.written());
                self.unclear(UnclearWhat::Program, why, by);
            }
        }
    }
}

/// Whether a text has an expansion that runs programs.
fn holds_code(text: &str) -> bool {
    text.contains("$(") || text.contains('`') || text.contains("${")
}

/// The names of variables in a text.
fn names_in(text: &str) -> impl Iterator<Item = String> {
    let pieces = text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
    pieces
        .filter(|name| name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_'))
        .map(str::to_owned)
}
