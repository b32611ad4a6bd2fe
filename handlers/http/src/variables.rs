//! The variables that a hook lists, and texts that name them.

use hookgate_contract::settings::Settings;
use hookgate_secrets::Secrets;

use crate::http::Variable;

/// The listed variables and their values.
#[derive(Default)]
pub(crate) struct Variables(Vec<(String, Option<String>)>);

impl Variables {
    /// Reads `env`; each must be set.
    pub(crate) fn read(settings: &mut Settings<'_>, variable: &Variable) -> Self {
        let mut variables = Self::default();
        for name in settings.list("env").unwrap_or_default() {
            match value(name, variable) {
                Ok(value) => variables.0.push((name.to_owned(), Some(value))),
                Err(problem) => {
                    settings.invalid("env", problem);
                    // A header that names it has no problem of its own.
                    variables.0.push((name.to_owned(), None));
                }
            }
        }
        variables
    }

    /// Adds a variable that another setting lists.
    pub(crate) fn push(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), Some(value.to_owned())));
    }

    /// What is to be hidden.
    pub(crate) fn secrets(&self) -> Secrets {
        let set = |(name, value): &(String, Option<String>)| Some((name.clone(), value.clone()?));
        Secrets::new(self.0.iter().filter_map(set))
    }

    /// The text with the values of the variables that it names; none where one has no value, which
    /// was reported where it is listed.
    pub(crate) fn expand(&self, text: &str) -> Result<Option<String>, String> {
        let (mut out, mut rest, mut whole) = (String::with_capacity(text.len()), text, true);
        while let Some((before, after)) = rest.split_once("${") {
            let (name, after) = after.split_once('}').ok_or("`${` without `}`")?;
            let (_, value) = self
                .0
                .iter()
                .find(|(listed, _)| listed == name)
                .ok_or_else(|| format!("`{name}` is not listed: write env = [\"{name}\"]"))?;
            out.push_str(before);
            match value {
                Some(value) => out.push_str(value),
                None => whole = false,
            }
            rest = after;
        }
        out.push_str(rest);
        Ok(whole.then_some(out))
    }
}

/// The value of a variable, or why there is none.
pub(crate) fn value(name: &str, variable: &Variable) -> Result<String, String> {
    if name.is_empty() || name.contains(['=', '\0', '$', '{', '}']) {
        return Err(format!("`{name}` is no name of a variable"));
    }
    match variable(name) {
        None => Err(format!("the variable `{name}` is not set, or is no text")),
        Some(value) if value.trim().is_empty() => Err(format!("the variable `{name}` is empty")),
        Some(value) => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_listed_variables() {
        let mut variables = Variables::default();
        variables.push("A", "1");
        variables.push("B", "${A}");
        let expanded = |text: &str| variables.expand(text);
        assert_eq!(expanded("Bearer ${A}.${A}"), Ok(Some("Bearer 1.1".to_owned())));
        assert_eq!(expanded("$A {A} ${B}"), Ok(Some("$A {A} ${A}".to_owned())));
        assert!(expanded("${C}").unwrap_err().contains("env = [\"C\"]"));
        assert!(expanded("${A").is_err());
    }
}
