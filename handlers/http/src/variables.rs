//! The variables that a hook lists in `env`, and texts that name them.
//!
//! A credential does not belong in a config file, so a header says `${TOKEN}` and the value comes
//! from the environment, or from a vault that the embedder connects
//! ([`HttpFactory::variables`](crate::HttpFactory::variables)). A hook can use only the variables
//! that it lists: a shared config cannot send `${AWS_SECRET_ACCESS_KEY}` somewhere without a line
//! that a reviewer sees. All listed values are hidden from what the handler returns.

use std::sync::Arc;

use hookgate_contract::settings::Settings;
use hookgate_secrets::Secrets;

/// Returns the value of a variable, if it is set.
pub(crate) type VariableSource = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The listed variables and their values.
#[derive(Default)]
pub(crate) struct Variables(Vec<(String, Option<String>)>);

impl Variables {
    /// Reads `env`. Each variable must be set and must not be blank.
    pub(crate) fn read(settings: &mut Settings<'_>, source: &VariableSource) -> Self {
        let mut variables = Self::default();
        for name in settings.list("env").unwrap_or_default() {
            let value = read_variable(name, source);
            let value = value.map_err(|problem| settings.invalid("env", problem)).ok();
            // Kept without a value, so that a header that names it is not a second problem.
            variables.0.push((name.to_owned(), value));
        }
        variables
    }

    /// Adds a variable that another setting names.
    pub(crate) fn push(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), Some(value.to_owned())));
    }

    /// Returns the values that must not appear in what the handler returns.
    pub(crate) fn secrets(&self) -> Secrets {
        let named = |(name, value): &(String, Option<String>)| Some((name.clone(), value.clone()?));
        Secrets::new(self.0.iter().filter_map(named))
    }

    /// Replaces each `${NAME}` in a text by the value of the variable. Values are not expanded
    /// again, so a value that contains `${…}` is sent as it is.
    ///
    /// Returns `None` if a variable has no value, which was reported when `env` was read.
    ///
    /// # Errors
    /// A message for the config: a name that is not listed, or `${` without `}`.
    pub(crate) fn expand(&self, text: &str) -> Result<Option<String>, String> {
        let (mut out, mut rest, mut complete) = (String::with_capacity(text.len()), text, true);
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
                None => complete = false,
            }
            rest = after;
        }
        out.push_str(rest);
        Ok(complete.then_some(out))
    }
}

/// Returns the value of a variable.
///
/// # Errors
/// A message for the config: not a name, not set, or blank.
pub(crate) fn read_variable(name: &str, source: &VariableSource) -> Result<String, String> {
    if name.is_empty() || name.contains(['=', '\0', '$', '{', '}']) {
        return Err(format!("`{name}` is not the name of a variable"));
    }
    match source(name) {
        None => Err(format!("the variable `{name}` is not set, or is not text")),
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
