//! The effects of a tool call: the manifests of the tool say what its arguments are.

mod argument;
mod glob;
mod patch;
mod shell;
mod sql;

use serde_json::Value;

use crate::effects::{Effects, Surroundings, Unclear, UnclearWhat};
use crate::manifests::{Argument, Does, Manifests, run_of};
use argument::{Argued, NotThere, most_specific, values_of};

/// A tool call whose effects are collected.
struct Call<'a> {
    tool_name: &'a str,
    input: &'a Value,
    around: &'a Surroundings,
    effects: Effects,
    /// The program that does what is added, and its place in the runs; `None` for the tool itself.
    program: Option<(String, usize)>,
}

impl Effects {
    /// Returns what a tool call would do.
    ///
    /// ```
    /// use hookgate_effects::{Effects, Manifests, Surroundings};
    /// use serde_json::json;
    ///
    /// let around = Surroundings { cwd: Some("/home/u/proj".into()), home: Some("/home/u".into()) };
    /// let input = json!({"file_path": "../.env"});
    /// let effects = Effects::of_call("Read", &input, &around, &Manifests::default());
    /// assert_eq!(effects.reads[0].path.known().as_deref(), Some("/home/u/.env"));
    /// assert_eq!((effects.reads[0].by.as_str(), effects.unclear.len()), ("Read", 0));
    /// ```
    #[must_use]
    pub fn of_call(
        tool_name: &str,
        tool_input: &Value,
        around: &Surroundings,
        manifests: &Manifests,
    ) -> Self {
        let mut call = Call::new(tool_name, tool_input, around);
        call.collect(manifests);
        call.effects
    }

    /// Returns what a command line would do.
    #[must_use]
    pub fn of_command(text: &str, around: &Surroundings) -> Self {
        let mut call = Call::new("Bash", &Value::Null, around);
        call.shell_text(text, around.cwd.as_deref());
        call.effects
    }
}

impl<'a> Call<'a> {
    fn new(tool_name: &'a str, input: &'a Value, around: &'a Surroundings) -> Self {
        Self { tool_name, input, around, effects: Effects::default(), program: None }
    }

    /// Several agents may have a tool of this name. Those whose required arguments are there count; if
    /// an argument is missing for all of them, the call cannot be told.
    fn collect(&mut self, manifests: &Manifests) {
        let found = manifests.of_tool(self.tool_name);
        if found.is_empty() {
            let name = self.tool_name;
            self.unclear(
                UnclearWhat::Anything,
                format!("no manifest covers the tool `{name}`; declare it with [[tool]]"),
            );
            return;
        }
        let (mut fits, mut missing) = (false, Vec::new());
        let mut argued = Vec::new();
        for manifest in found {
            match &manifest.does {
                Does::Nothing => fits = true,
                Does::Unclear(why) => {
                    fits = true;
                    let why = format!("`{}`: {why}", self.tool_name);
                    self.unclear(UnclearWhat::Anything, why);
                }
                Does::Runs(words) => match run_of(words, self.input, self.around.cwd.as_deref()) {
                    Ok(run) => {
                        fits = true;
                        self.run(run);
                    }
                    Err(pointer) => missing.push(NotThere { pointer, what: UnclearWhat::Program }),
                },
                Does::Arguments(arguments) => match self.argued(arguments) {
                    Ok(values) => {
                        fits = true;
                        argued.extend(values);
                    }
                    Err(not_there) => missing.push(not_there),
                },
            }
        }
        for one in most_specific(argued) {
            self.add(one);
        }
        if !fits {
            self.missing(&missing);
        }
    }

    /// Looks for the arguments in the input. A required one that is missing is an error.
    fn argued<'m>(&self, arguments: &'m [Argument]) -> Result<Vec<Argued<'m>>, NotThere> {
        let mut values = Vec::new();
        for argument in arguments {
            values.extend(values_of(argument, self.input, self.around)?);
        }
        Ok(values)
    }

    fn missing(&mut self, missing: &[NotThere]) {
        let mut pointers: Vec<String> =
            missing.iter().map(|one| format!("`{}`", one.pointer)).collect();
        pointers.dedup();
        let name = self.tool_name;
        let why = match pointers.as_slice() {
            [one] => format!("`{name}` is called without {one}"),
            several => format!("`{name}` is called without any of {}", several.join(", ")),
        };
        let mut kinds: Vec<UnclearWhat> = missing.iter().map(|one| one.what).collect();
        kinds.dedup();
        for what in kinds {
            self.unclear(what, why.clone());
        }
    }

    fn unclear(&mut self, what: UnclearWhat, why: String) {
        self.effects.more_programs |= matches!(what, UnclearWhat::Anything | UnclearWhat::Program);
        let run = self.program.as_ref().map(|(_, run)| *run);
        let unclear = Unclear { what, why, run };
        if !self.effects.unclear.contains(&unclear) {
            self.effects.unclear.push(unclear);
        }
    }
}
