//! A server that is a service: each message is posted, and its answer comes as JSON or as events
//! ("streamable HTTP").

use bytes::Bytes;
use hookgate_contract::{Failure, FailureClass, Invocation, VerdictDecision};
use hookgate_http::{Service, ServiceAnswer};
use tokio::sync::Mutex;

use crate::message::{Lifecycle, Message, Outcome, Request, decision_in, initialized, random_id};
use crate::sse::EventStream;

const ACCEPT: (&str, &str) = ("accept", "application/json, text/event-stream");
const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

/// A server over HTTP, with the session that was agreed on.
#[derive(Debug)]
pub(crate) struct HttpServer {
    pub(crate) service: Service,
    /// How many bytes a message may have.
    limit: usize,
    session: Mutex<Option<Session>>,
}

/// What the handshake gave.
#[derive(Debug, Clone)]
struct Session {
    /// The name that the server has for it, if it keeps sessions.
    id: Option<String>,
    lifecycle: Lifecycle,
}

/// Who waits for an answer: a hook, or the probe of one.
#[derive(Clone, Copy)]
pub(crate) enum Caller<'a> {
    Hook(Invocation<'a>),
    Probe,
}

impl HttpServer {
    /// Makes a server to which no connection was made yet.
    pub(crate) fn new(service: Service, limit: usize) -> Self {
        Self { service, limit, session: Mutex::new(None) }
    }

    /// Makes a request, with a handshake before the first one. If the server has forgotten the session,
    /// another is begun: the request was not processed then.
    ///
    /// # Errors
    /// Why no answer arrived.
    pub(crate) async fn request(
        &self,
        request: &Request,
        caller: Caller<'_>,
    ) -> Result<Outcome, Failure> {
        let session = self.session().await?;
        match self.send(request, Some(&session), caller).await? {
            Sent::Answered(outcome) => Ok(outcome),
            Sent::NoSession(failure) if session.id.is_none() => Err(failure),
            Sent::NoSession(_) => {
                self.forget(&session).await;
                let session = self.session().await?;
                match self.send(request, Some(&session), caller).await? {
                    Sent::Answered(outcome) => Ok(outcome),
                    Sent::NoSession(failure) => Err(failure),
                }
            }
        }
    }

    /// Returns the session; the first caller makes the handshake, and the others wait for it.
    async fn session(&self) -> Result<Session, Failure> {
        let mut held = self.session.lock().await;
        if let Some(session) = held.as_ref() {
            return Ok(session.clone());
        }
        let begun = self.begin().await?;
        Ok(held.insert(begun).clone())
    }

    async fn forget(&self, session: &Session) {
        let mut held = self.session.lock().await;
        // Another call may have begun a new one.
        held.take_if(|known| known.id == session.id);
    }

    async fn begin(&self) -> Result<Session, Failure> {
        let id = random_id()?;
        let body = Request::initialize().to_bytes(id, None);
        let mut answer = self.service.post(&[ACCEPT], body.into()).await?;
        let session_id = answer.header(SESSION).map(str::to_owned);
        // A server without handshakes refuses it by a status, or by an error in the body.
        if answer.status() == 400 || answer.status() == 404 {
            return Ok(Session { id: None, lifecycle: Lifecycle::Stateless });
        }
        let outcome = self.read_answer(&mut answer, id, Caller::Probe).await?;
        let session = Session { id: session_id, lifecycle: Lifecycle::read(&outcome)? };
        if session.lifecycle != Lifecycle::Stateless {
            let headers = headers(Some(&session), None);
            let accepted = self.service.post(&headers, initialized().into()).await?;
            if let Some(failure) = accepted.status_failure() {
                return Err(failure);
            }
        }
        Ok(session)
    }

    async fn send(
        &self,
        request: &Request,
        session: Option<&Session>,
        caller: Caller<'_>,
    ) -> Result<Sent, Failure> {
        let id = random_id()?;
        let lifecycle = session.map(|session| &session.lifecycle);
        let body = Bytes::from(request.to_bytes(id, lifecycle));
        let mut answer = self.service.post(&headers(session, Some(request)), body).await?;
        if answer.status() == 404 {
            let failure = answer.status_failure();
            return Ok(Sent::NoSession(failure.unwrap_or_else(|| malformed("status 404"))));
        }
        self.read_answer(&mut answer, id, caller).await.map(Sent::Answered)
    }

