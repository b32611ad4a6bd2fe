//! A hook of the host that judges the text of the model piece by piece, while it comes.

use hookgate::contract::payload::PostLlmResponse;
use hookgate::contract::{BuiltHandler, Invocation, TextCuts};
use hookgate::{Event, Hook, Verdict};

/// No name goes over a comma or a full stop, so a text can be cut on both sides of one.
struct AtCommas;

impl TextCuts for AtCommas {
    fn last_cut(&self, text: &str, most: usize) -> usize {
        let is_apart = |at: &usize| {
            text.split_at_checked(*at).is_some_and(|(before, after)| {
                before.ends_with([',', '.']) || after.starts_with([',', '.'])
            })
        };
        (1..=most).rev().find(is_apart).unwrap_or(0)
    }
}

/// Cuts an answer that names a customer.
pub(crate) fn no_names() -> Hook {
    let handler = BuiltHandler::from_sync(|call: Invocation<'_>| {
        let answer = call.payload().as_any().downcast_ref::<PostLlmResponse>();
        let names = answer.is_some_and(|answer| answer.assistant_text.contains("Ledger Seven"));
        Ok(if names { Verdict::deny("customers are not named") } else { Verdict::none() })
    });
    // Before the rewriters: what comes after one of them waits for the whole.
    Hook::new("no-names", "rust", handler.judges_pieces(AtCommas))
        .event(Event::PostLlmResponse)
        .priority(-1)
}
