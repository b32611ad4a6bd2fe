//! Settings of a hook that its handler cannot use, or that were hardly meant as they are written.
//!
//! Each of them loads, is listed, and does nothing: a `merge` where nothing is patched, a deadline for
//! a function that has none, a program that denies where nothing can be denied. What can never have an
//! effect is a mistake. What may be meant is a warning.

use std::ops::Range;
use std::path::PathBuf;

use hookgate_contract::settings::{Node, NodeValue, SettingProblem};
use hookgate_contract::{BuiltHandler, FailureClass, Handler, Role, file};

use super::locate::value_of;
use super::problem::ConfigProblem;
use super::reader::Reader;
use crate::table::EventSelector;

/// The largest script that is searched for an exit code, in bytes.
const SCRIPT: u64 = 256 * 1024;

/// What is known of a hook after its settings were read.
pub(super) struct ReadHook<'a> {
    pub(super) node: &'a Node,
    pub(super) role: Option<Role>,
    pub(super) merge: bool,
    pub(super) kind: &'a str,
    pub(super) built: &'a BuiltHandler,
    pub(super) events: &'a [EventSelector],
    pub(super) failures: &'a [FailureClass],
    /// Whether its conditions look into values, which takes time for a large step.
    pub(super) looks_into_values: bool,
}

impl ReadHook<'_> {
    fn setting(&self, key: &str) -> Option<&Node> {
        value_of(self.node, key)
    }

    fn span_of(&self, key: &str) -> Range<usize> {
        self.setting(key).map_or_else(|| self.node.span.clone(), |node| node.span.clone())
    }
}

/// Reports settings that the handler of the hook cannot use.
pub(super) fn check_use(reader: &mut Reader<'_>, hook: &ReadHook<'_>) {
    check_role(reader, hook);
    check_failures(reader, hook);
    warn_of_timeout(reader, hook);
    if hook.kind == "builtin" {
        warn_of_variables(reader, hook);
    }
    if hook.kind == "command" {
        warn_of_whole_patch(reader, hook);
        if hook.role.is_none() {
            warn_of_mute_guard(reader, hook);
        }
    }
}

fn invalid(reader: &mut Reader<'_>, hook: &ReadHook<'_>, key: &str, problem: String) {
    let problem = SettingProblem::Invalid { key: key.to_owned(), problem };
    reader.error(hook.span_of(key), ConfigProblem::Setting(problem));
}

/// Refuses `merge` and `role = "rewrite"` on a handler that patches nothing.
fn check_role(reader: &mut Reader<'_>, hook: &ReadHook<'_>) {
    let declared = hook.built.role.filter(|_| hook.kind == "builtin");
    let patches_nothing = |role: Option<Role>| matches!(role, Some(Role::Guard | Role::Observe));
    if hook.role == Some(Role::Rewrite) && patches_nothing(declared) {
        let problem = "this builtin patches nothing: leave `role` out".to_owned();
        invalid(reader, hook, "role", problem);
    }
    let role = declared.or(hook.role).or(hook.built.role);
    if hook.merge && patches_nothing(role) {
        let problem = "it is for hooks that patch the step (`role = \"rewrite\"`), and this one \
                       patches nothing: leave it out";
        invalid(reader, hook, "merge", problem.to_owned());
    }
}

/// Returns whether the handler is a builtin of hookgate. One of the host may fail in any way.
fn is_own_builtin(hook: &ReadHook<'_>) -> bool {
    let name = match hook.setting("builtin") {
        Some(Node { value: NodeValue::Text(name), .. }) => Some(name),
        Some(table) => match value_of(table, "name") {
            Some(Node { value: NodeValue::Text(name), .. }) => Some(name),
            _ => None,
        },
        None => None,
    };
    #[cfg(feature = "builtin")]
    let is_own = |name: &String| hookgate_builtin::builtin(name).is_some();
    #[cfg(not(feature = "builtin"))]
    let is_own = |_: &String| false;
    name.is_some_and(is_own)
}

/// Refuses postures for failures that a function of this process does not have.
fn check_failures(reader: &mut Reader<'_>, hook: &ReadHook<'_>) {
    if !is_own_builtin(hook) || !matches!(hook.built.handler, Handler::Sync(_)) {
        return;
    }
    for &class in hook.failures {
        let never = match class {
            // On a large step it is called beside the dispatch, which has a deadline.
            FailureClass::Timeout => !(hook.built.heavy || hook.looks_into_values),
            FailureClass::Spawn
            | FailureClass::Exit
            | FailureClass::Signal
            | FailureClass::Unreachable
            | FailureClass::HttpStatus
            | FailureClass::Auth => true,
            FailureClass::State => !hook.built.keeps_state,
            _ => false,
        };
        if never {
            let problem = match class {
                FailureClass::State => {
                    "this builtin counts and remembers nothing: it never fails so; \
                                        leave it out"
                }
                _ => {
                    "a builtin answers at once, without a process or a service: it never fails so; \
                      leave it out"
                }
            };
            invalid(reader, hook, crate::table::override_key(class), problem.to_owned());
        }
    }
}

