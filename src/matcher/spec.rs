//! Conditions as they are written.

use hookgate_contract::BuiltCondition;
use hookgate_contract::payload::Safety;

use super::test::InputTest;

/// The conditions of a hook, as they are written. All conditions that are given must hold; of a
/// list, one entry is enough. Without any, the hook is called about every step of its events.
///
/// A condition is true, false, or *unknown*: the step does not carry what the condition is about,
/// such as the safety of an unclassified tool. A hook whose conditions are unknown is called, since
/// to leave a guard out would be the greater mistake.
///
/// ```
/// use hookgate::matcher::{MatchSpec, Test};
///
/// let pushes = MatchSpec::new()
///     .tool("Bash|Shell")
///     .cwd_glob("/srv/**")
///     .input("/command", Test::regex(r"\bgit\s+push\b"))
///     .input("/command", !Test::glob("*--dry-run*"));
/// assert_eq!(pushes.input.len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct MatchSpec {
    /// Names of tools, each a name, a glob (`mcp__*`, `?`, `[a-z]`, `{a,b}`), alternatives
    /// (`Edit|Write`), `*` for all, or one of these after `!` for all but that. One entry of the
    /// list must match the name, and no entry with `!` may exclude it. A list of nothing but
    /// entries with `!` matches all other names.
    pub tool: Vec<String>,
    /// Globs for the whole name of the tool, in which `\\` makes the next character literal.
    pub tool_glob: Vec<String>,
    /// Regular expressions for the whole name of the tool.
    pub tool_regex: Vec<String>,
    /// Lets `tool_regex` match a part of the name.
    pub regex_search: bool,
    /// What the tool can do to the world. It is unknown for a tool that the host has not
    /// classified.
    pub safety: Vec<Safety>,
    /// Ids or types of agents, written as `tool` is. It is unknown for a step without the type of
    /// its agent, unless the id is listed. That includes a main agent, so a host should give that
    /// one a type as well.
    pub agent: Vec<String>,
    /// Whether the agent must be a sub-agent, or must not be one. Hosts give an id to sub-agents
    /// only, so an agent with an id is a sub-agent, unless its id or type is `main`.
    pub subagent: Option<bool>,
    /// Globs for the whole path of the session's folder: `*` matches within one part of the path,
    /// `**` any number of parts (`/srv/*`, `/srv/**`, which is `/srv` as well). `.`, `..`, `//` and a slash at the end are
    /// removed from the path first; links are not followed. A glob begins with `/`, `**/` or a drive.
    /// It is unknown for a folder that is not given or relative.
    pub cwd_glob: Vec<String>,
    /// Conditions on the tool's input; at events without a tool on the payload.
    pub input: Vec<InputSpec>,
    /// Conditions on the payload, at any event.
    pub payload: Vec<InputSpec>,
    /// Conditions of registered kinds; all of them must hold.
    pub registered: Vec<BuiltCondition>,
    /// Lists of conditions. Of each list one entry must hold as a whole.
    pub any: Vec<Vec<MatchSpec>>,
    /// Conditions of which none may hold as a whole.
    pub not: Vec<MatchSpec>,
}

impl MatchSpec {
    /// Returns whether the conditions look at the session, its agent and a call of a tool, and not at the text that an event
    /// is about, nor at anything that a registered one may look at.
    pub(crate) fn reads_no_text(&self) -> bool {
        let Self {
            tool: _,
            tool_glob: _,
            tool_regex: _,
            regex_search: _,
            safety: _,
            agent: _,
            subagent: _,
            cwd_glob: _,
            input: _,
            payload,
            registered,
            any,
            not,
        } = self;
        payload.is_empty() && registered.is_empty() && any.is_empty() && not.is_empty()
    }

    /// Returns conditions that every step meets.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a pattern for the name of the tool: see [`MatchSpec::tool`](Self#structfield.tool).
    #[must_use]
    pub fn tool(mut self, pattern: impl Into<String>) -> Self {
        self.tool.push(pattern.into());
        self
    }

    /// Adds a glob for the whole name of the tool.
    #[must_use]
    pub fn tool_glob(mut self, glob: impl Into<String>) -> Self {
        self.tool_glob.push(glob.into());
        self
    }

    /// Adds a regular expression for the whole name of the tool.
    #[must_use]
    pub fn tool_regex(mut self, regex: impl Into<String>) -> Self {
        self.tool_regex.push(regex.into());
        self
    }

    /// Sets whether the regular expressions may match a part of the name. By default they must
    /// match all of it: `Edit` does not match `MultiEdit`.
    #[must_use]
    pub const fn regex_search(mut self, search: bool) -> Self {
        self.regex_search = search;
        self
    }

    /// Adds a class of tools.
    #[must_use]
    pub fn safety(mut self, safety: Safety) -> Self {
        self.safety.push(safety);
        self
    }

    /// Adds a pattern for the id or type of the agent.
    #[must_use]
    pub fn agent(mut self, pattern: impl Into<String>) -> Self {
        self.agent.push(pattern.into());
        self
    }

    /// Sets whether the agent must be a sub-agent, or must not be one.
    #[must_use]
    pub const fn subagent(mut self, subagent: bool) -> Self {
        self.subagent = Some(subagent);
        self
    }

