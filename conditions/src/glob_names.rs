//! Lists of names with globs and negations, as in `tool`: `"main"`, `"release/*"`, `"!main"`.

use globset::{GlobBuilder, GlobMatcher};
use hookgate_contract::quote::Quoted;

/// Names of which one is enough; or, with negations only, all but some.
#[derive(Debug, Default)]
pub(crate) struct Names {
    wanted: Vec<GlobMatcher>,
    refused: Vec<GlobMatcher>,
}

impl Names {
    /// Adds what one text of the list says: a name, a glob, alternatives with `|`, or one of these after
    /// `!`.
    ///
    /// # Errors
    /// What is wrong with it, and what to write.
    pub(crate) fn add(
        &mut self,
        text: &str,
        check: fn(&str) -> Result<(), String>,
    ) -> Result<(), String> {
        if text.trim() != text {
            return Err(format!("`{}` has white space at an end", Quoted(text)));
        }
        let (negated, rest) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        for name in rest.split('|') {
            if name.is_empty() {
                return Err("a name is empty".to_owned());
            }
            check(name)?;
            let glob =
                GlobBuilder::new(name).literal_separator(false).backslash_escape(true).build();
            let glob = glob
                .map_err(|error| format!("`{}` is not a glob: {}", Quoted(name), error.kind()))?;
            let list = if negated { &mut self.refused } else { &mut self.wanted };
            list.push(glob.compile_matcher());
        }
        Ok(())
    }

    /// Tells whether a name is meant. Without a name only a list of negations holds.
    pub(crate) fn holds(&self, name: Option<&str>) -> bool {
        let any = |globs: &[GlobMatcher]| {
            name.is_some_and(|name| globs.iter().any(|glob| glob.is_match(name)))
        };
        (self.wanted.is_empty() || any(&self.wanted)) && !any(&self.refused)
    }
}
