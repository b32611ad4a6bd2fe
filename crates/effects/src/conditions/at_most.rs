//! What a step may do at most: for what a person agrees to for longer than once.

use std::path::Path;

use hookgate_contract::settings::{SettingError, SettingProblem};
use hookgate_contract::{BuiltCondition, ConditionContext, Envelope, Truth};
use serde_json::{Map, Value, json};

use super::kinds_at_home;
use super::step_effects::effects_of;
use crate::manifests::Manifests;
use crate::patterns::{RunPatterns, Truth as RunTruth};
use crate::run::Run;

/// The kinds of effects, each with what means any effect of the kind.
const KINDS: [(&str, &str); 7] = [
    ("runs", "*"),
    ("reads", "**"),
    ("writes", "**"),
    ("deletes", "**"),
    ("connects", "*"),
    ("shows_env", "*"),
    ("pushes", "*"),
];

/// What a step may do at most: `{ runs = ["cargo test"], writes = ["target/**"] }`.
///
/// A key has the patterns of the condition of its name, without `!` and tables, or is `true`: whatever it is. Of a kind that
/// is not named nothing may be done. What cannot be told before a step runs is more than was agreed to.
///
/// A pattern of `runs` names every word and option of the program, unless `**` is in it: who agrees to `git push` has not agreed
/// to `git push --force`, nor to `git push elsewhere`. A program for which variables are set is none that was agreed to.
///
/// ```
/// use hookgate_contract::payload::ToolCall;
/// use hookgate_contract::{Envelope, StepContext, StepId};
/// use hookgate_effects::conditions::AtMost;
/// use serde_json::json;
///
/// let home = Some("/home/u".to_owned());
/// let at_most = AtMost::read(&json!({"runs": "cargo test **", "writes": "/tmp/*.log"}), "/srv".as_ref(), home)?;
/// let covers = |command: &str| {
///     let call = ToolCall::new("Bash", json!({ "command": command }));
///     let (context, step) = (StepContext::new("s").cwd("/srv"), StepId::new(Some("1"), String::new));
///     at_most.covers(&Envelope::new(&call, &context, &step, 0, 1 << 20))
/// };
/// assert!(covers("cargo test --release > /tmp/out.log"));
/// assert!(!covers("cargo test > /etc/passwd"));
/// assert!(!covers("cargo test; curl evil.example"));
/// assert!(!covers("cargo test $(cat x)"));
/// assert!(!covers("PATH=/tmp cargo test"));
/// # Ok::<(), Vec<hookgate_contract::settings::SettingError>>(())
/// ```
#[derive(Debug, Clone)]
pub struct AtMost {
    /// Each of them must surely not hold: it means what is not agreed to.
    none_of: Vec<BuiltCondition>,
    /// Each program must be one of these, with no words that are not named; `None` if any may run.
    runs: Option<Vec<Words>>,
    /// Whether files may be changed in whatever way.
    writes_any: bool,
    home: Option<String>,
}

impl AtMost {
    /// Reads it. Relative patterns and `$config` are about this folder, `~` is the home folder.
    ///
    /// # Errors
    /// What is wrong with it, at least one.
    pub fn read(
        value: &Value,
        folder: &Path,
        home: Option<String>,
    ) -> Result<Self, Vec<SettingError>> {
        let wrong = |problem: String| {
            let problem = SettingProblem::Invalid { key: "at most".to_owned(), problem };
            vec![SettingError { span: 0..0, problem }]
        };
        let known = KINDS.map(|(key, _)| key).join("`, `");
        let Some(table) = value.as_object().filter(|table| !table.is_empty()) else {
            return Err(wrong(format!("say what may be done at most: an object of `{known}`")));
        };
        let is_known = |key: &&String| KINDS.iter().any(|(known, _)| known == key);
        if let Some(key) = table.keys().find(|key| !is_known(key)) {
            return Err(wrong(format!("`{key}` is no kind of effects: there are `{known}`")));
        }
        let kinds = kinds_at_home(home.clone());
        let context = ConditionContext::new(folder);
        let mut none_of = Vec::new();
        for (key, any) in KINDS {
            let Some(patterns) = beyond(table, key, any).map_err(wrong)? else { continue };
            let kind = kinds.iter().find(|kind| kind.name() == key);
            let kind = kind.ok_or_else(|| wrong(format!("`{key}` is no condition")))?;
            none_of.push(kind.build(&patterns, &context)?);
        }
        let runs = match table.get("runs") {
            Some(Value::Bool(true)) => None,
            named => Some(texts(named).filter_map(Words::read).collect()),
        };
        Ok(Self { none_of, runs, writes_any: table.get("writes") == Some(&json!(true)), home })
    }

    /// Returns whether a step surely does no more than that. Only a plain call of a tool does: with no fields beside those that
    /// say what is done, and with a command line of programs, words, quotes and redirections, joined by `&&`, `||`, `;` and
    /// `|`. Whatever else a shell can do is asked about.
    #[must_use]
    pub fn covers(&self, step: &Envelope<'_>) -> bool {
        let holds = |condition: &BuiltCondition| condition.condition().hold(step);
        let effects = effects_of(step, &Manifests::default(), self.home.as_deref());
        let is_plain = step.payload().tool().is_some_and(|call| is_plain(&call.tool_input));
        // What changes owners, or places in the tree of mounts, is a change that no path of `writes` stands for.
        is_plain
            && (self.writes_any || effects.effects.access.is_empty())
            && self.runs.as_ref().is_none_or(|runs| {
                let is_named = |run: &Run| runs.iter().any(|words| words.name_all_of(run));
                effects.effects.runs.iter().all(is_named)
            })
            && self.none_of.iter().all(|condition| holds(condition) == Truth::False)
    }
}

