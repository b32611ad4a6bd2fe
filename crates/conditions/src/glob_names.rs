//! Lists of names with globs and negations, as in `tool`: `"main"`, `"release/*"`, `"!main"`.

use hookgate_contract::glob::NameGlob;
use hookgate_contract::quote::Quoted;

/// Names of which one is enough; or, with negations only, all but some.
#[derive(Debug, Default)]
pub(crate) struct Names {
    wanted: Vec<NameGlob>,
    refused: Vec<NameGlob>,
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
            let glob = NameGlob::parse(name)
                .map_err(|error| format!("`{}` is not a glob: {error}", Quoted(name)))?;
            let list = if negated { &mut self.refused } else { &mut self.wanted };
            list.push(glob);
        }
        Ok(())
    }

    /// Returns the names that are wanted, with `*` for any text.
    pub(crate) fn wanted(&self) -> impl Iterator<Item = String> {
        self.wanted.iter().filter_map(|glob| glob.sample("*"))
    }

    /// Returns which wanted names are taken out again, as far as a name can be made up for each.
    pub(crate) fn doubts(&self) -> Vec<String> {
        let samples = |glob: &NameGlob| ["w", "x/y", "v1.2"].map(|star| glob.sample(star));
        let leaves_one = |glob: &&NameGlob| {
            let all = samples(glob);
            all.iter().any(Option::is_none)
                || all.iter().flatten().any(|name| self.holds(Some(name)))
        };
        let dead = self.wanted.iter().filter(|glob| !leaves_one(glob));
        let sample = |glob: &NameGlob| glob.sample("…").unwrap_or_default();
        let told = |glob: &NameGlob| {
            format!("`{}` is taken out again by a name with `!`", Quoted(&sample(glob)))
        };
        let all =
            self.refused.iter().any(|glob| ["w", "x/y"].iter().all(|name| glob.matches(name)));
        let nothing = all && self.wanted.is_empty();
        let nothing = nothing.then(|| "a pattern with `!` takes out every name".to_owned());
        dead.map(told).chain(nothing).collect()
    }

    /// Tells whether a name is meant. Without a name only a list of negations holds.
    pub(crate) fn holds(&self, name: Option<&str>) -> bool {
        let any = |globs: &[NameGlob]| {
            name.is_some_and(|name| globs.iter().any(|glob| glob.matches(name)))
        };
        (self.wanted.is_empty() || any(&self.wanted)) && !any(&self.refused)
    }
}
