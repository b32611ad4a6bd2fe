//! Names of keys: the kinds of handlers that hookgate has, and the keys of other hook systems.
//!
//! People come with configs of other systems, and with habits. A foreign key is unknown here, like
//! any other, but its error says what to write instead.

/// The kinds of handlers that hookgate has, whether or not a program uses them.
pub(super) const KINDS: [&str; 4] = ["builtin", "command", "http", "prompt"];

/// Keys of other hook systems, each with what to write instead.
const KEYS: &[(&str, &str)] = &[
    ("action", "what is done is under `builtin`, `command`, `http` or `prompt`"),
    ("args", "the command with all its arguments is `command = { argv = [\"…\", \"…\"] }`"),
    ("async", "this key is `background = true` here"),
    ("blocking", "a hook that cannot decide has `role = \"observe\"` here"),
    ("capability", "this key is `role` here: observe, guard or rewrite"),
    ("continue_on_error", "this key is `on_failure` here: deny, ask or allow"),
    ("description", "write a TOML comment: `# …`"),
    ("disabled", "this key is `mode = \"off\"` here"),
    ("enabled", "this key is `mode` here: `mode = \"off\"` takes a hook out"),
    ("events", "this key is `event` here: a name or a list"),
    ("execution_mode", "this key is `background = true` here"),
    ("fail_open", "this key is `on_failure` here: deny, ask or allow"),
    ("failClosed", "this key is `on_failure` here: deny, ask or allow"),
    ("failure_policy", "this key is `on_failure` here: deny, ask or allow"),
    ("hook_event_name", "this key is `event` here"),
    ("hooks", "hooks are written as `[[hook]]`"),
    ("interception_point", "this key is `event` here"),
    ("match", "conditions are `tool`, `tool_glob`, `tool_regex`, `input`, `agent` here"),
    ("matcher", "this key is `tool` here; a regular expression is `tool_regex`"),
    ("name", "this key is `id` here"),
    ("on_error", "this key is `on_failure` here: deny, ask or allow"),
    ("order", "this key is `priority` here: lower is called first"),
    ("phase", "this key is `event` here"),
    ("point", "this key is `event` here"),
    ("preempt_yolo", "a guard is always called before approvals here"),
    ("run", "this key is `command = { shell = \"…\" }` here"),
    ("runtime", "the kind is the key here: `builtin`, `command`, `http` or `prompt`"),
    ("script", "this key is `command = { argv = [\"./…\"] }` here"),
    ("silence", "this key is set with the handler: `command = { …, silence = \"failure\" }`"),
    ("timeout_ms", "this key is `timeout = \"500ms\"` here"),
    ("timeout_secs", "this key is `timeout = \"5s\"` here"),
    ("tool_name", "this key is `tool` here"),
    ("tools", "this key is `tool` here: a name or a list"),
    ("trigger", "this key is `event` here"),
    ("type", "the kind is the key here: `builtin`, `command`, `http` or `prompt`"),
];

/// Returns what to write instead of a key of another hook system.
pub(super) fn native_key(key: &str) -> Option<&'static str> {
    KEYS.iter().find(|(foreign, _)| *foreign == key).map(|(_, hint)| *hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_are_sorted_and_none_is_there_twice() {
        let lower = |key: &str| key.to_lowercase();
        assert!(KEYS.windows(2).all(|two| lower(two[0].0) < lower(two[1].0)));
        assert!(native_key("id").is_none() && native_key("matcher").is_some());
    }
}
