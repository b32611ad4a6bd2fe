//! A server with hooks around its tools.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hookgate::contract::payload::Provenance;
use hookgate::step::Ran;
use hookgate::{Cleared, Gate, ToolUse};
use hookgate_session::Session;
use rmcp::model::{
    CallToolRequest, CallToolResult, ClientNotification, ClientRequest, ContentBlock, ErrorData,
    GetTaskMethod, ProtocolVersion, ServerConfig, ServerResult, UpdateTaskMethod,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, Service};
use serde_json::Value;

use crate::question::{self, Retry};
use crate::result::{Came, refused};

type SessionOf = dyn Fn(&RequestContext<RoleServer>) -> Option<Session> + Send + Sync;

/// A server whose tools run when hooks have cleared them: see the [crate](crate).
#[derive(Clone)]
pub struct Judged<S> {
    server: S,
    provenance: Provenance,
    session: Arc<SessionOf>,
    good_for: Duration,
}

impl<S> fmt::Debug for Judged<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judged").field("provenance", &self.provenance).finish_non_exhaustive()
    }
}

impl<S: Service<RoleServer>> Judged<S> {
    /// Has the tools of a server judged in one session: for a server that is made for each client.
    pub fn new(server: S, session: impl Into<Session>) -> Self {
        let session = session.into();
        Self::by_request(server, move |_| Some(session.clone()))
    }

    /// Has the tools of a server judged in the session that a closure names. A call of none is refused.
    pub fn by_request<I: Into<Session>>(
        server: S,
        session: impl Fn(&RequestContext<RoleServer>) -> Option<I> + Send + Sync + 'static,
    ) -> Self {
        let session = move |context: &RequestContext<_>| session(context).map(Into::into);
        let mut provenance = Provenance::new("mcp");
        provenance.source_id = Some(server.get_info().server_info.name);
        let good_for = Duration::from_secs(600);
        Self { server, provenance, session: Arc::new(session), good_for }
    }

    /// Sets for how long a question can be answered: ten minutes if nothing is said.
    #[must_use]
    pub fn questions_good_for(mut self, time: Duration) -> Self {
        self.good_for = time;
        self
    }

    async fn call(
        &self,
        mut request: CallToolRequest,
        rmcp: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let Some(session) = (self.session)(&rmcp) else {
            return Ok(refused("the call is of no session, so no hook can judge it"));
        };
        let cancel = rmcp.ct.clone();
        let context = session.context().cancel(&cancel);
        let gate = match question::take(&mut request.params) {
            Retry::No => {
                let input = Value::Object(request.params.arguments.take().unwrap_or_default());
                let step = match ToolUse::from_value(request.params.name.as_ref(), input) {
                    Ok(step) => step.id(rmcp.id.to_string()).provenance(self.provenance.clone()),
                    Err(error) => return Ok(refused(error)),
                };
                session.dispatch(step, &context).await
            }
            Retry::Answered(parked, is_approved) => match session.resume(*parked) {
                Ok(asked) if asked.payload().tool_name != request.params.name => {
                    return Ok(refused("the question was about another tool"));
                }
                Ok(asked) if is_approved => session.approve(asked, &context).await,
                Ok(asked) => session.reject(asked, "the user did not approve it", &context).await,
                Err(error) => return Ok(refused(error)),
            },
            Retry::Unreadable => return Ok(refused("the state of the call is no question")),
        };
        match gate {
            Gate::Cleared(cleared) => self.run(cleared, request, rmcp, &session).await,
            Gate::Answered(ran) => finish(ran, None, &session).await,
            Gate::Denied(denied) => Ok(refused(denied)),
            Gate::Halted(halted) => Ok(refused(halted)),
            Gate::Asked(asked) if question::can_ask(&rmcp) => {
                let params = request.params;
                Ok(question::ask(asked, &session, &context, self.good_for, params))
            }
            Gate::Asked(asked) => {
                Ok(refused(format_args!("nobody can be asked: {}", asked.question())))
            }
        }
    }

    /// Calls the tool with the arguments that were judged.
    async fn run(
        &self,
        cleared: ToolUse<Cleared>,
        mut request: CallToolRequest,
        rmcp: RequestContext<RoleServer>,
        session: &Session,
    ) -> Result<ServerResult, ErrorData> {
        let running = cleared.start();
        let came = match running.input() {
            Value::Object(input) => {
                request.params.arguments = Some(input.clone());
                let request = ClientRequest::CallToolRequest(request);
                Came::of(self.server.handle_request(request, rmcp).await)
            }
            _ => Came::refused("the arguments are no object"),
        };
        let ran = running.finish(came.said.clone());
        finish(ran, Some(came), session).await
    }
}

/// Answers with the result, as its hooks leave it. It has happened, so a call that is cancelled by now is judged as well.
async fn finish(
    ran: ToolUse<Ran>,
    came: Option<Came>,
    session: &Session,
) -> Result<ServerResult, ErrorData> {
    match session.dispatch(ran, &session.context()).await {
        Gate::Denied(denied) => Ok(refused(denied)),
        Gate::Halted(halted) => Ok(refused(halted)),
        Gate::Cleared(done) => {
            let added: Vec<_> = done.context().map(ContentBlock::text).collect();
            let mut answer = Came::left(came, done);
            if let Ok(ServerResult::CallToolResult(CallToolResult { content, .. })) = &mut answer {
                content.extend(added);
            }
            answer
        }
    }
}

impl<S: Service<RoleServer>> Service<RoleServer> for Judged<S> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        match request {
            ClientRequest::CallToolRequest(call) => {
                let is_legacy = !question::speaks(&context, &ProtocolVersion::V_2026_07_28);
                let mut answer = self.call(call, context).await?;
                if is_legacy {
                    answer.strip_result_type_for_legacy_peer();
                    answer.strip_non_object_output_for_legacy_peer();
                }
                Ok(answer)
            }
            ClientRequest::GetTaskRequest(_) => Err(ErrorData::method_not_found::<GetTaskMethod>()),
            ClientRequest::UpdateTaskRequest(_) => {
                Err(ErrorData::method_not_found::<UpdateTaskMethod>())
            }
            other => self.server.handle_request(other, context).await,
        }
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.server.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        self.server.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.server.supported_protocol_versions()
    }
}
