//! Patterns of variables of the environment: `*TOKEN*`.

use super::error::{PatternError, PatternFault, check_text};
use super::found::{Cause, Found};
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
                .and_then(|()| TextGlob::parse(text.trim_start_matches('$')))
                .map_err(|error| error.in_pattern(index, usize::from(takes_out)))?;
            if takes_out && rules.is_empty() {
                return Err(PatternError { index, offset: 0, fault: PatternFault::OnlyNegative });
            }
            rules.push(Rule { name, takes_out });
        }
        Ok(Self { rules })
    }

    /// Returns whether the variables that are shown are meant. All of them are always meant: who shows all shows
    /// those that the list names, if they are set.
    /// Returns whether the list means this one.
    pub(crate) fn takes(&self, effect: &VariableEffect) -> bool {
        let Some(name) = &effect.name else { return true };
        self.rules.iter().fold(false, |taken, rule| match rule.takes_out {
            true => taken && !rule.name.takes(name),
            false => taken || rule.name.takes(name),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(names: &[Option<&str>]) -> Effects {
        let one = |name: &Option<&str>| VariableEffect {
            name: name.map(str::to_owned),
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
    }

    #[test]
    fn faults_have_their_place() {
        let fault = |patterns: &[&str]| VariablePatterns::parse(patterns).unwrap_err();
        assert_eq!(fault(&["!A"]).fault, PatternFault::OnlyNegative);
        assert_eq!(fault(&["A", "[b"]).index, 1);
    }
}
