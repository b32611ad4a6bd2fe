//! The handler that asks a model.

use std::fmt;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use hookgate_contract::BuildContext;
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    AsyncHandler, Failure, FailureClass, Invocation, ReplyFuture, VerdictDecision,
};

use crate::answer::finding::Finding;
use crate::answer::opinion::{Opinion, Usage};
use crate::configured::ConfiguredJudge;
use crate::judgement::Judgement;
use crate::opinions::opinion;
use crate::question::input::Excerpt;
use crate::settings::JudgeSettings;
use crate::state::JudgeState;
use crate::wait::OpinionWait;

/// A handler that asks a model whether a step keeps a rule.
///
/// A config builds judges by itself; build one directly to use it outside of an engine, for example to
/// measure it. [`Judge::evaluate`] then says more than the handler does: which model answered, and
/// what that cost.
pub struct Judge {
    pub(crate) configured: Arc<ConfiguredJudge>,
    pub(crate) state: Arc<JudgeState>,
}

impl Judge {
    /// Builds a judge from its settings. Returns `None` if it cannot; the settings then know why
    /// ([`Settings::finish`]).
    ///
    /// A `prompt_file` is read here, once. The key of the server is not: it is read for each request.
    ///
    /// ```
    /// use std::path::Path;
    /// use std::sync::Arc;
    ///
    /// use hookgate_contract::BuildContext;
    /// use hookgate_contract::settings::{Node, Settings};
    /// use hookgate_prompt::{Judge, JudgeState};
    /// use serde_json::json;
    ///
    /// let state = Arc::new(JudgeState::default());
    /// let context = BuildContext::new(Path::new("."), 256 * 1024);
    ///
    /// let node = Node::from_json(&json!({
    ///     "model": "gpt-5-mini",
    ///     "prompt": "At {{ event }}, deny what pushes to {{ vars.branch }}.",
    ///     "vars": {"branch": "main"},
    /// }));
    /// assert!(Judge::build(&mut Settings::new(&node), &context, Arc::clone(&state)).is_some());
    ///
    /// // A rule does not see the step: that would let the step write a part of the rule.
    /// let node = Node::from_json(&json!({"model": "gpt-5-mini", "prompt": "{{ tool_input }}"}));
    /// let mut settings = Settings::new(&node);
    /// assert!(Judge::build(&mut settings, &context, state).is_none());
    /// assert!(settings.finish()[0].to_string().contains("there is no variable `tool_input`"));
    /// ```
    pub fn build(
        settings: &mut Settings<'_>,
        context: &BuildContext<'_>,
        state: Arc<JudgeState>,
    ) -> Option<Self> {
        let judge = JudgeSettings::read(settings, context, &state.formats)?;
        if let Err(problem) = state.client.carrier() {
            settings.invalid("model", problem);
            return None;
        }
        let configured = state.configure(Arc::new(judge));
        if !context.hook.is_empty() {
            state.register(context.hook, &configured);
        }
        Some(Self { configured, state })
    }