    /// Adds a glob for the path of the session's folder.
    ///
    /// ```
    /// use hookgate::matcher::MatchSpec;
    /// use hookgate::{Engine, Event, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let below_srv = MatchSpec::new().cwd_glob("/srv/*");
    /// let guard = Hook::sync("h", |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse);
    /// let engine = Engine::new(HandlerTable::builder().insert(guard.matching(below_srv)).build()?);
    /// for (folder, denied) in [("/srv/a", true), ("/srv/a/b", false), ("/srv/x/../a", true)] {
    ///     let bash = ToolUse::propose("Bash", "{}").unwrap();
    ///     let context = StepContext::new("session-1").cwd(folder);
    ///     let cleared = engine.dispatch(bash, &context).await.cleared();
    ///     assert_eq!(cleared.is_none(), denied, "{folder}");
    /// }
    /// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn cwd_glob(mut self, glob: impl Into<String>) -> Self {
        self.cwd_glob.push(glob.into());
        self
    }

    /// Adds a test of the value at a JSON pointer into the tool's input.
    #[must_use]
    pub fn input(self, pointer: impl Into<String>, test: impl Into<InputTest>) -> Self {
        self.input_spec(InputSpec::new(pointer).test(test))
    }

    /// Adds a condition on the tool's input that has several tests.
    #[must_use]
    pub fn input_spec(mut self, spec: InputSpec) -> Self {
        self.input.push(spec);
        self
    }

    /// Adds a test of the value at a JSON pointer into the payload.
    #[must_use]
    pub fn payload(self, pointer: impl Into<String>, test: impl Into<InputTest>) -> Self {
        self.payload_spec(InputSpec::new(pointer).test(test))
    }

    /// Adds a condition of a registered kind, or one of your own: see
    /// [`ConditionKind::build`](hookgate_contract::ConditionKind::build) and
    /// [`BuiltCondition::new`].
    #[must_use]
    pub fn condition(mut self, condition: BuiltCondition) -> Self {
        self.registered.push(condition);
        self
    }

    /// Adds a list of conditions of which one must hold as a whole.
    ///
    /// ```
    /// use hookgate::matcher::{MatchSpec, Test};
    ///
    /// let pushes = MatchSpec::new().tool("Bash").input("/command", Test::glob("git push*"));
    /// let git = MatchSpec::new().tool("mcp__git__push");
    /// let either = MatchSpec::new().cwd_glob("/srv/**").any([pushes, git]);
    /// assert_eq!(either.any[0].len(), 2);
    /// ```
    #[must_use]
    pub fn any(mut self, branches: impl IntoIterator<Item = Self>) -> Self {
        self.any.push(branches.into_iter().collect());
        self
    }

    /// Adds conditions that must not hold as a whole.
    #[must_use]
    pub fn except(mut self, conditions: Self) -> Self {
        self.not.push(conditions);
        self
    }

    /// Adds a condition on the payload that has several tests.
    #[must_use]
    pub fn payload_spec(mut self, spec: InputSpec) -> Self {
        self.payload.push(spec);
        self
    }

    /// Adds all conditions of another specification, as if they were written below each other: the
    /// lists are joined, so more names of tools match more, and more tests of the input match less.
    ///
    /// ```
    /// use hookgate::matcher::{MatchSpec, Test};
    ///
    /// let shells = MatchSpec::new().tool("Bash").tool("Shell");
    /// let pushes = MatchSpec::new().input("/command", Test::glob("git push*"));
    /// let both = shells.merge(pushes);
    /// assert_eq!((both.tool.len(), both.input.len()), (2, 1));
    /// ```
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.tool.extend(other.tool);
        self.tool_glob.extend(other.tool_glob);
        self.tool_regex.extend(other.tool_regex);
        self.regex_search |= other.regex_search;
        self.safety.extend(other.safety);
        self.agent.extend(other.agent);
        self.subagent = other.subagent.or(self.subagent);
        self.cwd_glob.extend(other.cwd_glob);
        self.input.extend(other.input);
        self.payload.extend(other.payload);
        self.registered.extend(other.registered);
        self.any.extend(other.any);
        self.not.extend(other.not);
        self
    }

    /// Returns whether the conditions can hold for steps with a tool only.
    #[must_use]
    pub fn names_tools(&self) -> bool {
        !(self.tool.is_empty()
            && self.tool_glob.is_empty()
            && self.tool_regex.is_empty()
            && self.safety.is_empty())
            || self
                .any
                .iter()
                .any(|branches| !branches.is_empty() && branches.iter().all(Self::names_tools))
    }
}

/// A condition on the value at one JSON pointer. All tests must hold; where the pointer leads to
/// several values, of one and the same value.
///
/// ```
/// use hookgate::matcher::{InputSpec, MatchSpec, Test};
///
/// // One element must be a path of /etc, and not the one that everybody may read.
/// let paths = InputSpec::new("/paths/*").test(Test::glob("/etc/*")).test(!Test::equals("/etc/hosts"));
/// let spec = MatchSpec::new().input_spec(paths);
/// assert_eq!(spec.input[0].tests.len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InputSpec {
    /// The pointer (RFC 6901). Beside keys, `*` is any element of an array or value of an object,
    /// and `**` at the end any string at that point or below it.
    ///
    /// An object without the key and an array without the element have no value there: every test
    /// but `exists` is false. If something else is found where an object or array was expected,
    /// such as a string that contains JSON, it is unknown.
    pub pointer: String,
    /// The tests.
    pub tests: Vec<InputTest>,
}

impl InputSpec {
    /// Creates a condition without tests, which always holds.
    #[must_use]
    pub fn new(pointer: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), tests: Vec::new() }
    }

    /// Adds a test.
    #[must_use]
    pub fn test(mut self, test: impl Into<InputTest>) -> Self {
        self.tests.push(test.into());
        self
    }
}
