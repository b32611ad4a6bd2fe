//! What came of a call, as hooks read and leave it.

use std::fmt::Display;

use hookgate::ToolUse;
use hookgate::step::{Done, ToolResult};
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorData, InputRequests, InputRequiredResult, ResultType,
    ServerResult,
};
use serde_json::{Value, json};

type Answer = Result<ServerResult, ErrorData>;

/// What came of a call.
pub(crate) struct Came {
    /// What the hooks of the result read: a response, or the text of an error.
    pub(crate) said: Result<Value, String>,
    answer: Answer,
}

impl Came {
    /// Takes the answer of a server.
    pub(crate) fn of(answer: Answer) -> Self {
        let said = match &answer {
            Ok(ServerResult::CallToolResult(result)) if result.is_error == Some(true) => {
                Err(text(written(result)))
            }
            Ok(ServerResult::CallToolResult(result)) => Ok(written(result)),
            Ok(ServerResult::InputRequiredResult(input)) => {
                Ok(json!({ "inputRequests": input.input_requests }))
            }
            Ok(ServerResult::CreateTaskResult(_)) => {
                return Self::refused("the tool has begun a task, whose result no hook would see");
            }
            Ok(_) => return Self::refused("the server has answered with no result of a tool"),
            Err(ErrorData { message, data: None, .. }) => Err(message.to_string()),
            Err(ErrorData { message, data: Some(data), .. }) => Err(format!("{message}: {data}")),
        };
        Self { said, answer }
    }

    pub(crate) fn refused(why: &str) -> Self {
        Self { said: Err(why.to_owned()), answer: Ok(refused(why)) }
    }

    /// Returns what the hooks have left of it, or of the result that a hook has supplied.
    pub(crate) fn left(came: Option<Self>, done: ToolUse<Done>) -> Answer {
        let left = match done.result() {
            ToolResult::Success(result) if !done.is_error() => Ok(result.tool_response.clone()),
            _ => Err(done.into_message()),
        };
        match (came, left) {
            (Some(came), left) if came.said == left => came.answer,
            (Some(Self { answer: Err(error), .. }), Err(text)) => {
                Err(ErrorData::new(error.code, text, None))
            }
            (Some(Self { answer: Ok(ServerResult::InputRequiredResult(asks)), .. }), Ok(left)) => {
                Ok(asked(asks, left))
            }
            (_, Ok(left)) => Ok(read(left)),
            (_, Err(text)) => Ok(refused(text)),
        }
    }
}

/// Answers with an error of the tool.
pub(crate) fn refused(why: impl Display) -> ServerResult {
    let text = ContentBlock::text(why.to_string());
    ServerResult::CallToolResult(CallToolResult::error(vec![text]))
}

/// Writes a result for hooks: one text as a text, all else as the protocol does.
fn written(result: &CallToolResult) -> Value {
    let mut value = json!(result);
    if let Some(fields) = value.as_object_mut() {
        fields.remove("resultType");
        fields.remove("isError");
    }
    match result.content.as_slice() {
        [ContentBlock::Text(one)]
            if value == json!({ "content": [{ "type": "text", "text": one.text }] }) =>
        {
            Value::String(one.text.clone())
        }
        _ => value,
    }
}

fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Reads what hooks have left of a result, or have put in its place.
fn read(value: Value) -> ServerResult {
    let result = serde_json::from_value(value.clone());
    let as_text = |_| CallToolResult::success(vec![ContentBlock::text(text(value))]);
    let mut result: CallToolResult = result.unwrap_or_else(as_text);
    result.result_type = Some(ResultType::COMPLETE);
    ServerResult::CallToolResult(result)
}

/// Reads what hooks have left of what a tool asks the client for.
fn asked(asks: InputRequiredResult, mut left: Value) -> ServerResult {
    let requests = left.get_mut("inputRequests").map(Value::take);
    match requests.map(serde_json::from_value::<Option<InputRequests>>) {
        Some(Ok(requests)) => ServerResult::InputRequiredResult(InputRequiredResult::new(
            requests,
            asks.request_state,
        )),
        _ => refused("what hooks have left of the tool's question cannot be asked"),
    }
}
