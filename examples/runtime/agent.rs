//! One session: prompt, turns, tool calls, stop. Each step is dispatched before it happens.

use std::sync::Arc;

use hookgate::contract::Cancel;
use hookgate::contract::payload::{
    PostLlmResponse, PreLlmRequest, SessionEnd, SessionSource, SessionStart, Stop, TurnStart,
    UserPromptSubmit,
};
use hookgate::{Gate, HookEngine, Scope, StepContext, ToolUse};
use serde_json::Value;

use crate::approval::{self, User};
use crate::cancellation::Esc;
use crate::ended::Ended;
use crate::tools::Tools;

/// A tool call of the scripted model.
pub(crate) type Call = (&'static str, Value);

/// A conversation with its agent.
pub(crate) struct Session {
    /// Who it is, where it works, and the hooks that it has of its own.
    pub(crate) scope: Scope,
    pub(crate) tools: Tools,
    pub(crate) user: User,
    pub(crate) esc: Arc<Esc>,
    /// What the user sees.
    pub(crate) screen: Vec<String>,
}

impl Session {
    /// Runs a prompt to its end and returns what the user saw. The model makes one call a turn.
    pub(crate) async fn run(mut self, prompt: &str, calls: &[Call]) -> Vec<String> {
        let (scope, esc) = (self.scope.clone(), Arc::clone(&self.esc));
        let context = scope.context().cancel(&*esc);
        let start = SessionStart::new(SessionSource::Startup);
        let Gate::Cleared(_) = scope.dispatch(start, &context).await;
        let reason = match self.work(prompt, calls, &context).await {
            Ok(()) => "done".to_owned(),
            Err(Ended::Stopped(reason)) => reason,
            Err(Ended::Cancelled) => "cancelled".to_owned(),
        };
        self.show("ended", &reason);
        // The end is a step of every session, so this context has no signal that could cancel it.
        let Gate::Cleared(()) = scope.dispatch(SessionEnd::new(reason), &scope.context()).await;
        scope.end();
        self.screen
    }

    async fn work(
        &mut self,
        prompt: &str,
        calls: &[Call],
        context: &StepContext<'_>,
    ) -> Result<(), Ended> {
        match self.scope.dispatch(UserPromptSubmit::new(prompt), context).await {
            Gate::Cleared(taken) => self.show("user", &taken.payload().prompt),
            Gate::Denied(denied) => return Err(Ended::Stopped(denied.feedback())),
            Gate::Asked(asked) => return Err(Ended::Stopped(asked.question().to_owned())),
            Gate::Halted(halted) => return Err(halted.into()),
        }
        for (turn, (tool, input)) in (1..).zip(calls) {
            let context = context.turn(turn);
            let Gate::Cleared(_) = self.scope.dispatch(TurnStart::new(turn), &context).await;
            self.request_model(turn, tool, &context).await?;
            let message = self.use_tool(tool, input, &context).await?;
            self.show(tool, &message);
        }
        match self.scope.dispatch(Stop::default(), context).await {
            Gate::Cleared(_) => Ok(()),
            // The reason would be the next prompt, but the scripted model has nothing left to do.
            Gate::Denied(denied) => Err(Ended::Stopped(denied.feedback())),
            Gate::Halted(halted) => Err(halted.into()),
        }
    }

    /// The request to the model and its answer are steps, too.
    async fn request_model(
        &self,
        turn: u64,
        tool: &str,
        context: &StepContext<'_>,
    ) -> Result<(), Ended> {
        let request = PreLlmRequest::new("scripted", turn);
        let answer = match self.scope.dispatch(request, context).await {
            Gate::Cleared(_) => PostLlmResponse::new("", vec![tool.to_owned()]),
            Gate::Answered(answer) => answer,
            Gate::Denied(denied) => return Err(Ended::Stopped(denied.feedback())),
            Gate::Halted(halted) => return Err(halted.into()),
        };
        match self.scope.dispatch(answer, context).await {
            Gate::Cleared(_) => Ok(()),
            Gate::Denied(denied) => Err(Ended::Stopped(denied.feedback())),
            Gate::Halted(halted) => Err(halted.into()),
        }
    }

    /// One tool call: evaluated, put to the user if a hook asks, run, and its result evaluated. Returns
    /// what the model reads.
    async fn use_tool(
        &self,
        name: &str,
        input: &Value,
        context: &StepContext<'_>,
    ) -> Result<String, Ended> {
        let step = ToolUse::from_value(name, input.clone())?;
        let mut gate = self.scope.dispatch(step, context).await;
        if let Gate::Asked(asked) = gate {
            gate = match approval::resolve(asked, &self.user, &self.scope, &self.esc).await? {
                Ok(gate) => gate,
                Err(refused) => return Ok(refused.feedback()),
            };
        }
        let ran = match gate {
            // Not the word of a policy: the model need not read it.
            Gate::Denied(denied) if denied.is_cancelled() => return Err(Ended::Cancelled),
            Gate::Cleared(tool) => tokio::select! {
                ran = tool.run(async |input| self.tools.run(name, input).await) => ran,
                () = self.esc.cancelled() => return Err(Ended::Cancelled),
            },
            Gate::Answered(ran) => ran,
            Gate::Denied(denied) => return Ok(denied.feedback()),
            Gate::Asked(asked) => return Ok(asked.refuse("it was asked twice").feedback()),
            Gate::Halted(halted) => return Err(halted.into()),
        };
        match self.scope.dispatch(ran, context).await {
            Gate::Cleared(done) => Ok(done.into_message()),
            Gate::Denied(withheld) => Ok(withheld.feedback()),
            Gate::Halted(halted) => Err(halted.into()),
        }
    }

    fn show(&mut self, who: &str, text: &str) {
        self.screen.push(format!("[{}] {who}: {}", self.scope.session_id(), text.trim_end()));
    }
}
