//! The steps that are nothing but their payload: all but the use of a tool.

use std::convert::Infallible as No;

use hookgate_contract::payload::*;
use hookgate_contract::{Answer, Contract, Event};

use super::{Asked, Clearance, Cleared, Denied, FromVerdict, Halted, HookStep, Reaches};

/// One line per event: the states that it can reach. They are compared with its contract when a
/// dispatch of it is compiled.
macro_rules! steps {
    ($($payload:ident: $cleared:ty, $denied:ty, $asked:ty, $answered:ty, $halted:ty;)*) => { $(
        impl HookStep for $payload {
            const CONTRACT: &'static Contract = Event::$payload.contract();
            type Payload = Self;
            type Cleared = $cleared;
            type Denied = $denied;
            type Asked = $asked;
            type Answered = $answered;
            type Halted = $halted;

            #[inline]
            fn payload(&self) -> &Self {
                self
            }

            #[inline]
            fn payload_mut(&mut self) -> &mut Self {
                self
            }
        }
    )* };
}

steps! {
    // step:              cleared,       denied,       asked,       answered, halted
    SessionStart:         Cleared<Self>, No,           No,          No,              No;
    SessionResume:        (),            No,           No,          No,              No;
    SessionEnd:           (),            No,           No,          No,              No;
    RunStarted:           Cleared<Self>, Denied<Self>, No,          No,              Halted<Self>;
    RunCompleted:         Cleared<Self>, Denied<Self>, No,          No,              No;
    RunFailed:            (),            No,           No,          No,              No;
    UserPromptSubmit:     Cleared<Self>, Denied<Self>, Asked<Self>, No,              Halted<Self>;
    UserPromptAccepted:   Cleared<Self>, No,           No,          No,              No;
    UserInputRequested:   (),            No,           No,          No,              No;
    TurnPolicy:           Cleared<Self>, No,           No,          No,              No;
    TurnStart:            Cleared<Self>, No,           No,          No,              No;
    PromptContext:        Cleared<Self>, No,           No,          No,              No;
    PromptContextPlanned: Cleared<Self>, No,           No,          No,              No;
    ToolSelection:        Cleared<Self>, No,           No,          No,              No;
    PromptCompile:        Cleared<Self>, No,           No,          No,              No;
    PromptCompiled:       (),            No,           No,          No,              No;
    PreLlmRequest:        Cleared<Self>, Denied<Self>, No,          PostLlmResponse, Halted<Self>;
    PostLlmResponse:      Cleared<Self>, Denied<Self>, No,          No,              Halted<Self>;
    PermissionRequest:    Cleared<Self>, Denied<Self>, Asked<Self>, No,              No;
    PermissionDecided:    (),            No,           No,          No,              No;
    PostToolBatch:        Cleared<Self>, No,           No,          No,              Halted<Self>;
    TurnBoundary:         Cleared<Self>, Denied<Self>, No,          No,              Halted<Self>;
    Stop:                 Cleared<Self>, Denied<Self>, No,          No,              Halted<Self>;
    SubagentStart:        Cleared<Self>, No,           No,          No,              No;
    SubagentStop:         Cleared<Self>, Denied<Self>, No,          No,              No;
    AgentSwitch:          (),            No,           No,          No,              No;
    PreCompact:           Cleared<Self>, Denied<Self>, No,          No,              No;
    PostCompact:          Cleared<Self>, No,           No,          No,              No;
    MaxIterations:        (),            No,           No,          No,              No;
    Notification:         (),            No,           No,          No,              No;
    ConfigChange:         Cleared<Self>, Denied<Self>, Asked<Self>, No,              No;
    WorktreeCreate:       Cleared<Self>, Denied<Self>, No,          No,              No;
}

/// A request that a hook answered is an answer of the model, to be judged like any other.
impl FromVerdict<PreLlmRequest> for PostLlmResponse {}

impl Reaches<PreLlmRequest> for PostLlmResponse {
    const REACHABLE: bool = true;

    fn reach(
        request: PreLlmRequest,
        seal: Clearance,
        answer: Option<Answer>,
    ) -> Result<Self, (PreLlmRequest, Clearance)> {
        let Some(answer) = answer else { return Err((request, seal)) };
        let text = match answer.content {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        let mut response = Self::new(text, Vec::new());
        response.model = Some(request.model);
        Ok(response)
    }
}
