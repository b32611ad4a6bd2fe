//! The rules in Cedar.

use cedar_policy::{Authorizer, Context, Decision, Entities, EntityUid, PolicySet, Request};

use crate::Judge;

const RULES: &str = r#"
permit(principal, action, resource);
forbid(principal, action, resource) when { context.tool_name == "delete_file" };
forbid(principal, action, resource) when { context.tool_name like "mcp__prod__*" };
forbid(principal, action, resource) when { context.tool_name == "kill_process" };
forbid(principal, action, resource) when { context.tool_name == "Bash" && context.tool_input.command like "*rm -rf*" };
forbid(principal, action, resource) when { context.tool_name == "Bash" && context.tool_input.command like "*git push --force*" };
forbid(principal, action, resource) when { context.tool_name == "Bash" && context.tool_input.command like "*curl *" };
forbid(principal, action, resource) when { context.tool_name == "Write" && context.tool_input.path like "/etc/*" };
forbid(principal, action, resource) when { context.tool_name == "Write" && context.tool_input.path like "*/.ssh/*" };
forbid(principal, action, resource) when { context.tool_name == "Read" && context.tool_input.path like "*.env" };
forbid(principal, action, resource) when { context.tool_name == "WebFetch" && context.tool_input.url like "http://*" };
"#;

/// The ten rules, and whom they are about.
#[derive(Debug)]
pub struct Cedar {
    authorizer: Authorizer,
    rules: PolicySet,
    entities: Entities,
    principal: EntityUid,
    action: EntityUid,
    resource: EntityUid,
}

impl Cedar {
    /// Parses the rules.
    ///
    /// # Errors
    /// They do not parse.
    pub fn new() -> Result<Self, Box<dyn std::error::Error>> {
        Ok(Self {
            authorizer: Authorizer::new(),
            rules: RULES.parse()?,
            entities: Entities::empty(),
            principal: r#"Agent::"agent""#.parse()?,
            action: r#"Action::"pre_tool_use""#.parse()?,
            resource: r#"Session::"session-1""#.parse()?,
        })
    }
}

impl Judge for Cedar {
    fn name(&self) -> &'static str {
        "Cedar"
    }

    fn denies(&mut self, line: &str) -> bool {
        let Ok(context) = Context::from_json_str(line, None) else { return true };
        let of = |uid: &EntityUid| uid.clone();
        let request =
            Request::new(of(&self.principal), of(&self.action), of(&self.resource), context, None);
        let Ok(request) = request else { return true };
        let answer = self.authorizer.is_authorized(&request, &self.rules, &self.entities);
        answer.decision() == Decision::Deny || answer.diagnostics().errors().next().is_some()
    }
}