/// Warns of a deadline that nothing can hold. Builtins need none.
fn warn_of_timeout(reader: &mut Reader<'_>, hook: &ReadHook<'_>) {
    let stays = matches!(hook.built.handler, Handler::Sync(_)) && !hook.built.heavy;
    let bounds_nothing = stays && hook.kind != "builtin" && !hook.looks_into_values;
    if bounds_nothing && hook.setting("timeout").is_some() {
        let problem =
            "`timeout` has no effect: this handler answers at once, and cannot be stopped";
        let problem = ConfigProblem::Condition(problem.to_owned());
        reader.warn(hook.span_of("timeout"), problem);
    }
}

/// The settings of builtins that people or models read.
const PROSE: [&str; 4] = ["reason", "message", "text", "context"];

/// Warns of `${X}` in a text that is shown as it is.
fn warn_of_variables(reader: &mut Reader<'_>, hook: &ReadHook<'_>) {
    let Some(Node { value: NodeValue::Table(entries), .. }) = hook.setting("builtin") else {
        return;
    };
    for entry in entries.iter().filter(|entry| PROSE.contains(&entry.key.as_str())) {
        let NodeValue::Text(text) = &entry.node.value else { continue };
        if let Some(name) = variable(text) {
            let problem = format!(
                "`{}`: `${{{name}}}` is shown as it is: variables of the environment are not replaced",
                entry.key
            );
            reader.warn(entry.node.span.clone(), ConfigProblem::Condition(problem));
        }
    }
}

/// Returns the first `${NAME}` of a text.
fn variable(text: &str) -> Option<&str> {
    text.split("${").skip(1).find_map(|rest| {
        let (name, _) = rest.split_once('}')?;
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name.then_some(name)
    })
}

/// Signs of a program that keeps the fields of the input itself, or that answers and patches nothing.
const KEEPS_FIELDS: [&str; 8] =
    ["**", "...", "|=", "update(", "dict(", "copy(", "Object.assign", "answer"];

/// Warns of a rewriter of tool inputs that does not say whether its patch replaces the whole input,
/// unless its program seems to keep what is there.
fn warn_of_whole_patch(reader: &mut Reader<'_>, hook: &ReadHook<'_>) {
    let patches_input = |on: &EventSelector| {
        on.without_role().is_some_and(|event| {
            event.contract().patch.iter().any(|field| field.name == "tool_input")
        })
    };
    let keeps = |text: &str| KEEPS_FIELDS.iter().any(|sign| text.contains(sign));
    if hook.role == Some(Role::Rewrite)
        && hook.setting("merge").is_none()
        && hook.events.iter().any(patches_input)
        && !program_says(hook, keeps)
    {
        let text = "without `merge = true` a patch replaces the whole input of the tool, with the \
                    fields that it does not name: write `merge = true` to keep these, or \
                    `merge = false` if it is meant";
        reader.warn(hook.span_of("role"), ConfigProblem::Condition(text.to_owned()));
    }
}

/// Warns of a program that exits with 2 at events where nothing can be denied.
fn warn_of_mute_guard(reader: &mut Reader<'_>, hook: &ReadHook<'_>) {
    let watches = |on: &EventSelector| {
        on.without_role().is_some_and(|event| event.contract().default_role() == Role::Observe)
    };
    if !hook.events.is_empty()
        && hook.events.iter().all(watches)
        && program_says(hook, exits_with_2)
    {
        let text = "this program exits with 2, and nothing can be denied at this event: the hook \
                    only observes; write `role = \"observe\"` if that is meant";
        reader.warn(hook.span_of("event"), ConfigProblem::Condition(text.to_owned()));
    }
}

/// Returns whether the text of the program, or of one of its scripts, has a property.
fn program_says(hook: &ReadHook<'_>, says: impl Fn(&str) -> bool) -> bool {
    let shell = hook.setting("command").and_then(|command| value_of(command, "shell"));
    if let Some(NodeValue::Text(text)) = shell.map(|shell| &shell.value) {
        return says(text);
    }
    let text = |script: &PathBuf| {
        let bytes = file::read(script, SCRIPT).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    hook.built.sources.iter().filter_map(text).any(|text| says(&text))
}

/// Returns whether a program text has `exit 2`, `exit(2)`, `sys.exit(2)` or the like.
fn exits_with_2(text: &str) -> bool {
    text.split("exit").skip(1).any(|rest| {
        let number = rest.trim_start_matches([' ', '(', '\t']);
        rest.len() > number.len()
            && number
                .strip_prefix('2')
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_exit_codes_are_seen() {
        assert_eq!(variable("ask ${USER} first"), Some("USER"));
        for plain in ["$USER", "${1}", "${", "${a b}", "{{ effect }}", "$(id)"] {
            assert_eq!(variable(plain), None, "{plain}");
        }
        for denies in ["exit 2", "sys.exit(2)", "process.exit( 2 )", "x && exit 2;"] {
            assert!(exits_with_2(denies), "{denies}");
        }
        for other in ["exit 0", "exit 20", "exit2", "", "exit(code)"] {
            assert!(!exits_with_2(other), "{other}");
        }
    }
}
