//! Patterns of variables of the environment: `*TOKEN*`.

use super::error::{PatternError, PatternFault, check_text};
use super::found::{Cause, Found};
use super::run_text::variable_name;
use super::text_glob::TextGlob;
use super::truth::Truth;
use crate::effects::{Effects, UnclearWhat, VariableEffect};

/// A list of patterns of variables. `!pattern` takes out what a pattern before it put in.
#[derive(Debug, Clone)]
pub struct VariablePatterns {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    name: TextGlob,
    /// A name that it means.
    sample: Option<String>,
    takes_out: bool,
}

impl VariablePatterns {
    /// Reads a list of patterns.
    ///
    /// # Errors
    /// A pattern cannot be read.
    pub fn parse(patterns: &[impl AsRef<str>]) -> Result<Self, PatternError> {
        let mut rules: Vec<Rule> = Vec::new();
        for (index, written) in patterns.iter().enumerate() {
            let written = written.as_ref();
            let (text, takes_out) =
                written.strip_prefix('!').map_or((written, false), |rest| (rest, true));
            let name = check_text(text)
                .and_then(|()| variable_name(text.trim_start_matches('$')))
                .map_err(|error| error.in_pattern(index, usize::from(takes_out)))?;
            if takes_out && rules.is_empty() {
                return Err(PatternError { index, offset: 0, fault: PatternFault::OnlyNegative });
            }
            rules.push(Rule { sample: name.sample(), name, takes_out });
        }
        Ok(Self { rules })
    }

    /// Returns which patterns mean no variable, each with its place in the list and the reason.
    #[must_use]
    pub fn doubts(&self) -> Vec<(usize, String)> {
        let meant = |name: String| {
            let other = name.replace('w', "Z");
            [name, other].into_iter().any(|name| {
                let by = String::new();
                self.takes(&VariableEffect { name: Some(name), is_part: false, by, run: None })
            })
        };
        let rules = self.rules.iter().enumerate().filter(|(_, rule)| !rule.takes_out);
        let dead = rules.filter(|(_, rule)| rule.name.sample().is_some_and(|name| !meant(name)));
        let why = "the patterns with `!` take out all that it means";
        dead.map(|(at, _)| (at, why.to_owned())).collect()
    }

    /// Returns whether the variables that are shown are meant. All of them are always meant: who shows all shows
    /// those that the list names, if they are set. So does who looks for a part of such a name.
    #[must_use]
    pub fn takes(&self, effect: &VariableEffect) -> bool {
        let Some(name) = &effect.name else { return true };
        self.rules.iter().fold(false, |taken, rule| match rule.takes_out {
            true => taken && !rule.name.takes(name),
            false => taken || rule.name.takes(name) || (effect.is_part && rule.has_part(name)),
        })
    }

    /// Returns whether a step shows a variable that the list means.
    #[must_use]
    pub fn find(&self, effects: &Effects) -> Found {
        let mut found = Found::NOTHING;
        if let Some(at) = effects.shows_env.iter().position(|effect| self.takes(effect)) {
            found.add(Truth::True, Cause::Variable(at));
            return found;
        }
        let adds = |what| matches!(what, UnclearWhat::Anything | UnclearWhat::Program);
        if let Some(at) = effects.unclear.iter().position(|unclear| adds(unclear.what)) {
            found.add(Truth::Unknown, Cause::Unclear(at));
        }
        found
    }
}

impl Rule {
    fn has_part(&self, part: &str) -> bool {
        self.sample.as_ref().is_some_and(|name| name.contains(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(names: &[Option<&str>]) -> Effects {
        let one = |name: &Option<&str>| VariableEffect {
            name: name.map(str::to_owned),
            is_part: false,
            by: "echo".into(),
            run: Some(0),
        };
        Effects { shows_env: names.iter().map(one).collect(), ..Effects::default() }
    }

    #[test]
    fn names_and_dumps() {
        let list = VariablePatterns::parse(&["*TOKEN*", "*_KEY", "!PUBLIC_*"]).unwrap();
        let ask = |names: &[Option<&str>]| list.find(&effects(names)).truth;
        assert_eq!(ask(&[Some("GITHUB_TOKEN")]), Truth::True);
        assert_eq!(ask(&[Some("PATH"), Some("API_KEY")]), Truth::True);
        assert_eq!(ask(&[Some("PUBLIC_KEY")]), Truth::False);
        assert_eq!(ask(&[Some("PATH")]), Truth::False);
        assert_eq!(ask(&[None]), Truth::True);
        assert_eq!(ask(&[]), Truth::False);
        let part = |name: &str| {
            let name = Some(name.to_owned());
            list.takes(&VariableEffect { name, is_part: true, by: "env".into(), run: None })
        };
        let parts = ["TOKEN", "T", "TO", "_", "KEY", "GITHUB_TOKEN"].map(part);
        assert_eq!(parts, [true; 6]);
        assert_eq!(["PATH", "TOKENS_OF_", "W", "NODE"].map(part), [false, true, false, false]);
    }

    #[test]
    fn faults_have_their_place() {
        let fault = |patterns: &[&str]| VariablePatterns::parse(patterns).unwrap_err();
        assert_eq!(fault(&["!A"]).fault, PatternFault::OnlyNegative);
        assert_eq!(fault(&["A", "[b"]).index, 1);
        for name in ["TOKEN|KEY", "A B", "^TOKEN$", "A=1"] {
            assert!(matches!(fault(&[name]).fault, PatternFault::VariableName(_)), "{name}");
        }
        let doubts = |patterns: &[&str]| VariablePatterns::parse(patterns).unwrap().doubts().len();
        assert_eq!((doubts(&["*_KEY", "!*KEY"]), doubts(&["*TOKEN*", "!PUBLIC_*"])), (1, 0));
        assert_eq!((doubts(&["A", "B*", "!B*"]), doubts(&["*KEY*", "!*_KEY_ID"])), (1, 0));
    }
}
