//! Hooks that ask an LLM: `prompt = { model = "gpt-5-mini", prompt_file = "judges/shell.md" }`.
//!
//! A judge holds a step against a rule in plain words. It speaks to any server with OpenAI's chat
//! completions. What is judged cannot speak as the judge: it goes into the user's part of the
//! question as JSON on one line, between markers with a number that nobody can have known, and only
//! an answer with that number counts. Whatever else comes back is a failure of a class, and counts
//! as the hook's posture says.
//!
//! # The model
//! * `model`; `base_url` (default that of OpenAI); `api_key_env`, the environment variable with the
//!   key (default `OPENAI_API_KEY` for OpenAI, none elsewhere), read for each request.
//! * `allow_plain_http` (default false): lets a `base_url` with plain http go to private addresses;
//!   without it only to loopback ones, and in no case to public ones, whatever a name resolves to.
//!   Everybody on the way sees the step and the key, and can answer for the model.
//! * `temperature` (default 0; `"default"` sends none, as some models want it), `seed`,
//!   `max_tokens` (default 1024, for each rule of a question).
//! * `response`: how the server is held to the form of the answer: `schema`, `json_object` or
//!   `text`. Without it the strictest form that the server takes is found out once.
//! * `retries` (default 2) of what may pass, after `backoff` (default `"250ms"`, doubling) or what
//!   the server asks for, up to 5 s; `repair` (default true): one more question where the answer
//!   has not the form. All of it within the timeout of the hook.
//! * `fallback`: further models `{ model, base_url, api_key_env }`, for when one is unreachable,
//!   overloaded or broken. A wrong key falls back to nobody.
//!
//! # The question
//! * `prompt` or `prompt_file`: the rule. It is a template that is rendered once and knows `event`
//!   and the constants in `vars`; a variable that is not there is a mistake in the config. What is
//!   judged never goes through it.
//! * `system`: who the judge is, in place of our words. What the data is, and how to answer, is
//!   always added.
//! * `show`: what the judge sees of the envelope, as JSON pointers. One that a step may lack ends
//!   with `?`: `"/tool_response?"`. By default it is what a deny would stop or withhold, and what
//!   led to it: the tool with its input and its result or error, the prompt, the messages, the text
//!   of the model; at an event without such the whole payload.
//! * `show_limit` (default 32 KiB) and `on_cut`: a step that is longer is not judged. The failure is
//!   of class `oversize`, as that of a step without what `show` names. With `on_cut = "judge"` its
//!   middle is cut out, the judge is told, and the note of the vote says how much it did not see.
//!
//! # The answer
//! * `respond`: `decision` (the default), `context` for a note to the agent, `rewrite` for a patch,
//!   or a form that an embedder has added with [`Shared::with_shape`].
//! * A deny and an ask count; an allow says nothing, unless `speak_allow = true`. Whether that is
//!   an approval depends on the hook's own `may_allow`.
//! * `reason`: a text in place of the model's reason for a deny or an ask. The model's own is shown
//!   only if it quotes neither the rule nor the data.
//! * `keep_answer` (default false): puts what the model said, the first 2000 characters of it and
//!   without secrets, into the note of the vote. It may quote the rule and the data.
//! * A deny or an ask that can be made out in an answer which must be refused, or in a part of one,
//!   stands: the failure counts as no less, whatever its posture. That needs no nonce, since a
//!   forged one can only deny. An allow counts only whole, in good form and with the nonce.
//! * `samples` and `agree`: several answers, of which so many must agree; else the judge is unsure.
//!
//! # The cost
//! * `cache`: `{ ttl = "10m", size = 1000 }`, or `false`. The same question by a judge of the same
//!   definition is asked once, also while the answer is on its way. Failures and `unsure` are not
//!   remembered, nor is what a fallback said. With `false` every step is asked about anew.
//! * `batch = true`: judges that differ in their rules only, and are asked about the same step, are
//!   asked in one call. A rule that is missing from the answer fails alone.
//! * `first`: a cheaper judge; only what it does not allow comes to this one, whose word then
//!   counts alone. Either a table with the settings that differ (`model`, `base_url`,
//!   `api_key_env`, `prompt`, `prompt_file`, `system`, `temperature`, `seed`, `max_tokens`,
//!   `response`), or the id of another judge of this config, which may be `off` itself. An id that
//!   no judge has clears nothing.
//! * `limits`: `concurrency` (requests to the server at the same time, default 8), `waiting` (how
//!   many wait for that, default 1024), `rate` (calls of this hook in any minute). Beyond them a
//!   judge is `overloaded`.
//! * `budget`: `{ session = { calls, tokens, money }, hour = { … } }` of this hook; once it is used
//!   up the judge fails with `budget`. Tokens and money are known after a call, so what runs at the
//!   same time can go over. `prices`: `{ "model" = { input = 0.25, output = 2.0 } }` for a million
//!   tokens.
//!
//! # The live check
//! A hook of this kind can be tried out without a step (`hookgate check --live`, or
//! [`BuiltHandler::live`](hookgate_contract::BuiltHandler::live)): every model of the settings, those in `fallback`
//! and in a table `first` too, is asked one small question that is always the same, by the same
//! means as at a judgement, and the form of answer that it takes is remembered. It is on nobody's
//! budget.

mod answer;
mod budget;
mod cache;
mod case;
mod desk;
mod fields;
mod gate;
mod heard;
mod judge;
mod live;
mod model;
mod network;
mod nonce;
mod number;
mod openai;
mod outcome;
mod policy;
mod question;
mod recipe;
mod shape;
mod shared;
mod shown;
mod talk;
mod target;
#[cfg(test)]
mod tests;
mod votes;
mod watch;

use std::sync::Arc;

use hookgate_contract::HandlerKind;

pub use judge::{Judge, Judged, factory};
pub use shape::AnswerShape;
pub use shared::Shared;

/// The kind under which these handlers stand in a config.
pub const KIND: &str = "prompt";

/// Returns the kind, to be added to a registry: no config can use it before. The judges of one kind
/// share a cache, requests under way and budgets, so two calls return kinds that share nothing.
#[must_use]
pub fn kind() -> HandlerKind {
    kind_with(Arc::default())
}

/// Returns the kind with a state of the embedder's own: other forms of answers, another client.
#[must_use]
pub fn kind_with(shared: Arc<Shared>) -> HandlerKind {
    HandlerKind::new(KIND, factory(shared))
}
