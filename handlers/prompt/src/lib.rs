//! Hooks that ask an LLM: `prompt = { model = "gpt-5-mini", prompt_file = "judges/shell.md" }`.
//!
//! A *judge* holds a step of an agent against a rule in plain words, through any server that speaks
//! OpenAI's chat completions. Use one where a rule needs reading ("destroys what cannot be made again").
//! Where a pattern can decide, use a pattern: it costs nothing and cannot be talked round.
//!
//! ```toml
//! [[hook]]
//! id = "careful-shell"
//! event = "pre_tool_use"
//! tool = "Bash"
//! timeout = "10s"
//! on_unsure = "ask"
//! prompt = { model = "gpt-5-mini", prompt_file = "judges/shell.md" }
//! ```
//!
//! In Rust a registry gets the [`factory`] of this kind, with a [`JudgeState`] that all its judges
//! share. [`Judge`] is the handler itself, for programs that measure or test one; [`AnswerFormat`] adds
//! a form of answer.
//!
//! # What happens at a step
//!
//! 1. The **excerpt** is taken from the step: what the judge may see.
//! 2. If the answer to the same question is **cached**, it is the result, within microseconds.
//! 3. If the same question is **under way** for another step, this one waits for the same request.
//! 4. If there is a **first** judge, a cheaper one, it is asked. What it allows is allowed.
//! 5. The **prompt** is made and sent, with retries and fallbacks, and the **reply** is checked.
//! 6. A finding becomes a verdict; anything else becomes a failure, which counts as the posture of the
//!    hook says.
//!
//! What is judged cannot speak as the judge. The step is in the user message as JSON on one line,
//! between markers with a nonce that is drawn for this prompt, and only an answer with that nonce can
//! be an allow.
//!
//! # Settings
//!
#![doc = include_str!("settings.md")]
//!
//! `prices.*.input` is the key `input` of each table in `prices`, and `fallback[].model` the key `model` of
//! each table in the list `fallback`. A key that is not listed is an error.
//!
//! # Writing a rule
//!
//! * Say when to deny, when to ask and when to allow, in that order, and name harmless look-alikes.
//! * Say nothing about the form of the answer, and do not describe the step: both are added, also with
//!   a `system` of your own.
//! * The rule is a minijinja template that is rendered once for each event. It knows `event` and
//!   `vars.name`. A variable that does not exist is an error when the config is loaded. The step is not
//!   a variable: it would become a part of the rule.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use hookgate_contract::BuildContext;
//! use hookgate_contract::settings::{Node, Settings};
//! use hookgate_prompt::{Judge, JudgeState};
//! use serde_json::{Value, json};
//!
//! /// Builds a judge, or returns the first mistake in its settings.
//! fn build(settings: Value) -> Result<Judge, String> {
//!     let node = Node::from_json(&settings);
//!     let mut settings = Settings::new(&node);
//!     let context = BuildContext::new(Path::new("."), 256 * 1024);
//!     let judge = Judge::build(&mut settings, &context, Arc::new(JudgeState::default()));
//!     match settings.finish().first() {
//!         Some(mistake) => Err(mistake.to_string()),
//!         None => judge.ok_or_else(|| "there is no judge".to_owned()),
//!     }
//! }
//!
//! let rule = "Deny pushes to {{ vars.branch }}; a push to any other branch is fine.";
//! build(json!({"model": "m", "prompt": rule, "vars": {"branch": "main"}}))?;
//!
//! let mistake = build(json!({"model": "m", "prompt": rule})).unwrap_err();
//! assert!(mistake.contains("there is no variable `vars.branch`"));
//! let mistake = build(json!({"model": "m", "prompt": "No force.", "agre": 2})).unwrap_err();
//! assert_eq!(mistake, "unknown key `agre`; did you mean `agree`?");
//! # Ok::<(), String>(())
//! ```
//!
//! # What the judge sees
//!
//! ```
//! # use std::path::Path;
//! use hookgate_contract::settings::{Node, Settings};
//! use hookgate_contract::{BuildContext, Event};
//! use hookgate_prompt::Judge;
//! use serde_json::json;
//!
//! // `show` is checked against the events of the hook.
//! let show = |pointer: &str| {
//!     let node = Node::from_json(&json!({"model": "m", "prompt": "No.", "show": [pointer]}));
//!     let mut settings = Settings::new(&node);
//!     let context = BuildContext::new(Path::new("."), 256 * 1024).at(&[Event::PreToolUse]);
//!     Judge::build(&mut settings, &context, Default::default());
//!     settings.finish().first().map(ToString::to_string)
//! };
//! assert_eq!(show("/tool_input/command"), None);
//! assert!(show("/tool_inptu").unwrap().contains("did you mean `/tool_input`?"));
//! ```
//!
//! By default a judge sees what a deny would stop or withhold, and what led to it: the tool and its
//! input; at `post_tool_use` also the result, at `post_tool_use_failure` the error; the prompt, the
//! messages, the text of the model; at an event without any of these the whole payload.
//!
//! A judge sees what it decides on, or it does not decide. A step that is longer than `show_limit`, or
//! that lacks what `show` names, fails with class `oversize`: an agent could otherwise pad a step until
//! its dangerous part is out of sight. With `on_cut = "judge"` the model is told how much is missing,
//! and the note of the vote says it. A pointer that no envelope of the event can have is an error when
//! the config is loaded.
//!
//! # How answers are checked
//!
//! * **An allow counts only whole**: one JSON object with exactly the requested keys and the nonce, in a
//!   completion that says that it is complete.
//! * **A deny or an ask counts in any state**: with a wrong key, in prose, cut off, in an error body, in
//!   what arrived before the deadline. The result is still a failure, but one that counts as no less
//!   than that decision. It needs no nonce, because a forged one can only deny.
//! * **Unsure is a failure** of class `unsure`: offer it in the rule, and set `on_unsure`.
//! * **A reason is shown** only if it quotes neither the rule nor the data, without secrets, in at most
//!   300 characters. A kept answer may quote both.
//! * Whether an allow approves a step is decided by the hook's own `may_allow`.
//!
//! # What fails, and how
//!
//! | class | when | asked again | fallback |
//! |---|---|---|---|
//! | `timeout` | the deadline of the hook or of the dispatch passed | | |
//! | `unreachable` | no connection, or it broke off | yes | yes |
//! | `overloaded` | status 429, or `limits.waiting` requests wait already | yes | yes |
//! | `overloaded` | `limits.rate` is reached | no | no |
//! | `http_status` | another error status | from 500 on | yes |
//! | `auth` | no key, or the server refuses it | no | no |
//! | `untrusted` | plain http would leave the private network | no | no |
//! | `malformed` | the reply has not the requested form | once, with `repair` | no |
//! | `oversize` | excerpt or reply too long; `show` names what is missing | no | no |
//! | `unsure` | the model cannot tell, refuses, or the samples disagree | no | no |
//! | `budget` | a budget is used up | no | no |
//! | `state` | what was spent is not known, or cannot be kept | no | no |
//! | `spawn` | no tokio runtime, no random numbers, no TLS | no | no |
//!
//! Every one of them counts as the posture of the hook for that class (`on_timeout`, `on_unsure`…, else
//! `on_failure`). No failure is cached.
//!
//! # Model and server
//!
//! A `Retry-After` of at most 5 s replaces the backoff; a longer one ends the attempts. Everything
//! happens within the timeout of the hook.
//!
//! # What it costs
//!
//! A judge that is cheap for most steps, and cannot become expensive:
//!
//! ```toml
//! [hook.prompt]
//! model = "gpt-5"
//! prompt_file = "judges/shell.md"
//! first = { model = "gpt-5-nano" }                    # clears the harmless steps
//! cache = { ttl = "1h", size = 10000 }                # the same step costs nothing for an hour
//! limits = { concurrency = 4, rate = 60 }
//! budget = { session = { calls = 200 }, hour = { money = 2.0 } }
//!
//! [hook.prompt.prices]                                # for a million tokens
//! gpt-5 = { input = 1.25, output = 10.0 }
//! gpt-5-nano = { input = 0.05, output = 0.4 }
//! ```
//!
//! * The same question by a judge of the same definition is asked once, also while the answer is on its
//!   way. The definition covers the settings and the rule, so a changed rule asks anew; a reload that
//!   changes nothing keeps the answers.
//! * A batch waits 3 ms for its questions. A rule that is missing from the answer fails alone.
//! * A table `first` may have `model`, `base_url`, `api_key_env`, `allow_plain_http`, `prompt`,
//!   `prompt_file`, `system`, `temperature`, `seed`, `max_tokens` and `response`; a hook that is named
//!   may be `off` itself. It clears what it allows. Everything else comes to this judge, whose decision
//!   replaces that of the first one, while its failure does not.
//! * Calls are counted before they are made. Tokens and money are known afterwards, so requests that run
//!   at the same time can exceed those budgets. A budget survives a reload; a restart only where the host keeps
//!   it ([`JudgeState::with_home`]), as `hookgate hook` does. What cannot be read or kept is a failure of the
//!   class `state`.
//!
//! # The readiness probe
//!
//! `hookgate check --live`, or [`BuiltHandler::probe`](hookgate_contract::BuiltHandler::probe) in Rust,
//! asks each model one small question that is always the same, also those of `fallback` and of a table
//! `first`. It shows whether the server is there, the key is accepted and the form of the answer is
//! kept. It judges no step, is charged to no budget, and remembers which response format works.
//!
//! # Cancellation
//!
//! A judge starts no task. Its request is a future that is polled by all steps that wait for the answer,
//! and ends with the last of them; the connection is closed then. Evaluation needs a tokio runtime with
//! time and IO.

mod answer;
mod client;
mod coalesce;
mod configured;
mod digest;
mod handler;
mod judge;
mod judgement;
mod network;
mod opinions;
mod parameter;
mod probe;
mod question;
mod request;
mod settings;
mod state;
mod sync;
#[cfg(test)]
mod tests;
mod wait;

use std::sync::Arc;

use hookgate_contract::HandlerKind;

pub use answer::format::AnswerFormat;
pub use handler::factory;
pub use judge::Judge;
pub use judgement::Judgement;
pub use settings::SETTINGS;
pub use state::JudgeState;

/// The name of this kind of handler in a config: `prompt = { … }`.
///
/// ```
/// assert_eq!(hookgate_prompt::KIND, "prompt");
/// ```
pub const KIND: &str = "prompt";

/// Returns the kind, to be added to a registry: no config can use it before. The judges of one kind
/// share a cache, requests under way and budgets, so two calls return kinds that share nothing.
#[must_use]
pub fn kind() -> HandlerKind {
    kind_with(Arc::default())
}

/// Returns the kind with a state of the embedder's own: other forms of answers, another client.
#[must_use]
pub fn kind_with(state: Arc<JudgeState>) -> HandlerKind {
    HandlerKind::new(KIND, factory(state))
}
