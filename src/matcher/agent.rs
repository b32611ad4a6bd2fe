//! Patterns for the agent of a step.
//!
//! An agent has an id, which is unique, and a type, which says what it is for; a pattern may mean
//! either. Many hosts report neither for their main agent. Then it is unknown which agent acts, and
//! a guard of one agent is called.
//!
//! | patterns | agent `7` of type `coder` | id `7`, no type | neither |
//! |---|---|---|---|
//! | `reviewer` | false | unknown | unknown |
//! | `7` | true | true | unknown |
//! | `!reviewer` | true | unknown | unknown |

use regex::Regex;

use super::error::MatchError;
use super::name::names;
use super::pattern::{glob, regex};
use super::truth::Truth;

/// The patterns of `agent`, compiled.
#[derive(Debug, Default)]
pub(super) struct Agents {
    /// The patterns without `!`.
    included: Names,
    /// The patterns after `!`.
    excluded: Names,
}

/// Plain names, and globs.
#[derive(Debug, Default)]
struct Names {
    exact: Vec<String>,
    globs: Vec<Regex>,
}

impl Names {
    fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.globs.is_empty()
    }

    fn matches(&self, name: &str) -> bool {
        self.exact.iter().any(|exact| exact == name)
            || self.globs.iter().any(|glob| glob.is_match(name))
    }
}

impl Agents {
    /// Compiles patterns, and reports those that cannot be used.
    pub(super) fn compile(
        patterns: &[String],
        errors: &mut Vec<(&'static str, MatchError)>,
    ) -> Self {
        let mut agents = Self::default();
        for text in patterns {
            match names(text) {
                Ok(pattern) => {
                    let names =
                        if pattern.negated { &mut agents.excluded } else { &mut agents.included };
                    names.exact.extend(pattern.exact().map(str::to_owned));
                    for source in pattern.globs() {
                        match glob(source).and_then(|source| regex(&source, text)) {
                            Ok(glob) => names.globs.push(glob),
                            Err(error) => errors.push(("agent", error)),
                        }
                    }
                }
                Err(error) => errors.push(("agent", MatchError::name("agent", text, error))),
            }
        }
        agents
    }

    pub(super) fn is_empty(&self) -> bool {
        self.included.is_empty() && self.excluded.is_empty()
    }

    /// Returns whether an agent of this id and type is meant. A type settles it. Without one it is
    /// unknown, unless the id is listed.
    pub(super) fn hold(&self, id: Option<&str>, kind: Option<&str>) -> Truth {
        if self.is_empty() {
            return Truth::True;
        }
        let given = |name: Option<&'_ str>| name.is_some_and(|name| !name.is_empty());
        let any = |names: &Names| {
            [id, kind].into_iter().flatten().any(|name| !name.is_empty() && names.matches(name))
        };
        if any(&self.excluded) {
            return Truth::False;
        }
        let included = self.included.is_empty() || any(&self.included);
        match (given(kind), included) {
            (true, included) => included.into(),
            (false, true) if given(id) && self.excluded.is_empty() => Truth::True,
            (false, _) => Truth::Unknown,
        }
    }
}

/// The id or type under which a host may report its main agent.
const MAIN: &str = "main";

/// Returns whether an agent was started by another one. Hosts give an id to sub-agents only; a main
/// agent may have a type, or is called `main`.
pub(super) fn is_subagent(id: Option<&str>, kind: Option<&str>) -> bool {
    let is_main = |name: Option<&str>| name.is_some_and(|name| name.eq_ignore_ascii_case(MAIN));
    id.is_some_and(|id| !id.is_empty()) && !is_main(id) && !is_main(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(patterns: &[&str], id: Option<&str>, kind: Option<&str>) -> Truth {
        let mut errors = Vec::new();
        let patterns: Vec<_> = patterns.iter().map(|&text| text.to_owned()).collect();
        let agents = Agents::compile(&patterns, &mut errors);
        assert_eq!(errors, []);
        agents.hold(id, kind)
    }

    #[test]
    fn an_agent_that_nobody_named_cannot_be_told() {
        use Truth::{False, True, Unknown};
        for (patterns, id, kind, expected) in [
            (&["reviewer"][..], None, None, Unknown),
            (&["reviewer"], Some("7"), None, Unknown),
            (&["reviewer"], Some(""), Some(""), Unknown),
            (&["reviewer"], Some("7"), Some("reviewer"), True),
            (&["reviewer"], None, Some("reviewer"), True),
            (&["reviewer"], Some("7"), Some("coder"), False),
            (&["reviewer"], None, Some("coder"), False),
            (&["7"], Some("7"), None, True),
            (&["re*|coder"], None, Some("coder"), True),
            (&["*"], None, None, Unknown),
            (&["*"], Some("7"), None, True),
            (&["!reviewer"], None, Some("coder"), True),
            (&["!reviewer"], Some("7"), Some("reviewer"), False),
            (&["!reviewer"], Some("7"), None, Unknown),
            (&["!reviewer"], None, None, Unknown),
            (&["!7"], Some("7"), None, False),
            (&["*", "!re*"], None, Some("reviewer"), False),
            (&["*", "!re*"], Some("7"), None, Unknown),
            (&[], None, None, True),
        ] {
            assert_eq!(hold(patterns, id, kind), expected, "{patterns:?} {id:?} {kind:?}");
        }
    }

    #[test]
    fn a_subagent_has_an_id_and_is_not_called_main() {
        assert!(is_subagent(Some("7"), Some("reviewer")) && is_subagent(Some("7"), None));
        for (id, kind) in [
            (None, None),
            (None, Some("reviewer")),
            (Some(""), None),
            (Some("main"), None),
            (Some("1"), Some("main")),
        ] {
            assert!(!is_subagent(id, kind), "{id:?} {kind:?}");
        }
    }
}
