//! A server that says what a test tells it to, and keeps what it was sent.

use std::sync::{Arc, Mutex};

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::types::chat::{
    ChatCompletionResponseStream, CreateChatCompletionRequest, CreateChatCompletionStreamResponse,
};
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::post;
use futures_util::StreamExt;
use hookgate::contract::payload::PostLlmResponse;
use hookgate::stream::{Exposure, Part, StreamError};
use hookgate::{Engine, Gate, HandlerTable, Hook, StepContext};
use hookgate_async_openai::{AnswerError, GatedAnswer};
use serde_json::{Value, json};

pub(crate) struct Server {
    pub(crate) client: Client<OpenAIConfig>,
    /// The bodies that have arrived.
    pub(crate) arrived: Arc<Mutex<Vec<Value>>>,
}

impl Server {
    /// Starts one that answers each request with these lines of an event stream.
    pub(crate) async fn start(lines: Vec<String>) -> Self {
        let arrived = Arc::<Mutex<Vec<Value>>>::default();
        let kept = arrived.clone();
        let answer = post(async move |body: String| {
            let body: Value = serde_json::from_str(&body).unwrap();
            let is_streamed = body["stream"] == true;
            kept.lock().unwrap().push(body);
            let lines = lines.iter().map(|line| format!("data: {line}\n\n")).collect::<String>();
            match is_streamed {
                true => ([(CONTENT_TYPE, "text/event-stream")], lines),
                false => ([(CONTENT_TYPE, "application/json")], whole()),
            }
        });
        let app = Router::new().route("/chat/completions", answer);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, app).await });
        let config =
            OpenAIConfig::new().with_api_key("none").with_api_base(format!("http://{address}"));
        Self { client: Client::with_config(config), arrived }
    }

    pub(crate) async fn stream(&self) -> ChatCompletionResponseStream {
        self.client.chat().create_stream(request(&json!({}))).await.unwrap()
    }
}

/// An answer that does not stream.
fn whole() -> String {
    let message = json!({ "role": "assistant", "content": "hello" });
    let choice = json!({ "index": 0, "message": message, "finish_reason": "stop" });
    json!({ "id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice] })
        .to_string()
}

/// A line of an event stream.
pub(crate) fn chunk(index: u32, delta: &Value, finish: Option<&str>) -> String {
    let choice = json!({ "index": index, "delta": delta, "finish_reason": finish });
    json!({ "id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice] })
        .to_string()
}

pub(crate) fn text(text: &str) -> String {
    chunk(0, &json!({ "content": text }), None)
}

/// The end of a stream, with the reason.
pub(crate) fn end(finish: &str) -> [String; 2] {
    [chunk(0, &json!({}), Some(finish)), "[DONE]".to_owned()]
}

pub(crate) fn request(fields: &Value) -> CreateChatCompletionRequest {
    let mut request = json!({ "model": "m", "messages": [{ "role": "user", "content": "hi" }] });
    request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serde_json::from_value(request).unwrap()
}

pub(crate) fn engine(hooks: impl IntoIterator<Item = Hook>) -> Engine {
    let mut table = HandlerTable::builder();
    for hook in hooks {
        table.insert(hook);
    }
    Engine::new(table.build().unwrap())
}

/// What a host has seen of an answer.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) shown: String,
    /// All that was ever shown, what was taken back included.
    pub(crate) ever: String,
    pub(crate) end: Option<Gate<PostLlmResponse>>,
    pub(crate) errors: Vec<AnswerError<OpenAIError>>,
}

pub(crate) async fn watch<St>(engine: &Engine, exposure: Exposure, source: St) -> Seen
where
    St: futures_util::Stream<Item = Result<CreateChatCompletionStreamResponse, OpenAIError>>,
{
    let context = StepContext::new("s");
    let mut answer = GatedAnswer::new(engine, &context, exposure, source);
    let mut seen = Seen::default();
    while let Some(part) = answer.next().await {
        match part {
            Ok(Part::Text(text)) => {
                seen.ever += &text;
                seen.shown += &text;
            }
            Ok(Part::TakeBack(piece)) => {
                seen.shown.replace_range(piece.from..piece.to, &piece.replacement);
            }
            Ok(Part::End(gate)) => seen.end = Some(gate),
            Ok(_) => panic!("an unknown part"),
            Err(error) => seen.errors.push(error),
        }
    }
    seen
}

/// Returns the words of the only error.
pub(crate) fn only_error(seen: &Seen) -> String {
    let [error] = seen.errors.as_slice() else { panic!("{:?}", seen.errors) };
    error.to_string()
}

pub(crate) fn is_cut(seen: &Seen) -> bool {
    matches!(seen.errors.as_slice(), [AnswerError::Stream(StreamError::Cut(_))])
}
