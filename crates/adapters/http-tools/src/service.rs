//! A tool with hooks around it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hookgate::contract::json;
use hookgate::step::{Ran, ToolResult};
use hookgate::{Cleared, Gate, ToolUse};
use hookgate_session::Session;
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::request::Parts;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, Full, Limited};
use serde_json::{Value, json};
use tower_layer::Layer;
use tower_service::Service;

use crate::answer::Refusal;
use crate::answer::{decided, json_answer};
use crate::layer::ToolLayer;

/// A service that is a tool, with hooks around it: made by [`ToolLayer`].
#[derive(Debug, Clone)]
pub struct ToolService<S> {
    pub(crate) tool: S,
    pub(crate) layer: ToolLayer,
}

impl<S> Layer<S> for ToolLayer {
    type Service = ToolService<S>;

    fn layer(&self, tool: S) -> ToolService<S> {
        ToolService { tool, layer: self.clone() }
    }
}

type Answer = Response<Full<Bytes>>;

impl<S, B, R> Service<Request<B>> for ToolService<S>
where
    S: Service<Request<Full<Bytes>>, Response = Response<R>, Future: Send> + Clone + Send + 'static,
    S::Error: std::fmt::Display + Send,
    B: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
    R: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    type Response = Answer;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Answer, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.tool.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The one that was polled is the one that is ready.
        let next = self.tool.clone();
        let (tool, layer) = (std::mem::replace(&mut self.tool, next), self.layer.clone());
        Box::pin(async move {
            match layer.judge(request).await {
                Ok((Gate::Cleared(cleared), head, session)) => {
                    layer.run(tool, cleared, head, &session).await
                }
                Ok((Gate::Answered(ran), _, session)) => {
                    Ok(layer.finish(ran, StatusCode::OK, HeaderMap::new(), &session).await)
                }
                Ok((Gate::Denied(no), ..)) => Ok(decided(StatusCode::FORBIDDEN, no.decision())),
                Ok((Gate::Halted(no), ..)) => Ok(decided(StatusCode::CONFLICT, no.decision())),
                Ok((Gate::Asked(asked), _, session)) => {
                    let Some((questions, good_for)) = &layer.questions else {
                        return Ok(decided(StatusCode::PRECONDITION_REQUIRED, asked.decision()));
                    };
                    let parked = session.park(asked, &session.context(), *good_for);
                    let kept = parked.map_err(Refusal::Park).and_then(|parked| {
                        let (request, until) = (parked.request(), parked.expires());
                        let body = json!({ "outcome": "ask", "approval": request.id, "by": request.by,
                            "question": request.question, "shown": request.shown(), "expires": until });
                        let kept = questions.keep(parked);
                        kept.map_err(|error| Refusal::Questions(error.to_string()))?;
                        Ok(json_answer(StatusCode::ACCEPTED, &body))
                    });
                    Ok(kept.unwrap_or_else(|refusal| refusal.answer()))
                }
                Err(refusal) => Ok(refusal.answer()),
            }
        })
    }
}

impl ToolLayer {
    /// Has the call judged, or goes on with a question that was approved.
    async fn judge<B>(
        &self,
        request: Request<B>,
    ) -> Result<(Gate<ToolUse>, Parts, Session), Refusal>
    where
        B: Body<Data: Send> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (head, body) = request.into_parts();
        let session = (self.session)(&head).ok_or(Refusal::NoSession)?;
        let name = head.uri.path().rsplit('/').next().unwrap_or_default().to_owned();
        // A name in other letters, `r%6d` say, would be one tool for the hooks and another for the service.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || !name.chars().all(is_plain) || head.uri.query().is_some() {
            return Err(Refusal::NoTool);
        }
        let gate = if let Some(number) = head.headers.get(Self::APPROVAL) {
            let number = number.to_str().map_err(|_| Refusal::NoApproval)?;
            let questions = self.questions.as_ref().ok_or(Refusal::NoApproval)?;
            let parked = questions.0.take_approved(number).ok_or(Refusal::NoApproval)?;
            let asked = session.resume(parked).map_err(|_| Refusal::NoApproval)?;
            if asked.payload().tool_name != name {
                return Err(Refusal::NoApproval);
            }
            session.approve(asked, &session.context()).await
        } else {
            let body = Limited::new(body, self.most).collect().await.map_err(|_| Refusal::Body)?;
            let body = body.to_bytes();
            let text = std::str::from_utf8(&body).map_err(|_| Refusal::NoText)?;
            session.dispatch(ToolUse::propose(name, text)?, &session.context()).await
        };
        Ok((gate, head, session))
    }

    /// Calls the tool with the arguments that were judged.
    async fn run<S, R>(
        &self,
        mut tool: S,
        cleared: ToolUse<Cleared>,
        mut head: Parts,
        session: &Session,
    ) -> Result<Answer, S::Error>
    where
        S: Service<Request<Full<Bytes>>, Response = Response<R>>,
        S::Error: std::fmt::Display,
        R: Body<Data: Send> + Send + 'static,
        R::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let running = cleared.start();
        head.headers.remove(CONTENT_LENGTH);
        head.headers.remove(TRANSFER_ENCODING);
        let request = Request::from_parts(head, Full::from(running.input().to_string()));
        let (head, body) = match tool.call(request).await {
            Ok(answer) => answer.into_parts(),
            Err(error) => {
                let ran = running.finish(Err::<Value, _>(&error));
                let _ = session.dispatch(ran, &session.context()).await;
                return Err(error);
            }
        };
        let body = Limited::new(body, self.most).collect().await.map(|body| body.to_bytes());
        let text = body
            .map_err(|_| Refusal::Body)
            .and_then(|body| String::from_utf8(body.to_vec()).map_err(|_| Refusal::NoText));
        let ran = match text {
            Ok(text) if head.status.is_success() => {
                let value = json::parse(text.as_bytes()).unwrap_or(Value::String(text));
                running.finish(Ok::<_, String>(value))
            }
            Ok(text) => running.finish(Err::<Value, _>(text)),
            Err(refusal) => running.finish(Err::<Value, _>(refusal)),
        };
        Ok(self.finish(ran, head.status, head.headers, session).await)
    }

    /// Answers with the result, as its hooks leave it.
    async fn finish(
        &self,
        ran: ToolUse<Ran>,
        status: StatusCode,
        mut headers: HeaderMap,
        session: &Session,
    ) -> Answer {
        let done = match session.dispatch(ran, &session.context()).await {
            Gate::Cleared(done) => done,
            Gate::Denied(no) => return decided(StatusCode::FORBIDDEN, no.decision()),
            Gate::Halted(no) => return decided(StatusCode::CONFLICT, no.decision()),
        };
        headers.remove(CONTENT_LENGTH);
        headers.remove(TRANSFER_ENCODING);
        let failed = done.is_error() && status.is_success();
        let body = match done.result() {
            ToolResult::Success(result) if !result.tool_response.is_string() => {
                result.tool_response.to_string()
            }
            _ => done.into_message(),
        };
        let mut answer = Response::new(Full::from(body));
        *answer.status_mut() = if failed { StatusCode::BAD_GATEWAY } else { status };
        *answer.headers_mut() = headers;
        answer
    }
}
