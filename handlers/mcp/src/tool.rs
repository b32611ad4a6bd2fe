//! A tool that answers: `tools/call`.

use hookgate_contract::template::ValueTemplate;
use hookgate_contract::{
    Failure, FailureClass, Invocation, Reply, Verdict, VerdictDecision, quote,
};
use hookgate_secrets::Secrets;
use serde_json::{Value, json};

use crate::message::{Request, decision_in};
use crate::server::Server;

/// A tool, and what it is called with.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// Its arguments; without them it gets the whole envelope as `envelope`.
    pub(crate) arguments: Option<ValueTemplate>,
}

impl Tool {
    /// Calls the tool about a step.
    ///
    /// # Errors
    /// The failure of the server, of the tool, or of its answer.
    pub(crate) async fn ask<'a>(
        &self,
        server: &Server,
        invocation: Invocation<'a>,
        secrets: &'a Secrets,
    ) -> Reply {
        let arguments = match &self.arguments {
            Some(template) => template.render(invocation)?,
            None => {
                // What leaves the process is no larger than any envelope may be.
                invocation.envelope.bytes()?;
                json!({"envelope": invocation.json()?})
            }
        };
        let params = json!({"name": self.name, "arguments": arguments});
        let request = Request::new("tools/call", params);
        let result = server.request(&request, invocation, secrets).await?;
        read_result(&result, secrets)
    }

    /// Checks that the server has the tool.
    pub(crate) async fn check<'a>(
        &self,
        server: &Server,
        invocation: Invocation<'a>,
        secrets: &'a Secrets,
    ) -> Result<(), Failure> {
        let tools = server.list("tools/list", "tools", invocation, secrets).await?;
        let names: Vec<&str> = tools.iter().filter_map(|tool| tool.get("name")?.as_str()).collect();
        if names.contains(&self.name.as_str()) {
            return Ok(());
        }
        let names = quote::message(&names.join(", "));
        let detail = format!("the server has no tool `{}`: it has {names}", self.name);
        Err(Failure::new(FailureClass::Malformed, detail))
    }
}

/// Reads the result of a tool: its text is the verdict.
fn read_result(result: &Value, secrets: &Secrets) -> Reply {
    let texts: Vec<&str> = result
        .get("content")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|block| block.get("type").is_some_and(|kind| kind == "text"))
        .filter_map(|block| block.get("text")?.as_str())
        .collect();
    read_texts(result, &texts, secrets).map_err(|failure| {
        let written = decision_in(result.to_string().as_bytes());
        let salvaged = failure.salvaged.max(written);
        failure.with_salvaged(salvaged)
    })
}

fn read_texts(result: &Value, texts: &[&str], secrets: &Secrets) -> Reply {
    match result.get("isError") {
        None | Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => {
            let text = quote::message(&secrets.hide(&texts.join(" ")));
            return Err(Failure::new(FailureClass::Exit, format!("the tool failed: {text}")));
        }
        Some(_) => return Err(malformed("the `isError` of the tool is neither true nor false")),
    }
    let complete = result.get("resultType").is_none_or(|kind| kind == "complete");
    if !complete {
        return Err(malformed("the tool wants more input, and a hook has none"));
    }
    let structured = result.get("structuredContent").filter(|value| value.is_object());
    let verdict = match (texts, structured) {
        // As in the answer of a service, an empty text says nothing, not even that there is no opinion.
        ([text], _) if text.trim().is_empty() => {
            return Err(malformed("the tool answered an empty text: for no opinion answer {}"));
        }
        ([text], _) => Verdict::parse(text.as_bytes()).map_err(|failure| {
            let salvaged = failure.salvaged;
            let detail = format!("the text of the tool is not a verdict: {}", failure.detail);
            Failure::new(FailureClass::Malformed, detail).with_salvaged(salvaged)
        })?,
        ([], Some(structured)) => Verdict::parse(structured.to_string().as_bytes())?,
        ([], None) => {
            return Err(malformed("the tool answered no text: for no opinion answer {}"));
        }
        _ => return Err(malformed("the tool answered more than one text: a verdict is one")),
    };
    // A tool that says the same in two ways must not be read in the weaker one.
    let said = verdict.parts().and_then(|parts| parts.decision);
    let structured = structured.and_then(|value| decision_in(value.to_string().as_bytes()));
    if structured > said.filter(|decision| *decision > VerdictDecision::Allow) {
        return Err(malformed("the text of the tool says less than its structured content"));
    }
    Ok(verdict)
}

fn malformed(detail: &'static str) -> Failure {
    Failure::new(FailureClass::Malformed, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(result: Value) -> Reply {
        read_result(&result, &Secrets::default())
    }

    fn text(text: &str) -> Value {
        json!({"content": [{"type": "text", "text": text}]})
    }

    #[test]
    fn the_text_is_the_verdict() {
        let verdict = r#"{"decision":"deny","reason":"no"}"#;
        assert_eq!(read(text(verdict)), Ok(Verdict::deny("no")));
        assert_eq!(read(text("{}")), Ok(Verdict::none()));
        let both = json!({"content": [{"type": "text", "text": verdict}],
            "structuredContent": {"result": verdict}});
        assert_eq!(read(both), Ok(Verdict::deny("no")));
        let structured =
            json!({"content": [], "structuredContent": {"decision": "deny", "reason": "no"}});
        assert_eq!(read(structured), Ok(Verdict::deny("no")));
    }

    #[test]
    fn what_is_no_verdict_is_a_failure() {
        for result in [
            text("all is well"),
            text(r#"{"ok":true}"#),
            // As in the answer of a service.
            text(""),
            text(" \n"),
            json!({"isError": "true", "content": [{"type": "text", "text": "{}"}]}),
            json!({"isError": null, "content": [{"type": "text", "text": "{}"}]}),
            json!({}),
            json!({"content": []}),
            json!({"content": [{"type": "text", "text": "{}"}, {"type": "text", "text": "{}"}]}),
            json!({"content": [{"type": "image", "data": "", "mimeType": "image/png"}]}),
            json!({"resultType": "input_required", "content": [{"type": "text", "text": "{}"}]}),
        ] {
            let failure = read(result.clone()).unwrap_err();
            assert_eq!(
                (failure.class, failure.salvaged),
                (FailureClass::Malformed, None),
                "{result}"
            );
        }
        let mut failed = text("it broke");
        failed["isError"] = true.into();
        assert_eq!(read(failed).unwrap_err().class, FailureClass::Exit);
    }

    #[test]
    fn damage_never_weakens_a_deny() {
        let deny = r#"{"decision":"deny","resaon":"typo"}"#;
        let mut failed = text(deny);
        failed["isError"] = true.into();
        for result in [
            text(deny),
            failed,
            json!({"content": [{"type": "text", "text": "{}"}, {"type": "text", "text": deny}]}),
            json!({"content": [{"type": "text", "text": "{}"}], "structuredContent": {"decision": "deny"}}),
        ] {
            let failure = read(result.clone()).unwrap_err();
            assert_eq!(failure.salvaged, Some(VerdictDecision::Deny), "{result}");
        }
    }
}
