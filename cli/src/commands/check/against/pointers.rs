//! The values that conditions look at, and whether any step has them.

use std::collections::BTreeSet;

use hookgate::contract::suggest::Suggestion;
use hookgate::envelope::Incoming;
use hookgate::matcher::{InputSpec, MatchSpec, Test};
use hookgate::table::Origin;
use serde_json::Value;

use super::super::entry::{Entry, Level};
use super::super::tool_names::position_of;

/// How many pointers that do occur are kept, to name the nearest one.
const KEPT: usize = 500;

/// How deep they go.
const DEEPEST: usize = 6;

/// A pointer of a condition.
#[derive(Debug)]
pub(super) struct Pointer {
    /// The key of the hook under which it stands.
    key: &'static str,
    /// Whether it begins inside of the input of the tool.
    of_input: bool,
    pointer: String,
    /// How many steps were looked at.
    steps: u64,
    /// Whether one of them has a value there.
    seen: bool,
    /// The pointers that lead somewhere.
    others: BTreeSet<String>,
}

impl Pointer {
    /// Returns the pointers of the conditions of a hook that need a value.
    pub(super) fn of_conditions(spec: &MatchSpec) -> Vec<Self> {
        let mut all = Vec::new();
        collect(spec, None, &mut all);
        all
    }

    /// Looks whether a step has a value there.
    pub(super) fn look(&mut self, step: &Incoming) {
        self.steps += 1;
        if self.seen {
            return;
        }
        let root = match step.payload.tool().filter(|_| self.of_input) {
            Some(call) => call.tool_input.clone(),
            None => step.payload.to_value().unwrap_or_default(),
        };
        let tokens: Vec<String> = self.pointer.split('/').skip(1).map(plain).collect();
        self.seen = leads_somewhere(&root, &tokens);
        if !self.seen && self.others.len() < KEPT {
            note(&root, String::new(), DEEPEST, &mut self.others);
        }
    }

    /// Whether steps were looked at and none has a value there.
    pub(super) const fn is_unseen(&self) -> bool {
        self.steps > 0 && !self.seen
    }

    /// Returns what there is to say of it.
    pub(super) fn entry(&self, hook: &str, origin: &Origin, file: &str, text: &str) -> Entry {
        let others: Vec<&str> = self.others.iter().map(String::as_str).collect();
        let near = Suggestion::nearest(&self.pointer, &others);
        Entry {
            code: "pointer_never_seen",
            level: Level::Note,
            file: file.to_owned(),
            at: Some(position_of(text, origin.span_of(self.key), &self.pointer)),
            message: format!(
                "`{hook}` looks at `{}`, which none of the {} recorded steps for its tools has{near}",
                self.pointer, self.steps
            ),
            help: None,
        }
    }
}

fn collect(spec: &MatchSpec, key: Option<&'static str>, all: &mut Vec<Pointer>) {
    let mut add = |own: &'static str, spec: &InputSpec| {
        let is_absence = |test: &Test| *test == Test::Exists(false);
        if spec.tests.iter().all(|input| input.negated || is_absence(&input.test)) {
            return;
        }
        all.push(Pointer {
            key: key.unwrap_or(own),
            of_input: own == "input",
            pointer: spec.pointer.clone(),
            steps: 0,
            seen: false,
            others: BTreeSet::new(),
        });
    };
    spec.input.iter().for_each(|spec| add("input", spec));
    spec.payload.iter().for_each(|spec| add("payload", spec));
    for table in spec.any.iter().flatten() {
        collect(table, key.or(Some("any")), all);
    }
    for table in &spec.not {
        collect(table, key.or(Some("not")), all);
    }
}

/// Returns a key as it is in the object.
fn plain(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// Returns whether there is a value where a pointer leads: `*` is any child, `**` any text below.
fn leads_somewhere(value: &Value, tokens: &[String]) -> bool {
    let Some((first, rest)) = tokens.split_first() else { return true };
    match (first.as_str(), value) {
        ("**", _) => true,
        ("*", Value::Object(map)) => map.values().any(|child| leads_somewhere(child, rest)),
        ("*", Value::Array(items)) => items.iter().any(|child| leads_somewhere(child, rest)),
        (key, Value::Object(map)) => map.get(key).is_some_and(|child| leads_somewhere(child, rest)),
        (key, Value::Array(items)) => {
            let item = key.parse::<usize>().ok().and_then(|index| items.get(index));
            item.is_some_and(|child| leads_somewhere(child, rest))
        }
        _ => false,
    }
}

/// Notes the pointers to all values of objects.
fn note(value: &Value, before: String, depth: usize, all: &mut BTreeSet<String>) {
    let Value::Object(map) = value else { return };
    for (key, child) in map.iter().take(KEPT.saturating_sub(all.len())) {
        let pointer = format!("{before}/{}", key.replace('~', "~0").replace('/', "~1"));
        if depth > 1 {
            note(child, pointer.clone(), depth - 1, all);
        }
        all.insert(pointer);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pointer_leads_to_a_value_or_not() {
        let value = json!({"a": [{"b/c": 1}], "d": {"e": null}});
        let leads = |pointer: &str| {
            let tokens: Vec<_> = pointer.split('/').skip(1).map(plain).collect();
            leads_somewhere(&value, &tokens)
        };
        for there in ["", "/a", "/a/0/b~1c", "/a/*/b~1c", "/d/e", "/*/e", "/d/**"] {
            assert!(leads(there), "{there}");
        }
        for nowhere in ["/b", "/a/1", "/a/x", "/d/e/f", "/*/z"] {
            assert!(!leads(nowhere), "{nowhere}");
        }
        let mut all = BTreeSet::new();
        note(&value, String::new(), 2, &mut all);
        assert_eq!(all.into_iter().collect::<Vec<_>>(), ["/a", "/d", "/d/e"]);
    }
}