    /// Reads the answer to a request.
    ///
    /// # Errors
    /// Its status, its form or its size; a decision that can be made out in it is salvaged.
    async fn read_answer(
        &self,
        answer: &mut ServiceAnswer,
        id: u64,
        caller: Caller<'_>,
    ) -> Result<Outcome, Failure> {
        let refused = answer.status_failure();
        let is_stream = answer.header("content-type").is_some_and(|kind| {
            kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream")
        });
        let mut body = Body::of(caller);
        let outcome = match is_stream && refused.is_none() {
            true => self.read_events(answer, id, &mut body).await,
            false => self.read_json(answer, id, &mut body).await,
        };
        body.is_whole = true;
        let salvaged = body.decision();
        match (refused, outcome) {
            // Some servers put the error of the protocol into the body of an error status.
            (Some(_), Ok(outcome @ Outcome::Error(..))) | (None, Ok(outcome)) => Ok(outcome),
            (Some(failure), _) => Err(failure.with_salvaged(salvaged)),
            (None, Err(failure)) => {
                Err(failure.clone().with_salvaged(failure.salvaged.max(salvaged)))
            }
        }
    }

    async fn read_json(
        &self,
        answer: &mut ServiceAnswer,
        id: u64,
        body: &mut Body<'_>,
    ) -> Result<Outcome, Failure> {
        while let Some(piece) = answer.next_piece().await? {
            body.bytes.extend_from_slice(&piece);
            self.check_size(body.bytes.len())?;
        }
        let problem = |problem| {
            malformed(format!("the answer of the server is no message of MCP: {problem}"))
        };
        match Message::parse(&body.bytes).map_err(problem)? {
            Message::Answer(answered, outcome) if answered == id => Ok(outcome),
            _ => Err(malformed("the server answers another request")),
        }
    }

    async fn read_events(
        &self,
        answer: &mut ServiceAnswer,
        id: u64,
        body: &mut Body<'_>,
    ) -> Result<Outcome, Failure> {
        while let Some(piece) = answer.next_piece().await? {
            for event in body.stream.feed(&piece) {
                self.check_size(event.len())?;
                // Notifications come here as well, and requests, which this client cannot serve.
                if let Ok(Message::Answer(answered, outcome)) = Message::parse(&event)
                    && answered == id
                {
                    return Ok(outcome);
                }
            }
            self.check_size(body.stream.len())?;
        }
        Err(malformed("the events of the server ended without an answer"))
    }

    fn check_size(&self, size: usize) -> Result<(), Failure> {
        if size <= self.limit {
            return Ok(());
        }
        let detail = format!("the answer has more than {} bytes: raise limits.output", self.limit);
        Err(Failure::new(FailureClass::Oversize, detail))
    }
}

/// What came of a request.
enum Sent {
    Answered(Outcome),
    /// The server does not know the session, or there is nothing at this address.
    NoSession(Failure),
}

fn headers<'a>(
    session: Option<&'a Session>,
    request: Option<&'a Request>,
) -> Vec<(&'static str, &'a str)> {
    let mut headers = vec![ACCEPT];
    let Some(session) = session else { return headers };
    headers.push((VERSION, session.lifecycle.version()));
    if let Some(id) = &session.id {
        headers.push((SESSION, id));
    }
    if let (Some(request), Lifecycle::Stateless) = (request, &session.lifecycle) {
        headers.push((METHOD, request.method));
        headers.extend(request.name().map(|name| (NAME, name)));
    }
    headers
}

/// The body of an answer, as far as it has arrived. If the call is given up, a decision in it is kept.
struct Body<'a> {
    caller: Caller<'a>,
    /// A body that is one message.
    bytes: Vec<u8>,
    /// A body that is a stream of events.
    stream: EventStream,
    is_whole: bool,
}

impl<'a> Body<'a> {
    fn of(caller: Caller<'a>) -> Self {
        Self { caller, bytes: Vec::new(), stream: EventStream::default(), is_whole: false }
    }

    fn decision(&self) -> Option<VerdictDecision> {
        decision_in(&self.bytes).max(decision_in(&self.stream.held()))
    }
}

impl Drop for Body<'_> {
    fn drop(&mut self) {
        if let (false, Caller::Hook(invocation)) = (self.is_whole, self.caller) {
            invocation.keep_salvaged(self.decision());
        }
    }
}

fn malformed(detail: impl Into<String>) -> Failure {
    Failure::new(FailureClass::Malformed, detail.into())
}
