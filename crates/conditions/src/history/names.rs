//! Names that are numbered in the order in which they were first noted.

use std::collections::VecDeque;

use hookgate_contract::WasNoted;
use serde::{Deserialize, Serialize};

use super::Numbered;

/// How many steps are known by name.
const RECENT: usize = 8;

/// How many bytes of the hash of a name are kept.
const HASH: usize = 16;

/// Different names, each with its place: the first one has the number 1.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Names {
    /// Hashes, since names may be long and say more than is counted.
    all: Vec<String>,
    /// Whether there are more than were kept.
    more: bool,
    /// The steps that noted names last, the oldest first, each with the highest number of its names.
    recent: VecDeque<(String, u64)>,
}

impl Names {
    /// Notes the names of a step, and keeps so many different ones at most.
    pub(super) fn note<'n>(
        &mut self,
        step: &str,
        names: impl Iterator<Item = &'n str>,
        keep: usize,
    ) {
        let mut highest = 0;
        for name in names {
            highest = highest.max(self.number_of(name, keep));
        }
        self.recent.retain(|(recent, _)| recent != step);
        while self.recent.len() >= RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back((step.to_owned(), highest));
    }

    fn number_of(&mut self, name: &str, keep: usize) -> u64 {
        let hash = hash(name);
        let at = self.all.iter().position(|known| *known == hash);
        let at = at.unwrap_or_else(|| {
            if self.all.len() < keep {
                self.all.push(hash);
                return self.all.len() - 1;
            }
            self.more = true;
            self.all.len()
        });
        at as u64 + 1
    }

    /// Returns how many there are, and the highest number of those of a step.
    pub(super) fn numbered(&self, step: &str) -> Numbered {
        let this = self.recent.iter().rfind(|(recent, _)| recent == step);
        Numbered {
            total: self.all.len() as u64 + u64::from(self.more),
            this: this.map(|(_, highest)| *highest),
        }
    }

    /// Returns whether one of some names was noted.
    pub(super) fn find(&self, names: &[String]) -> WasNoted {
        let is_known = |name: &String| {
            let hash = hash(name);
            self.all.contains(&hash)
        };
        match names.iter().position(is_known) {
            Some(at) => WasNoted::Yes(at),
            None if self.more => WasNoted::TooMany,
            None => WasNoted::No,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let recent = self.recent.iter().map(|(step, _)| step.len() + size_of::<u64>());
        self.all.len() * (2 * HASH + size_of::<String>()) + recent.sum::<usize>()
    }
}

fn hash(name: &str) -> String {
    let digest = hmac_sha256::Hash::hash(name.as_bytes());
    digest.iter().take(HASH).map(|byte| format!("{byte:02x}")).collect()
}
