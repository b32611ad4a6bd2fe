//! Keys of other hook systems, and what says the same here.

/// The keys by which the configs of other systems are known, each with the key of ours.
const KEYS: &[(&str, &str)] = &[
    ("action", "what is done stands under `builtin`, `command`, `http` or `prompt`"),
    ("args", "all words of the command stand in `command = { argv = [\"…\", \"…\"] }`"),
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
    ("order", "this key is `priority` here: lower is asked first"),
    ("phase", "this key is `event` here"),
    ("point", "this key is `event` here"),
    ("preempt_yolo", "a guard is always asked before approvals here"),
    ("run", "this key is `command = { shell = \"…\" }` here"),
    ("runtime", "the kind is the key here: `builtin`, `command`, `http` or `prompt`"),
    ("script", "this key is `command = { argv = [\"./…\"] }` here"),
    ("timeout_ms", "this key is `timeout = \"500ms\"` here"),
    ("timeout_secs", "this key is `timeout = \"5s\"` here"),
    ("tool_name", "this key is `tool` here"),
    ("tools", "this key is `tool` here: a name or a list"),
    ("trigger", "this key is `event` here"),
    ("type", "the kind is the key here: `builtin`, `command`, `http` or `prompt`"),
];

/// What to write in place of a key of another system.
pub(super) fn ours(key: &str) -> Option<&'static str> {
    KEYS.iter().find(|(foreign, _)| *foreign == key).map(|(_, hint)| *hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_are_sorted_and_none_is_there_twice() {
        let lower = |key: &str| key.to_lowercase();
        assert!(KEYS.windows(2).all(|two| lower(two[0].0) < lower(two[1].0)));
        assert!(ours("id").is_none() && ours("matcher").is_some());
    }
}
