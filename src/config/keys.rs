//! Names of keys: the kinds of handlers that hookgate has, and the keys of other hook systems.
//!
//! People come with configs of other systems, and with habits. A foreign key is unknown here, like
//! any other, but its error says what to write instead.

use hookgate_contract::suggest::{Suggestion, nearest};

/// The kinds of handlers that hookgate has, whether or not a program uses them.
pub(super) const KINDS: [&str; 7] =
    ["builtin", "cedar", "command", "http", "mcp", "prompt", "rego"];

/// Those of them that the command line has only if it is built with them.
pub(super) const OPTIONAL_KINDS: [&str; 2] = ["cedar", "rego"];

/// Keys of other hook systems, each with what to write instead.
const KEYS: &[(&str, &str)] = &[
    ("action", "what is done is under `builtin`, `command`, `http` or `prompt`"),
    (
        "api_key",
        "a key is never written into the file: `prompt = { api_key_env = \"…\" }` names its variable",
    ),
    ("args", "the command with all its arguments is `command = { argv = [\"…\", \"…\"] }`"),
    ("argv", "it is a setting of the handler: `command = { argv = [\"…\"] }`"),
    ("async", "this key is `background = true` here"),
    ("blocking", "a hook that cannot decide has `role = \"observe\"` here"),
    ("capability", "this key is `role` here: observe, guard or rewrite"),
    ("code", "what is run is `command = { argv = [\"…\"] }`, a fixed answer is `builtin`"),
    ("contains", "it is a test of a value: `input = { \"/command\" = { contains = \"…\" } }`"),
    ("continue_on_error", "this key is `on_failure` here: deny, ask or allow"),
    ("cwd", "this key is `cwd_glob` here, a glob for the whole path"),
    ("description", "write a TOML comment: `# …`"),
    ("disabled", "this key is `mode = \"off\"` here"),
    ("enable", "this key is `mode` here: `mode = \"off\"` takes a hook out"),
    ("enabled", "this key is `mode` here: `mode = \"off\"` takes a hook out"),
    ("ends_with", "it is a test of a value: `input = { \"/file_path\" = { ends_with = \"…\" } }`"),
    ("env", "it is a setting of the handler: `command = { …, env = [\"NAME\"] }`"),
    ("events", "this key is `event` here: a name or a list"),
    ("execution_mode", "this key is `background = true` here"),
    ("extends", "it stands at the top of the file, before the first `[[hook]]`"),
    ("fail_open", "this key is `on_failure` here: deny, ask or allow"),
    ("failClosed", "this key is `on_failure` here: deny, ask or allow"),
    ("failure_policy", "this key is `on_failure` here: deny, ask or allow"),
    (
        "glob",
        "globs for tools are written in `tool`, others are tests: `input = { \"/command\" = { glob = \"…\" } }`",
    ),
    ("handlers", "a hook has one handler: `builtin`, `command`, `http`, `mcp` or `prompt`"),
    ("hook_event_name", "this key is `event` here"),
    ("hooks", "hooks are written as `[[hook]]`"),
    ("if", "conditions are `tool`, `input`, `payload`, `agent`, `cwd_glob` here"),
    ("include", "it stands at the top of the file, before the first `[[hook]]`"),
    ("interception_point", "this key is `event` here"),
    ("match", "conditions are `tool`, `tool_glob`, `tool_regex`, `input`, `agent` here"),
    ("matcher", "this key is `tool` here; a regular expression is `tool_regex`"),
    ("matchers", "this key is `tool` here; a regular expression is `tool_regex`"),
    ("message", "it is a setting of the handler: `builtin = { name = \"deny\", reason = \"…\" }`"),
    ("model", "it is a setting of the handler: `prompt = { model = \"…\", prompt = \"…\" }`"),
    ("name", "this key is `id` here"),
    ("on", "this key is `event` here; what a failure counts as is `on_failure`"),
    ("on_error", "this key is `on_failure` here: deny, ask or allow"),
    ("once", "a hook is called at each step that its conditions match"),
    ("order", "this key is `priority` here: lower is called first"),
    ("paths", "a path is tested by `input = { \"/file_path\" = { glob = \"…\" } }`"),
    ("permission", "a fixed answer is `builtin = { name = \"deny\", reason = \"…\" }`, or `ask`"),
    ("phase", "this key is `event` here"),
    ("point", "this key is `event` here"),
    ("preempt_yolo", "a guard is always called before approvals here"),
    ("reason", "it is a setting of the handler: `builtin = { name = \"deny\", reason = \"…\" }`"),
    (
        "regex",
        "regular expressions for tools are `tool_regex`, others are tests: `input = { \"/command\" = { regex = '…' } }`",
    ),
    ("run", "this key is `command = { shell = \"…\" }` here"),
    ("runtime", "the kind is the key here: `builtin`, `command`, `http` or `prompt`"),
    ("script", "this key is `command = { argv = [\"./…\"] }` here"),
    ("shell", "it is a setting of the handler: `command = { shell = \"…\" }`"),
    ("silence", "this key is set with the handler: `command = { …, silence = \"failure\" }`"),
    (
        "starts_with",
        "it is a test of a value: `input = { \"/command\" = { starts_with = \"…\" } }`",
    ),
    ("timeout_ms", "this key is `timeout = \"500ms\"` here"),
    ("timeout_secs", "this key is `timeout = \"5s\"` here"),
    ("tool_name", "this key is `tool` here"),
    ("tools", "this key is `tool` here: a name or a list"),
    ("top_k", "a judge is asked for one answer: `temperature`, `seed` and `max_tokens` can be set"),
    ("top_p", "a judge is asked for one answer: `temperature`, `seed` and `max_tokens` can be set"),
    ("trigger", "this key is `event` here"),
    ("type", "the kind is the key here: `builtin`, `command`, `http` or `prompt`"),
    ("url", "it is a setting of the handler: `http = { url = \"…\" }`"),
    ("when", "conditions are `tool`, `input`, `payload`, `agent`, `cwd_glob` here"),
];