    /// Evaluates a step: asks the model, unless the answer is known.
    ///
    /// A known answer takes a few microseconds. Everything else takes as long as the server does,
    /// retries and repair included; there is no timeout here, since the engine has one for each hook.
    /// Outside of a tokio runtime the judge fails with class `spawn`.
    ///
    /// # Cancel safety
    /// When the future is dropped, no further request is made, and a request under way ends unless
    /// another step waits for the same answer. A deny that has arrived by then is left with the
    /// invocation ([`Invocation::keep_salvaged`]).
    ///
    /// ```
    /// # use std::io::{Read as _, Write as _};
    /// use std::path::Path;
    /// use std::sync::Arc;
    ///
    /// use hookgate_contract::{Envelope, StepId};
    /// use hookgate_contract::payload::ToolCall;
    /// use hookgate_contract::settings::{Node, Settings};
    /// use hookgate_contract::{BuildContext, Invocation, StepContext, Verdict};
    /// use hookgate_prompt::{Judge, JudgeState};
    /// use serde_json::json;
    ///
    /// # fn server() -> String {
    /// #     let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    /// #     let address = listener.local_addr().unwrap();
    /// #     std::thread::spawn(move || {
    /// #         let (mut stream, _) = listener.accept().unwrap();
    /// #         let (mut request, mut chunk) = (String::new(), [0; 8192]);
    /// #         while !request.contains("</data") {
    /// #             let read = stream.read(&mut chunk).unwrap();
    /// #             request.push_str(std::str::from_utf8(&chunk[..read]).unwrap());
    /// #         }
    /// #         let nonce = request.split("nonce of this question: ").nth(1).unwrap();
    /// #         let answer = json!({"nonce": &nonce[..16], "decision": "deny", "reason": "no force"});
    /// #         let body = json!({
    /// #             "choices": [{"message": {"content": answer.to_string()}}],
    /// #             "usage": {"prompt_tokens": 300, "completion_tokens": 20},
    /// #         }).to_string();
    /// #         let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
    /// #         stream.write_all((head + &body).as_bytes()).unwrap();
    /// #     });
    /// #     format!("http://{address}/v1")
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// // A server with OpenAI's chat completions; here one on the loopback that denies.
    /// let node = Node::from_json(&json!({
    ///     "model": "small", "base_url": server(), "prompt": "Deny every forced push.",
    ///     "prices": {"small": {"input": 0.25, "output": 2.0}},
    /// }));
    /// let context = BuildContext::new(Path::new("."), 256 * 1024);
    /// let judge = Judge::build(&mut Settings::new(&node), &context, Arc::default()).unwrap();
    ///
    /// let call = ToolCall::new("Bash", json!({"command": "git push --force"}));
    /// let (step, id) = (StepContext::new("session-1"), StepId::new(Some("step-1"), String::new));
    /// let envelope = Envelope::new(&call, &step, &id, 1, 1 << 20);
    ///
    /// let judgement = judge.evaluate(Invocation::new("shell", &envelope)).await;
    /// let reason = judgement.reply.unwrap().parts().unwrap().reason.clone();
    /// assert_eq!(reason.as_deref(), Some("no force"));
    /// assert_eq!((judgement.model.as_str(), judgement.calls), ("small", 1));
    /// assert!(judgement.cost > 0.0);
    ///
    /// // The same step again is known.
    /// let judgement = judge.evaluate(Invocation::new("shell", &envelope)).await;
    /// assert!(judgement.cached && judgement.cost == 0.0);
    /// # }
    /// ```
    pub async fn evaluate(&self, invocation: Invocation<'_>) -> Judgement {
        let judge = &self.configured;
        let excerpt = match Excerpt::take(&invocation, &judge.settings.show) {
            Ok(excerpt) => excerpt,
            Err(failure) => return self.failed(failure),
        };
        match judge.known(&excerpt.key) {
            Ok(Some(known)) => return self.judgement(&known, true),
            Ok(None) => {}
            Err(failure) => return self.failed(failure),
        }
        if tokio::runtime::Handle::try_current().is_err() {
            let detail = "the dispatch runs outside a tokio runtime, so no server can be asked";
            return self.failed(Failure::new(FailureClass::Spawn, detail));
        }
        let mut wait = OpinionWait::new(invocation);
        let first = self.first_opinion(&invocation, &wait).await;
        let mut before = Usage::default();
        if let Some((opinion, cached)) = first {
            if matches!(opinion.finding, Ok(Finding::Allow(_))) {
                return self.judgement(&opinion, cached);
            }
            // A deny of the first judge counts until this one has overruled it.
            wait.salvaged = strict_decision(&opinion);
            if !cached {
                before = opinion.usage;
            }
        }
        let (opinion, cached) = opinion(&self.state, judge, &invocation, excerpt, &wait).await;
        let mut judgement = self.judgement(&opinion, cached);
        if let Err(failure) = &mut judgement.reply {
            failure.salvaged = failure.salvaged.max(wait.salvaged);
        }
        judgement.add(before);
        judgement
    }

    /// Returns the opinion of the first judge, and whether it cost nothing. Returns `None` if there is
    /// no first judge, or if it would see only a part of the step: it clears nothing that it has not
    /// seen whole.
    async fn first_opinion(
        &self,
        invocation: &Invocation<'_>,
        wait: &OpinionWait<'_>,
    ) -> Option<(Arc<Opinion>, bool)> {
        let first = self.state.first_judge(&self.configured)?;
        let show = &first.settings.show;
        let excerpt = Excerpt::take(invocation, show).ok()?;
        if show.cuts(excerpt.json.len()) {
            return None;
        }
        // A first judge that cannot tell what it knows clears nothing.
        match first.known(&excerpt.key).ok()? {
            Some(known) => Some((known, true)),
            None => Some(opinion(&self.state, &first, invocation, excerpt, wait).await),
        }
    }

    fn judgement(&self, opinion: &Opinion, cached: bool) -> Judgement {
        Judgement::new(opinion, &self.configured.settings.respond, cached)
    }

    fn failed(&self, failure: Failure) -> Judgement {
        self.judgement(&Opinion::failed(failure), true)
    }
}

/// Returns the decision of a first judge, also one that was salvaged from a refused reply.
fn strict_decision(opinion: &Opinion) -> Option<VerdictDecision> {
    match &opinion.finding {
        Ok(finding) => finding.decision(),
        Err(failure) => failure.salvaged,
    }
}

impl AsyncHandler for Judge {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let judgement = self.evaluate(invocation).await;
            judgement.log(invocation.hook);
            judgement.reply
        })
    }
}

impl fmt::Debug for Judge {
    /// Prints the model and the definition; rules and keys are not printed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = &self.configured.settings;
        f.debug_struct("Judge")
            .field("model", &settings.endpoints.first().map(|endpoint| &endpoint.model))
            .field("definition", &HEXLOWER.encode(&settings.definition))
            .finish_non_exhaustive()
    }
}
