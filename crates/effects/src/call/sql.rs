//! The statements that a tool gives to a database.

use serde_json::Value;

use super::Call;
use crate::effects::{Unclear, UnclearWhat};
use crate::run::{Origin, Run};
use crate::sql::{PROGRAM, read};
use crate::word::Word;

/// How deeply texts are looked for in a value.
const MOST_DEPTH: usize = 32;

impl Call<'_> {
    /// Adds what a database would do with a value: a text, or each text below it.
    pub(super) fn sql_value(&mut self, value: &Value, depth: usize) {
        match value {
            Value::String(text) => self.sql_text(text),
            _ if depth > MOST_DEPTH => {
                let why = "the statement is nested too deeply to be read";
                self.unclear(UnclearWhat::Program, why.to_owned());
            }
            Value::Array(items) => items.iter().for_each(|item| self.sql_value(item, depth + 1)),
            Value::Object(map) => map.values().for_each(|item| self.sql_value(item, depth + 1)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn sql_text(&mut self, text: &str) {
        let found = read(text, "generic");
        let mut statements: Vec<Vec<Word>> =
            found.statements.iter().map(|words| words.iter().map(Word::text).collect()).collect();
        if let Some(unread) = &found.unread {
            statements.push(vec![Word::unknown(unread.as_str(), true)]);
            let why = format!("the statement `{unread}` cannot be told");
            let run = Some(self.effects.runs.len() + statements.len() - 1);
            self.effects.unclear.push(Unclear { what: UnclearWhat::Words, why, run });
        }
        for args in statements {
            self.effects.runs.push(Run {
                program: Word::text(PROGRAM),
                args,
                is_cmdlet: true,
                origin: Origin::Carried,
                ..Run::default()
            });
        }
        for line in &found.shell {
            self.shell_text(line, None);
        }
    }
}
