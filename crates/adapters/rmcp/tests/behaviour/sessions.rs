//! In which session a call is judged.

use hookgate::{Event, Hook, Verdict};
use hookgate_rmcp::Judged;
use serde_json::json;

use crate::support::{Tools, before, call, connect, engine, params, refusal, text, yes};

#[tokio::test]
async fn a_scope_judges_with_its_own_hooks_and_resumes_its_own_questions() {
    let engine = engine([before(Verdict::allow)]);
    let ask =
        Hook::sync("mine", |_| Ok(Verdict::ask("sure?"))).event(Event::PreToolUse).tool("deploy");
    let no =
        Hook::sync("no", |_| Ok(Verdict::deny("not here"))).event(Event::PreToolUse).tool("rm");
    let scope = engine.scope("s").cwd("/srv/ledger").hook(ask).hook(no).open().unwrap();
    let tools = Tools::default();
    let client = connect(Judged::new(tools.clone(), scope), yes()).await;
    assert_eq!(text(&call(&client, "deploy").await), r#"{"to":"prod"}"#);
    assert_eq!(refusal(&call(&client, "rm").await), "denied by scope/no: not here");
    assert_eq!(tools.0.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_call_of_no_session_is_refused() {
    let engine = engine([before(Verdict::allow)]);
    let tools = Tools::default();
    let session = move |context: &rmcp::service::RequestContext<rmcp::RoleServer>| {
        let client = context.client_info().filter(|client| client.name != "client")?;
        Some((engine.clone(), client.name))
    };
    let client = connect(Judged::by_request(tools.clone(), session), yes()).await;
    let result = client.call_tool(params("deploy", &json!({}))).await.unwrap();
    assert!(refusal(&result).contains("no session"));
    assert_eq!(tools.0.lock().unwrap().len(), 0);
}
