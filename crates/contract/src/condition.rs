//! What a condition implements, and a condition as a hook has it.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::command::Command;
use crate::contract::Supports;
use crate::envelope::Envelope;
use crate::truth::Truth;

/// A compiled condition of one hook.
///
/// It is called on the thread that dispatches, or on a blocking thread if the step is large. It must
/// answer at once, and never wait for anything. A panic is caught: the hook has failed with class
/// `panic`.
pub trait Condition: Send + Sync {
    /// Returns whether the condition holds for a step. What is costly to find out is shared by all
    /// hooks with [`Envelope::derived`].
    fn hold(&self, step: &Envelope<'_>) -> Truth;

    /// Explains the answer of [`Condition::hold`] in one plain sentence without a full stop: what was
    /// compared with what, and for unknown which thing is not known, and why:
    /// "`$CMD` is not known before it runs".
    fn explain(&self, step: &Envelope<'_>) -> String;

    /// Names what of the step made it hold, for `{{ effect }}` in the reason of a hook:
    /// "`cat` reads /home/u/.env".
    fn subject(&self, step: &Envelope<'_>) -> Option<String> {
        let _ = step;
        None
    }

    /// Is told once for each step for which all conditions of the hook hold or are unknown, right
    /// before the hook is called; in every mode of the hook but `off`. A step that is evaluated again
    /// in the final round is not told again. Conditions inside of `any` and `not` are not told. The
    /// truth is that of all conditions: true, or unknown because of a registered one.
    fn held(&self, step: &Envelope<'_>, truth: Truth) {
        let _ = (step, truth);
    }

    /// Returns why no call of a tool meets it, as far as the name of the tool tells: one that runs no program, say.
    /// `None` if a call may meet it, or if nothing is known of the tool.
    fn never_of_tool(&self, tool: &str) -> Option<String> {
        let _ = tool;
        None
    }

    /// Returns calls that surely meet it by themselves, each with the name of the tool and its input. They are made
    /// up to find conditions that exclude each other; there need not be any.
    fn examples(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// Returns whether it means single commands of a step, which [`Condition::commands`] names.
    fn means_commands(&self) -> bool {
        false
    }

    /// Returns the commands of a step that it means, surely or perhaps. It holds because of one of them.
    fn commands(&self, step: &Envelope<'_>) -> Vec<Command> {
        let _ = step;
        Vec::new()
    }

    /// Returns whether its answer depends on where a command works, or on what became of it. Beside a condition that
    /// [means commands](Condition::means_commands), or inside of `any` or `not` of the same hook, it is asked
    /// with [`Condition::hold_for`] about each of these commands; both must hold for the same one.
    fn depends_on_place(&self) -> bool {
        false
    }

    /// Returns whether it holds for one command of the step.
    fn hold_for(&self, step: &Envelope<'_>, command: &Command) -> Truth {
        let _ = command;
        self.hold(step)
    }

    /// Explains the answer of [`Condition::hold_for`], as [`Condition::explain`] does for the step.
    fn explain_for(&self, step: &Envelope<'_>, command: &Command) -> String {
        let _ = command;
        self.explain(step)
    }

    /// Names what made it hold for one command, as [`Condition::subject`] does for the step.
    fn subject_for(&self, step: &Envelope<'_>, command: &Command) -> Option<String> {
        let _ = command;
        self.subject(step)
    }

    /// Returns whether it wants to be told of commands by [`Condition::held_by`].
    fn wants_commands(&self) -> bool {
        false
    }

    /// Is told in the place of [`Condition::held`] if the hook has conditions that
    /// [mean commands](Condition::means_commands) and it [wants](Condition::wants_commands) to know which.
    fn held_by(&self, step: &Envelope<'_>, truth: Truth, commands: &[Command]) {
        let _ = commands;
        self.held(step, truth);
    }

    /// Returns whether it depends on how often the other conditions of its own hook held. Then it is
    /// evaluated after all of them, and is told before by [`Condition::noted`] if they hold or are
    /// unknown: again in the final round, where it must not count the step again. Conditions inside of
    /// `any` and `not` are not told.
    fn comes_last(&self) -> bool {
        false
    }

    /// Returns whether it keeps something when it [has held](Condition::held) that conditions or handlers of
    /// other hooks test later.
    fn keeps_history(&self) -> bool {
        false
    }

    /// Returns whether it depends on what other hooks have kept, or on how often they held. If such a hook
    /// could not be read, nobody can tell whether this condition holds.
    fn uses_history(&self) -> bool {
        false
    }

    /// Returns whether its answer depends on the time, or on what is there beside the step, such as a branch that is
    /// checked out. That it does not hold for a step with a known outcome shows nothing then.
    fn depends_on_surroundings(&self) -> bool {
        false
    }

    /// Returns the mark that it sets when it [has held](Condition::held).
    fn sets_mark(&self) -> Option<&str> {
        None
    }

    /// Returns the marks that must be set before, so that it holds.
    fn needs_marks(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Returns the id of the hook that it wants to be told of, in [`Condition::noted`]. The table is
    /// refused if it has no such hook, or if that is off.
    fn watches(&self) -> Option<&str> {
        None
    }

    /// Is told, once for each step, that all conditions of the hook which it watches hold or are
    /// unknown.
    fn noted(&self, step: &Envelope<'_>) {
        let _ = step;
    }

    /// Returns whether it means files: the [commands](Condition::commands) that it names say which.
    fn means_files(&self) -> bool {
        false
    }

    /// Returns whether it wants to know of which files the conditions of the hook are that it is told of. The
    /// table is refused if none of them [means files](Condition::means_files).
    fn wants_files(&self) -> bool {
        false
    }

    /// Is told in the place of [`Condition::noted`] if it [wants](Condition::wants_files) to know the files, with
    /// the commands that say which.
    fn noted_files(&self, step: &Envelope<'_>, commands: &[Command]) {
        let _ = commands;
        self.noted(step);
    }

    /// Returns whether it wants to see all calls of tools at the events of its hook, those for which the hook is not
    /// called, too: in [`Condition::saw`].
    fn sees_calls(&self) -> bool {
        false
    }

    /// Is told of a call before the conditions are evaluated, perhaps more than once.
    fn saw(&self, step: &Envelope<'_>) {
        let _ = step;
    }

    /// Returns whether its work grows with the step, so that for a step of more than 64 KiB it is done
    /// on a blocking thread, where a deadline can end the wait.
    fn is_heavy(&self) -> bool {
        true
    }

    /// Returns what may not be intended, each a sentence: `hookgate check` shows it at the value. It is
    /// asked when all conditions of the file have been read.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns why it may never hold, each a sentence: `hookgate check` and editors show it at the value. What
    /// is too dear for every load is found out here, such as whether there is a step that a pattern fits.
    fn doubts(&self) -> Vec<String> {
        Vec::new()
    }
}

impl fmt::Debug for dyn Condition + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Condition")
    }
}

/// A condition as a hook has it: compiled, and as it was written.
///
/// Two of them are equal if they are written alike.
#[derive(Clone)]
pub struct BuiltCondition {
    pub(crate) key: &'static str,
    pub(crate) written: Value,
    pub(crate) condition: Arc<dyn Condition>,
    pub(crate) supports: Option<Supports>,
    pub(crate) is_set: bool,
    pub(crate) nests: bool,
}

impl BuiltCondition {
    /// Makes a condition that is not of a kind. The key and the value stand for it in listings, and in
    /// the hash of the config: they must say all that it depends on.
    pub fn new(
        key: &'static str,
        written: impl Into<Value>,
        condition: impl Condition + 'static,
    ) -> Self {
        Self {
            key,
            written: written.into(),
            condition: Arc::new(condition),
            supports: None,
            is_set: false,
            nests: true,
        }
    }

    /// Returns the key.
    #[must_use]
    pub const fn key(&self) -> &'static str {
        self.key
    }

    /// Returns the value as it was written.
    #[must_use]
    pub const fn written(&self) -> &Value {
        &self.written
    }

    /// Returns the compiled condition.
    #[must_use]
    pub const fn condition(&self) -> &Arc<dyn Condition> {
        &self.condition
    }

    /// Returns at which events it makes sense: see
    /// [`ConditionKind::supports`](crate::ConditionKind::supports).
    #[must_use]
    pub const fn supports(&self) -> Option<Supports> {
        self.supports
    }

    /// Returns whether neither order nor repetition matters in a list that is its value.
    #[must_use]
    pub const fn is_set(&self) -> bool {
        self.is_set
    }

    /// Returns whether it can stand inside of `any` and `not`.
    #[must_use]
    pub const fn nests(&self) -> bool {
        self.nests
    }
}

impl PartialEq for BuiltCondition {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.written == other.written
    }
}

impl fmt::Debug for BuiltCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.key, self.written)
    }
}
