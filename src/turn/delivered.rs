//! What a session has been sent, and is not sent again.

use std::collections::VecDeque;

use hookgate_contract::contribution::{ContributionKind, Lifetime};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::source::{Giver, Source};
use crate::digest::digest;

/// How many texts are remembered of each sort; of more, the oldest are sent again.
const MOST: usize = 4096;

/// What a session has been sent and is not sent again: texts that stay in the conversation while they are the same, and
/// those that are sent once. It holds digests only.
///
/// A runtime keeps one for each session and gives it to each [`Turn`](super::Turn); to keep it longer than the process
/// it writes it as JSON, or holds it in a [`Kept`](hookgate_contract::Kept). When the conversation is compacted, what
/// was in it may be gone: [`forget_session`](Self::forget_session).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delivered {
    /// The texts that stay in the conversation, each with who gave it: `GIVER TEXT`.
    #[serde(default)]
    session: VecDeque<String>,
    /// The contributions that were sent once.
    #[serde(default)]
    once: VecDeque<String>,
}

impl Delivered {
    /// Forgets what stays in the conversation, so that it is sent again; what is sent once stays sent.
    pub fn forget_session(&mut self) {
        self.session.clear();
    }

    /// Returns whether the session has a contribution already.
    pub(super) fn has(&self, source: &Source) -> bool {
        match source.lifetime {
            Lifetime::Session => {
                let text = of_session(source);
                self.session.iter().any(|known| known.rsplit(' ').next() == Some(&text))
            }
            Lifetime::Once => self.once.contains(&of_giver(source, &source.giver())),
            _ => false,
        }
    }

    /// Notes that a contribution was sent whole.
    pub(super) fn note(&mut self, source: &Source) {
        match source.lifetime {
            Lifetime::Session => {
                let text = of_session(source);
                for giver in std::iter::once(&source.giver()).chain(&source.also) {
                    let giver = of_giver(source, giver);
                    // What it said before does not hold any more: said again, it is news.
                    self.session.retain(|known| known.split(' ').next() != Some(&giver));
                    remember(&mut self.session, format!("{giver} {text}"));
                }
            }
            Lifetime::Once => {
                remember(&mut self.once, of_giver(source, &source.giver()));
                for giver in &source.also {
                    remember(&mut self.once, of_giver(source, giver));
                }
            }
            _ => {}
        }
    }
}

fn of_session(source: &Source) -> String {
    digest(&json!([source.kind, source.slot, source.digest]))
}

/// A hook gives one context of an id, and of a section as many texts as it likes: each of them is sent once.
fn of_giver(source: &Source, giver: &Giver) -> String {
    let is_section = source.kind == ContributionKind::PromptSection;
    let text = is_section.then_some(&source.digest);
    digest(&json!([source.kind, giver.hook, giver.id, text]))
}

fn remember(keys: &mut VecDeque<String>, key: String) {
    if !keys.contains(&key) {
        keys.push_back(key);
        if keys.len() > MOST {
            keys.pop_front();
        }
    }
}
