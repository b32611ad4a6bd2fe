//! How the calls of a hook are made, in words, for listings.

use hookgate_contract::FailureClass;

use super::retry::Retry;
use super::spec::HookSpec;
use crate::timer::format_timeout;

impl HookSpec {
    /// Returns what is special about how the hook is called and what is left of it if it fails, each a phrase:
    /// `needs plan`, `tried again 2 times after timeout, first after 200ms`; and the manifest of its handler.
    ///
    /// ```
    /// use hookgate::table::Retry;
    /// use hookgate::{FailureClass, Hook, Verdict};
    ///
    /// let retry = Retry::times(2).on([FailureClass::Timeout]);
    /// let hook = Hook::async_fn("h", |_| Box::pin(async { Ok(Verdict::none()) }));
    /// let hook = hook.needs("plan").retry(retry).build();
    /// assert_eq!(hook.execution(), ["needs plan", "tried again 2 times after timeout, first after 200ms"]);
    /// ```
    #[must_use]
    pub fn execution(&self) -> Vec<String> {
        let mut phrases = Vec::new();
        if let Some(name) = &self.shared {
            phrases.push(format!("handler {name}"));
        }
        if let Some(declared) = self.capabilities().map(ToString::to_string) {
            let declared = if declared.is_empty() { "nothing".to_owned() } else { declared };
            phrases.push(format!("declares: {declared}"));
        }
        if self.recorded {
            let whom = if self.visible_to_user { ", for the user to see" } else { "" };
            phrases.push(format!("recorded in the job queue of the host{whom}"));
        }
        if self.required {
            phrases.push("required".to_owned());
        }
        if !self.needs.is_empty() {
            phrases.push(format!("needs {}", self.needs.join(", ")));
        }
        if !self.fallback.is_empty() {
            let kinds: Vec<_> = self.fallback.iter().map(|one| one.kind().name()).collect();
            phrases.push(format!("falls back to {}", kinds.join(", ")));
        }
        phrases.extend(self.retry().map(retried));
        phrases.extend(self.text_window().map(|window| format!("judges a stream by {window}")));
        phrases
    }

    /// Adds how it is called to what is to be said of how its handler runs.
    pub(crate) fn with_execution_noted(mut self) -> Self {
        let phrases = self.execution();
        self.built.notes.extend(phrases);
        self
    }
}

fn retried(Retry { times, backoff, attempt, on }: &Retry) -> String {
    let on = on.iter().copied().map(FailureClass::name).collect::<Vec<_>>().join(", ");
    let (often, backoff) = (if *times == 1 { "time" } else { "times" }, format_timeout(*backoff));
    let each = attempt.map(|attempt| format!(", each for {}", format_timeout(attempt)));
    let each = each.unwrap_or_default();
    format!("tried again {times} {often} after {on}, first after {backoff}{each}")
}
