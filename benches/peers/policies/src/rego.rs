//! The rules in Rego, evaluated by regorus.

use crate::Judge;

const RULES: &str = r#"package agent

default denied := false

denied if input.tool_name == "delete_file"
denied if startswith(input.tool_name, "mcp__prod__")
denied if input.tool_name == "kill_process"
denied if { input.tool_name == "Bash"; contains(input.tool_input.command, "rm -rf") }
denied if { input.tool_name == "Bash"; contains(input.tool_input.command, "git push --force") }
denied if { input.tool_name == "Bash"; contains(input.tool_input.command, "curl ") }
denied if { input.tool_name == "Write"; startswith(input.tool_input.path, "/etc/") }
denied if { input.tool_name == "Write"; contains(input.tool_input.path, "/.ssh/") }
denied if { input.tool_name == "Read"; endswith(input.tool_input.path, ".env") }
denied if { input.tool_name == "WebFetch"; startswith(input.tool_input.url, "http://") }
"#;

/// An engine with the ten rules.
pub struct Rego(regorus::Engine);

impl Rego {
    /// Makes the engine.
    ///
    /// # Errors
    /// The rules do not compile.
    pub fn new() -> Result<Self, Box<dyn std::error::Error>> {
        let mut engine = regorus::Engine::new();
        engine.add_policy("rules.rego".to_owned(), RULES.to_owned())?;
        Ok(Self(engine))
    }
}

impl Judge for Rego {
    fn name(&self) -> &'static str {
        "Rego (regorus)"
    }

    fn denies(&mut self, line: &str) -> bool {
        let Ok(input) = regorus::Value::from_json_str(line) else { return true };
        self.0.set_input(input);
        let denied = self.0.eval_rule("data.agent.denied".to_owned());
        denied.ok().and_then(|denied| denied.as_bool().ok().copied()).unwrap_or(true)
    }
}
