//! Whether a change of a config lets more pass or less, as far as that can be told without a step.

use serde_json::Value;

/// What a change does to a guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Direction {
    /// It lets more pass.
    Weaker,
    /// It lets less pass.
    Stronger,
    /// That cannot be told.
    Open,
}

impl Direction {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Weaker => "weaker",
            Self::Stronger => "stronger",
            Self::Open => "changed",
        }
    }

    fn of_rank(before: Option<usize>, now: Option<usize>) -> Self {
        match (before, now) {
            (Some(before), Some(now)) if now < before => Self::Weaker,
            (Some(before), Some(now)) if now > before => Self::Stronger,
            _ => Self::Open,
        }
    }

    const fn reversed(self) -> Self {
        match self {
            Self::Weaker => Self::Stronger,
            Self::Stronger => Self::Weaker,
            Self::Open => Self::Open,
        }
    }
}

/// Modes, the weakest first.
const MODES: &[&str] = &["off", "shadow", "warn", "enforce"];

/// What a failure counts as, the weakest first.
const POSTURES: &[&str] = &["allow", "ask", "deny"];

/// Builtins that always say the same, the weakest first.
const ANSWERS: &[&str] = &["allow", "ask", "deny", "halt"];

/// Conditions all of which must hold.
const ALL_OF: &[&str] = &["when.input", "when.payload", "when.registered", "when.not", "when.any"];

/// Conditions with a list of names of which one is enough; none is any.
const ONE_OF: &[&str] = &["when.safety", "when.agent", "when.cwd_glob", "when.tool"];

/// Returns what a change of one key of a hook does. Keys are those of the canonical form of a table.
pub(super) fn of_hook(key: &str, before: &Value, now: &Value) -> Direction {
    let rank = |of: &[&str]| {
        let place = |value: &Value| of.iter().position(|name| value.as_str() == Some(name));
        Direction::of_rank(place(before), place(now))
    };
    match key {
        "mode" => rank(MODES),
        "on_failure" => rank(POSTURES),
        key if key.starts_with("on_failure.") => rank(POSTURES),
        "handler.settings" | "handler.settings.name" | "handler.settings.then" => rank(ANSWERS),
        "may_allow" | "background" => match now.as_bool() {
            Some(true) => Direction::Weaker,
            _ => Direction::Stronger,
        },
        "events" => of_lists(before, now),
        key if ALL_OF.contains(&key) => of_lists(before, now).reversed(),
        key if ONE_OF.contains(&key) && !has_exceptions(before) && !has_exceptions(now) => {
            match (is_empty(before), is_empty(now)) {
                (true, false) => Direction::Weaker,
                (false, true) => Direction::Stronger,
                _ => of_lists(before, now),
            }
        }
        _ => Direction::Open,
    }
}

/// Returns what a change of a key does that is about the whole table.
pub(super) fn of_table(key: &str, before: &Value, now: &Value) -> Direction {
    let place = |value: &Value| ANSWERS.iter().position(|name| value.as_str() == Some(name));
    match key {
        key if key.starts_with("require.") => of_lists(before, now),
        "sections.escalate.then" => Direction::of_rank(place(before), place(now)),
        "sections.escalate.after" => match (before.as_u64(), now.as_u64()) {
            (Some(before), Some(now)) if now > before => Direction::Weaker,
            (Some(before), Some(now)) if now < before => Direction::Stronger,
            _ => Direction::Open,
        },
        _ => Direction::Open,
    }
}

/// A list that has more is stronger.
fn of_lists(before: &Value, now: &Value) -> Direction {
    let items = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (before, now) = (items(before), items(now));
    let has_all = |of: &[Value], in_it: &[Value]| of.iter().all(|item| in_it.contains(item));
    match (has_all(&before, &now), has_all(&now, &before)) {
        (true, false) => Direction::Stronger,
        (false, true) => Direction::Weaker,
        _ => Direction::Open,
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_none_or(Vec::is_empty)
}

/// Whether a list names what is not meant: `!x`.
fn has_exceptions(value: &Value) -> bool {
    let names = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    names.into_iter().any(|name| name.starts_with('!'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_lets_more_pass_is_weaker() {
        use Direction::{Open, Stronger, Weaker};
        let cases = [
            ("mode", json!("enforce"), json!("shadow"), Weaker),
            ("on_failure", json!("deny"), json!("allow"), Weaker),
            ("on_failure", Value::Null, json!("allow"), Open),
            ("on_failure.timeout", json!("ask"), json!("deny"), Stronger),
            ("handler.settings", json!("deny"), json!("ask"), Weaker),
            ("handler.settings", json!("log"), json!("ask"), Open),
            ("handler.settings.then", json!("halt"), json!("ask"), Weaker),
            ("may_allow", json!(false), json!(true), Weaker),
            ("when.tool", json!([]), json!(["Bash"]), Weaker),
            ("when.tool", json!(["Bash"]), json!(["Bash", "Edit"]), Stronger),
            ("when.tool", json!(["Bash"]), json!([]), Stronger),
            ("when.tool", json!(["!Bash"]), json!(["!Bash", "!Edit"]), Open),
            ("when.tool", json!(["Bash"]), json!(["Edit"]), Open),
            ("when.input", json!([]), json!([{"pointer": "/command"}]), Weaker),
            ("when.registered", json!([{"key": "runs"}]), json!([]), Stronger),
            ("events", json!([1, 2]), json!([1]), Weaker),
            ("priority", json!(1), json!(2), Open),
        ];
        for (key, before, now, direction) in cases {
            assert_eq!(of_hook(key, &before, &now), direction, "{key}: {before} to {now}");
            let reversed = if direction == Open { Open } else { direction.reversed() };
            assert_eq!(of_hook(key, &now, &before), reversed, "{key}: {now} to {before}");
        }
        assert_eq!(of_table("require.events", &json!(["stop"]), &json!([])), Weaker);
        assert_eq!(of_table("sections.escalate.after", &json!(2), &json!(5)), Weaker);
        assert_eq!(of_table("sections.escalate.then", &json!("deny"), &json!("ask")), Weaker);
    }
}
