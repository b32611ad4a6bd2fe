//! How often each file was written: what was removed or put back to an older state is found out.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// The versions of all files, by their names below the folder.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Ledger {
    files: BTreeMap<String, Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    version: u64,
    /// When it was written last, in seconds.
    at: u64,
}

impl Ledger {
    /// Returns the version of a file; 0 if it was never written.
    pub(crate) fn version(&self, name: &str) -> u64 {
        self.files.get(name).map_or(0, |entry| entry.version)
    }

    /// Returns how many files there are.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// Notes that a file was written.
    pub(crate) fn note(&mut self, name: &str, version: u64, now: SystemTime) {
        let at = seconds(now);
        self.files.insert(name.to_owned(), Entry { version, at });
    }

    /// Forgets the files that were not written for the longest time, if there are more than `most` and as
    /// far as they are older than `young`; returns their names. A session that goes on is not forgotten,
    /// however many others are begun.
    pub(crate) fn forget_old(
        &mut self,
        most: usize,
        young: Duration,
        now: SystemTime,
    ) -> Vec<String> {
        let too_many = self.files.len().saturating_sub(most);
        if too_many == 0 {
            return Vec::new();
        }
        let before = seconds(now).saturating_sub(young.as_secs());
        let old = self.files.iter().filter(|(_, entry)| entry.at <= before);
        let mut old: Vec<(u64, String)> =
            old.map(|(name, entry)| (entry.at, name.clone())).collect();
        old.sort();
        old.truncate(too_many);
        old.into_iter()
            .map(|(_, name)| {
                self.files.remove(&name);
                name
            })
            .collect()
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_lately_is_never_forgotten() {
        let day = Duration::from_secs(24 * 3600);
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        let mut ledger = Ledger::default();
        for number in 0..10 {
            ledger.note(&format!("old-{number}"), 1, at(number));
        }
        for number in 0..10 {
            ledger.note(&format!("new-{number}"), 1, at(day.as_secs() * 2));
        }
        let gone = ledger.forget_old(15, day, at(day.as_secs() * 2));
        assert_eq!(gone, ["old-0", "old-1", "old-2", "old-3", "old-4"]);
        assert_eq!(ledger.forget_old(5, day, at(day.as_secs() * 2)).len(), 5);
        assert_eq!(ledger.len(), 10, "those of today stay");
        assert_eq!((ledger.version("new-3"), ledger.version("old-9")), (1, 0));
    }
}