/// Keys of a hook that are often written below its handler, where they are unknown.
const OF_HOOK: [&str; 29] = [
    "id",
    "event",
    "tool",
    "tool_glob",
    "tool_regex",
    "regex_search",
    "safety",
    "agent",
    "subagent",
    "cwd_glob",
    "input",
    "payload",
    "role",
    "priority",
    "after",
    "before",
    "tags",
    "on_failure",
    "background",
    "merge",
    "may_allow",
    "pure",
    "canary",
    "needs",
    "required",
    "retry",
    "stream",
    "fallback",
    "on_timeout",
];

/// Returns whether a key belongs to the hook and not to its handler.
pub(super) fn is_of_hook(key: &str) -> bool {
    OF_HOOK.contains(&key)
}

/// Returns what to write instead of a key of another hook system; if no key of ours is near, instead of one
/// that may be mistyped: `tool_nam`.
pub(super) fn native_key(key: &str, near: &Suggestion) -> Option<&'static str> {
    let hint = |key: &str| KEYS.iter().find(|(foreign, _)| *foreign == key).map(|(_, hint)| *hint);
    let mistyped = || {
        let foreign: Vec<&str> = KEYS.iter().map(|(foreign, _)| *foreign).collect();
        nearest(key, &foreign).filter(|_| near.as_deref().is_none() && key.len() > 4)
    };
    hint(key).or_else(|| hint(mistyped()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_are_sorted_and_none_is_there_twice() {
        let lower = |key: &str| key.to_lowercase();
        assert!(KEYS.windows(2).all(|two| lower(two[0].0) < lower(two[1].0)));
        let (none, near) = (Suggestion::default(), Suggestion::nearest("tol", &["tool"]));
        assert!(native_key("id", &none).is_none() && native_key("matcher", &near).is_some());
        assert_eq!(native_key("tool_nam", &none), native_key("tool_name", &none));
        assert_eq!(native_key("tool_nam", &near), None);
    }
}
