//! What a hook has replied, on file: a record to measure it again without asking it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use hookgate::contract::{Reply, VerdictDecision, file, json};
use hookgate::{Failure, FailureClass, Verdict};
use serde::{Deserialize, Serialize};

use crate::abort::Abort;
use crate::evaluate::lines;

/// The version of the format.
const VERSION: u32 = 1;

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    /// The version of the format.
    hookgate_replies: u32,
    /// The hook that was asked.
    pub(crate) hook: String,
    /// The table that it stood in, alone.
    pub(crate) config_hash: String,
    /// How many times every step was judged.
    pub(crate) repeats: u32,
}

impl Head {
    /// The head of a record that is made now.
    pub(crate) fn new(hook: &str, config_hash: &str, repeats: u32) -> Self {
        Self {
            hookgate_replies: VERSION,
            hook: hook.to_owned(),
            config_hash: config_hash.to_owned(),
            repeats,
        }
    }
}

/// What asking a model took.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Usage {
    /// The model that answered.
    pub(crate) model: String,
    /// Whether an earlier answer was used again.
    pub(crate) cached: bool,
    /// How many calls were made.
    pub(crate) calls: u32,
    /// The tokens of the questions.
    pub(crate) prompt_tokens: u64,
    /// The tokens of the answers.
    pub(crate) completion_tokens: u64,
    /// What they cost by the prices in the config.
    pub(crate) cost: f64,
}

/// One reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// The step; see [`Case::key`](super::case::Case::key).
    pub(crate) step: String,
    /// Which time, from 1.
    pub(crate) repeat: u32,
    /// Whether the hook was asked: its conditions may keep it from being.
    pub(crate) asked: bool,
    /// What it decided; none for no opinion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) decision: Option<VerdictDecision>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// How it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<FailureClass>,
    /// What stood in the answer that was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stands: Option<VerdictDecision>,
    /// How long it took, in microseconds.
    pub(crate) latency_us: u64,
    /// What asking a model took; none where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<Usage>,
}

impl Entry {
    /// The reply, to be given again.
    pub(crate) fn reply(&self) -> Reply {
        if let Some(class) = self.failure {
            return Err(
                Failure::new(class, "it failed so when it was recorded").with_salvaged(self.stands)
            );
        }
        let reason = || self.reason.clone().unwrap_or_default();
        Ok(match self.decision {
            None => Verdict::none(),
            Some(VerdictDecision::Allow) => Verdict::allow(),
            Some(VerdictDecision::Ask) => Verdict::ask(reason()),
            Some(VerdictDecision::Deny) => Verdict::deny(reason()),
            Some(VerdictDecision::Halt) => Verdict::halt(reason()),
        })
    }
}

/// A record.
#[derive(Debug)]
pub(crate) struct Tape {
    path: PathBuf,
    pub(crate) head: Head,
    entries: HashMap<(String, u32), Entry>,
}

impl Tape {
    /// Reads a record.
    pub(crate) fn read(path: &Path) -> Result<Self, Abort> {
        let bytes = file::read(path, lines::LIMIT).map_err(|error| {
            Abort::file("read", path, &error).help("make a record with --record")
        })?;
        let wrong = |number: usize, problem: String| {
            Abort::failure(format!("`{}` line {number}: {problem}", path.display()))
                .help("it is no record of replies, or is damaged: make one with --record")
        };
        let mut lines = lines::numbered(&bytes);
        let (number, first) = lines.next().unwrap_or((1, b""));
        let head: Head = read_line(first).map_err(|problem| wrong(number, problem))?;
        if head.hookgate_replies != VERSION {
            let problem = format!("version {} is not known", head.hookgate_replies);
            return Err(wrong(number, problem));
        }
        let mut entries = HashMap::new();
        for (number, line) in lines {
            let entry: Entry = read_line(line).map_err(|problem| wrong(number, problem))?;
            let key = (entry.step.clone(), entry.repeat);
            if entries.insert(key, entry).is_some() {
                return Err(wrong(number, "the same step and repeat as in an earlier line".into()));
            }
        }
        Ok(Self { path: path.to_owned(), head, entries })
    }

    /// A reply.
    pub(crate) fn get(&self, step: &str, repeat: u32) -> Option<&Entry> {
        self.entries.get(&(step.to_owned(), repeat))
    }

    /// Refuses to stand in for a hook where a reply is missing.
    pub(crate) fn covers<'a>(
        &self,
        steps: impl Iterator<Item = &'a str>,
        repeats: u32,
    ) -> Result<(), Abort> {
        let missing = steps
            .filter(|step| (1..=repeats).any(|repeat| self.get(step, repeat).is_none()))
            .count();
        if missing == 0 {
            return Ok(());
        }
        Err(Abort::failure(format!(
            "`{}` holds no reply for {missing} of the steps, each {repeats} times: \
             they were changed or added since",
            self.path.display()
        ))
        .help("make the record again with --record"))
    }
}

fn read_line<T: for<'de> Deserialize<'de>>(line: &[u8]) -> Result<T, String> {
    let value = json::parse_with(line, json::Integers::Exact).map_err(|error| error.to_string())?;
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// Writes a record.
pub(crate) fn write<'a>(
    path: &Path,
    head: &Head,
    entries: impl Iterator<Item = &'a Entry>,
) -> Result<(), Abort> {
    let mut text = Vec::new();
    let write_all = |text: &mut Vec<u8>| -> serde_json::Result<()> {
        serde_json::to_writer(&mut *text, head)?;
        text.push(b'\n');
        for entry in entries {
            serde_json::to_writer(&mut *text, entry)?;
            text.push(b'\n');
        }
        Ok(())
    };
    write_all(&mut text).map_err(|error| Abort::file("write", path, &error))?;
    std::fs::write(path, text).map_err(|error| Abort::file("write", path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(decision: Option<VerdictDecision>, failure: Option<FailureClass>) -> Entry {
        Entry {
            step: "00".into(),
            repeat: 1,
            asked: true,
            decision,
            reason: decision.map(|word| format!("since {word}")),
            failure,
            stands: None,
            latency_us: 5,
            usage: Some(Usage { model: "m".into(), calls: 1, cost: 0.25, ..Usage::default() }),
        }
    }

    #[test]
    fn what_was_written_is_read_and_replied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let deny = entry(Some(VerdictDecision::Deny), None);
        let late = Entry { repeat: 2, ..entry(None, Some(FailureClass::Timeout)) };
        write(&path, &Head::new("h", "sha256:0", 2), [&deny, &late].into_iter()).unwrap();
        let tape = Tape::read(&path).unwrap();
        assert_eq!(tape.head, Head::new("h", "sha256:0", 2));
        assert_eq!((tape.get("00", 1), tape.get("00", 2)), (Some(&deny), Some(&late)));
        assert_eq!(deny.reply().unwrap(), Verdict::deny("since deny"));
        assert_eq!(late.reply().unwrap_err().class, FailureClass::Timeout);
        assert!(tape.covers(["00"].into_iter(), 2).is_ok());
        assert!(tape.covers(["00"].into_iter(), 3).is_err());
        assert!(tape.covers(["00", "01"].into_iter(), 1).is_err());
    }
}