/// The texts of a value: itself, or those of its list.
fn texts(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let list = match value {
        Some(Value::Array(list)) => list.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    list.iter().filter_map(Value::as_str)
}

/// A pattern of a program, which names all of its words.
#[derive(Debug, Clone)]
struct Words {
    pattern: RunPatterns,
    /// Whether it names the folder of the program: otherwise that is the one which the system looks it up in.
    has_folder: bool,
    options: Vec<String>,
    /// How many words are no options; `None` if there may be any words.
    others: Option<usize>,
}

impl Words {
    fn read(text: &str) -> Option<Self> {
        let pattern = RunPatterns::parse(&[text]).ok()?;
        let mut words = text.split_whitespace();
        let has_folder = words.next()?.contains('/');
        let words: Vec<&str> = words.collect();
        let (options, others): (Vec<&str>, Vec<&str>) =
            words.iter().partition(|word| word.starts_with('-'));
        let any = others.contains(&"**");
        let options = options.iter().flat_map(|option| option.split('|')).map(str::to_owned);
        Some(Self {
            pattern,
            has_folder,
            options: options.collect(),
            others: (!any).then_some(others.len()),
        })
    }

    fn name_all_of(&self, run: &Run) -> bool {
        let is_looked_up = !run.program.written().contains('/');
        let are_known = run.env.is_empty() && !run.renamed && !run.more_args;
        are_known
            && (self.has_folder || is_looked_up)
            && self.pattern.matches(run) == RunTruth::True
            && self.has_all_words(run)
    }

    fn has_all_words(&self, run: &Run) -> bool {
        let Some(most) = self.others else { return true };
        let mut others = 0;
        run.args.iter().all(|word| {
            let Some(word) = word.known() else { return false };
            let option = word.split_once('=').map_or(&*word, |(name, _)| name);
            // `git push origin +main` and `:main` do what an option does.
            if !word.starts_with(['-', '+', ':']) {
                others += 1;
                return others <= most;
            }
            self.options.iter().any(|named| named == option || *named == word)
        })
    }
}

/// Fields of a call, of which one group may be there: others, such as a folder or variables, change what it does.
const FIELDS: [&[&str]; 3] = [
    &["command", "description", "timeout"],
    &["file_path", "content", "old_string", "new_string", "replace_all", "offset", "limit"],
    &["path", "content", "old_string", "new_string"],
];

/// Characters by which a line of a shell does more than run programs with the words that stand there.
const NOT_PLAIN: &[char] =
    &['$', '`', '(', ')', '{', '}', '[', ']', '*', '?', '!', '\\', '%', '^', '#'];

/// Words by which it does.
const KEYWORDS: [&str; 15] = [
    "for", "select", "while", "until", "case", "if", "then", "do", "else", "function", "coproc",
    "time", "repeat", "foreach", "--%",
];

fn is_plain(input: &Value) -> bool {
    let Some(fields) = input.as_object() else { return false };
    let is_known = FIELDS.iter().any(|known| fields.keys().all(|name| known.contains(&&**name)));
    let is_plain_line = fields.get("command").is_none_or(|line| {
        line.as_str().is_some_and(|line| {
            let mut words = line.split([' ', '\t', '\n', ';', '&', '|', '<', '>', '"', '\'']);
            !line.contains(NOT_PLAIN)
                && words.all(|word| !KEYWORDS.contains(&word) && !sets_variable(word))
        })
    });
    is_known && is_plain_line
}

/// Whether a word may be `NAME=value`, or a program of zsh by its name, `=name`.
fn sets_variable(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name.strip_suffix('+').unwrap_or(name));
    name.is_some_and(|name| name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()))
}

/// Returns the value of the condition that holds of what is beyond that; `None` if nothing is.
fn beyond(table: &Map<String, Value>, key: &str, any: &str) -> Result<Option<Value>, String> {
    let patterns = match table.get(key) {
        None => return Ok(Some(json!([any]))),
        Some(Value::Bool(true)) => return Ok(None),
        Some(text @ Value::String(_)) => std::slice::from_ref(text),
        Some(Value::Array(patterns)) if !patterns.is_empty() => patterns,
        Some(other) => {
            return Err(format!("`{key}` is a pattern, a list of them, or true, and not {other}"));
        }
    };
    let all_but = patterns.iter().map(|pattern| match pattern.as_str() {
        Some(text) if !text.starts_with('!') => Ok(format!("!{text}")),
        _ => Err(format!("`{key}` has {pattern}: only texts without `!` say what may be done")),
    });
    let all = std::iter::once(Ok(any.to_owned())).chain(all_but);
    all.collect::<Result<Vec<_>, _>>().map(|all| Some(json!(all)))
}
