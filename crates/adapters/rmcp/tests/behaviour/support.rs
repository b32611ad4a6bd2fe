//! The tools of a server, a client with a user, and a pipe between them.

use std::sync::{Arc, Mutex};

use hookgate::contract::Role;
use hookgate::{Engine, Event, HandlerTable, Hook, Verdict};
use hookgate_rmcp::{Judged, Session};
use rmcp::model::*;
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, RequestContext, RoleClient, RoleServer, RunningService,
    ServiceError,
};
use rmcp::{ClientHandler, ServerHandler, ServiceExt};
use serde_json::{Value, json};

/// The parameters of the calls that have reached the tools.
pub(crate) type Calls = Arc<Mutex<Vec<CallToolRequestParams>>>;

#[derive(Clone, Default)]
pub(crate) struct Tools(pub(crate) Calls);

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        let can = ServerCapabilities::builder().enable_tools().enable_tasks().build();
        let mut info = ServerConfig::new(can);
        info.protocol_version = ProtocolVersion::V_2026_07_28;
        info.server_info = Implementation::new("tools", "1.0.0");
        info
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.0.lock().unwrap().push(call.clone());
        let text = |text: &str| vec![ContentBlock::text(text)];
        match call.name.as_ref() {
            "read" => Ok(CallToolResult::success(text("the key is hunter2")).into()),
            "rows" => Ok(CallToolResult::structured(json!({ "key": "hunter2" })).into()),
            "fail" => Ok(CallToolResult::error(text("no file hunter2")).into()),
            "break" => Err(ErrorData::internal_error("broken at hunter2", None)),
            "task" => {
                let task = Task::new("t1", TaskStatus::Working, "2026-01-01", "2026-01-01");
                Ok(CreateTaskResult::new(task).into())
            }
            // It asks for a name, and has a state of its own.
            "greet" => match (call.request_state.as_deref(), &call.input_responses) {
                (Some("mine"), Some(answers)) => {
                    let name = answers["name"]["content"]["name"].as_str().unwrap().to_owned();
                    Ok(CallToolResult::success(text(&format!("hello {name}"))).into())
                }
                _ => {
                    let form = form("your name?", json!({ "name": { "type": "string" } }));
                    let forms = InputRequests::from([("name".to_owned(), form)]);
                    Ok(InputRequiredResult::new(Some(forms), Some("mine".to_owned())).into())
                }
            },
            _ => Ok(CallToolResult::success(text(&json!(call.arguments).to_string())).into()),
        }
    }

    async fn get_task(
        &self,
        _: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        panic!("a task was looked at")
    }
}

fn form(message: &str, properties: Value) -> InputRequest {
    let schema = json!({ "type": "object", "properties": properties });
    InputRequest::Elicitation(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema: serde_json::from_value(schema).unwrap(),
    }))
}

/// What the user of a client says to our questions, and what he was shown.
#[derive(Clone)]
pub(crate) struct User {
    pub(crate) says: Value,
    pub(crate) shown: Arc<Mutex<Vec<String>>>,
    has_forms: bool,
}

impl ClientHandler for User {
    fn get_info(&self) -> ClientConfig {
        let can = ClientCapabilities::builder().enable_tasks();
        let can = if self.has_forms { can.enable_elicitation().build() } else { can.build() };
        ClientConfig::new(can, Implementation::new("client", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else { panic!() };
        self.shown.lock().unwrap().push(message.clone());
        let says = match message.as_str() {
            "your name?" => json!({ "action": "accept", "content": { "name": "Ada" } }),
            _ => self.says.clone(),
        };
        Ok(serde_json::from_value(says).unwrap())
    }
}

pub(crate) fn user(says: Value) -> User {
    User { says, shown: Arc::default(), has_forms: true }
}

pub(crate) fn yes() -> User {
    user(json!({ "action": "accept", "content": { "approve": true } }))
}

pub(crate) fn without_forms() -> User {
    User { has_forms: false, ..yes() }
}

pub(crate) type Client = RunningService<RoleClient, User>;

/// Puts a client of the newest protocol at the other end of a server.
pub(crate) async fn connect(server: Judged<Tools>, user: User) -> Client {
    let newest =
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    connect_as(server, user, newest).await
}

pub(crate) async fn connect_as(
    server: Judged<Tools>,
    user: User,
    lifecycle: ClientLifecycleMode,
) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move { server.serve(ours).await.unwrap().waiting().await });
    user.serve_with_lifecycle(theirs, lifecycle).await.unwrap()
}

pub(crate) fn engine(hooks: impl IntoIterator<Item = Hook>) -> Arc<Engine> {
    let mut table = HandlerTable::builder();
    for hook in hooks {
        table.insert(hook);
    }
    Arc::new(Engine::new(table.build().unwrap()))
}

pub(crate) fn before(answer: fn() -> Verdict) -> Hook {
    Hook::sync("guard", move |_| Ok(answer())).event(Event::PreToolUse)
}

/// A hook that replaces a word in whatever comes of a tool.
pub(crate) fn redact() -> [Hook; 2] {
    let hide = |value: &Value| {
        let text = value.to_string().replace("hunter2", "***");
        serde_json::from_str::<Value>(&text).unwrap()
    };
    [
        ("response", Event::PostToolUse, "tool_response"),
        ("error", Event::PostToolUseFailure, "error"),
    ]
    .map(|(id, event, field)| {
        let hook = Hook::sync(id, move |call| {
            let step: Value = serde_json::from_slice(call.envelope.bytes()?).unwrap();
            Ok(Verdict::none().patch(field, hide(&step[field])))
        });
        hook.event(event).role(Role::Rewrite)
    })
}

pub(crate) fn judged(engine: Arc<Engine>) -> (Judged<Tools>, Calls) {
    let tools = Tools::default();
    (Judged::new(tools.clone(), Session::from((engine, "s"))), tools.0)
}

pub(crate) fn params(tool: &'static str, arguments: &Value) -> CallToolRequestParams {
    CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone())
}

pub(crate) async fn call(client: &Client, tool: &'static str) -> CallToolResult {
    client.call_tool(params(tool, &json!({ "to": "prod" }))).await.unwrap()
}

/// Makes one call, without an answer to what it asks.
pub(crate) async fn once(client: &Client, call: CallToolRequestParams) -> CallToolResponse {
    client.call_tool_once(call).await.unwrap()
}

pub(crate) fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

/// Returns the text of a result that is an error.
pub(crate) fn refusal(result: &CallToolResult) -> &str {
    assert_eq!(result.is_error, Some(true), "{result:?}");
    text(result)
}

pub(crate) fn error_of(result: Result<CallToolResult, ServiceError>) -> ErrorData {
    let Err(ServiceError::McpError(error)) = result else { panic!("{result:?}") };
    error
}
