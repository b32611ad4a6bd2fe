//! The replies of a hook in a file, to measure the hook again without calling it.
//!
//! A reply is found by the key of its step, which is a hash of the content, and by the number of the
//! repeat. So a recording stays good when steps are reordered or labelled differently, and a step
//! that was changed has no reply, which is an error before anything is evaluated.

use std::collections::HashMap;
use std::path::Path;

use hookgate::contract::json::{self, Integers};
use hookgate::layer::{HandlerLayer, around};
use hookgate::{Failure, FailureClass};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::eval::error::EvalError;
use crate::eval::jsonl;
use crate::eval::recorded_reply::RecordedReply;
use crate::eval::sample::Sample;

/// The version of the format that is written. Version 1 named steps by another hash (FNV-1a) and is
/// still read.
const VERSION: u32 = 2;

/// The first line of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RecordingHead {
    /// The version of the format.
    pub hookgate_replies: u32,
    /// The hook.
    pub hook: String,
    /// The hash of the table that held the hook alone.
    pub config_hash: String,
    /// How many times each step was evaluated.
    pub repeats: u32,
}

impl RecordingHead {
    /// Returns the head of a recording that is made now.
    #[must_use]
    pub fn new(hook: &str, config_hash: &str, repeats: u32) -> Self {
        Self {
            hookgate_replies: VERSION,
            hook: hook.to_owned(),
            config_hash: config_hash.to_owned(),
            repeats,
        }
    }
}

/// The replies of a hook to some samples.
///
/// As a file it is JSON lines: the head, then a reply a line. Made by
/// [`EvaluationRun::recording`](crate::eval::EvaluationRun::recording); used by
/// [`Evaluation::replay`](crate::eval::Evaluation::replay).
///
/// ```
/// use hookgate_cli::eval::{Recording, RecordedReply, RecordingHead};
///
/// let reply = RecordedReply::new("00c0ffee00c0ffee", 1);
/// let recording = Recording::new("replies.jsonl", RecordingHead::new("h", "sha256:0", 1), [reply])?;
/// let again = Recording::parse("replies.jsonl", recording.to_jsonl().as_bytes())?;
/// assert_eq!(again, recording);
/// # Ok::<_, hookgate_cli::eval::EvalError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    name: String,
    head: RecordingHead,
    replies: Vec<RecordedReply>,
    index: HashMap<(String, u32), usize>,
}

impl Recording {
    /// Returns a recording of these replies; `name` is what errors call it.
    ///
    /// # Errors
    /// [`EvalError::Recording`] if two replies have the same step and repeat.
    pub fn new(
        name: impl Into<String>,
        head: RecordingHead,
        replies: impl IntoIterator<Item = RecordedReply>,
    ) -> Result<Self, EvalError> {
        let mut recording =
            Self { name: name.into(), head, replies: Vec::new(), index: HashMap::new() };
        for (index, reply) in replies.into_iter().enumerate() {
            // The head is the first line.
            recording.push(reply, index + 2)?;
        }
        Ok(recording)
    }

    fn push(&mut self, reply: RecordedReply, line: usize) -> Result<(), EvalError> {
        let key = (reply.step.clone(), reply.repeat);
        if self.index.insert(key, self.replies.len()).is_some() {
            let problem = "the same step and repeat as in an earlier line".to_owned();
            return Err(EvalError::Recording { name: self.name.clone(), line, problem });
        }
        self.replies.push(reply);
        Ok(())
    }

    /// Reads a file of at most 256 MiB.
    ///
    /// # Errors
    /// [`EvalError::File`], and everything that [`parse`](Self::parse) reports.
    pub fn read(path: &Path) -> Result<Self, EvalError> {
        Self::parse(&path.display().to_string(), &jsonl::read_file(path)?)
    }

    /// Reads the bytes of a file; `name` is what errors call it.
    ///
    /// # Errors
    /// [`EvalError::Recording`] with the first line that is wrong.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, EvalError> {
        let wrong = |line: usize, problem: String| EvalError::Recording {
            name: name.to_owned(),
            line,
            problem,
        };
        let mut lines = jsonl::numbered_lines(bytes);
        let (number, first) = lines.next().unwrap_or((1, b""));
        let head: RecordingHead = read_line(first).map_err(|problem| wrong(number, problem))?;
        if !(1..=VERSION).contains(&head.hookgate_replies) {
            let problem = format!("version {} is not known", head.hookgate_replies);
            return Err(wrong(number, problem));
        }
        let mut recording = Self::new(name, head, [])?;
        for (number, line) in lines {
            let reply = read_line(line).map_err(|problem| wrong(number, problem))?;
            recording.push(reply, number)?;
        }
        Ok(recording)
    }

    /// Writes the recording to a file, in place of what was there.
    ///
    /// # Errors
    /// [`EvalError::File`].
    pub fn write(&self, path: &Path) -> Result<(), EvalError> {
        std::fs::write(path, self.to_jsonl()).map_err(|error| EvalError::File {
            action: "write",
            path: path.to_owned(),
            error,
        })
    }

    /// Returns the recording as JSON lines.
    #[must_use]
    pub fn to_jsonl(&self) -> String {
        // Plain data with text keys is always JSON.
        let head = serde_json::to_string(&self.head).unwrap_or_default();
        let replies =
            self.replies.iter().map(|reply| serde_json::to_string(reply).unwrap_or_default());
        std::iter::once(head).chain(replies).map(|line| line + "\n").collect()
    }

    /// Returns the first line.
    #[must_use]
    pub const fn head(&self) -> &RecordingHead {
        &self.head
    }

    /// Returns the replies, in the order in which they were made.
    #[must_use]
    pub fn replies(&self) -> &[RecordedReply] {
        &self.replies
    }

    /// Returns the reply to a sample in a repeat, from 1.
    #[must_use]
    pub fn reply_to(&self, sample: &Sample, repeat: u32) -> Option<&RecordedReply> {
        self.get(sample.key_in_version(self.head.hookgate_replies), repeat)
    }

    fn get(&self, step: &str, repeat: u32) -> Option<&RecordedReply> {
        self.replies.get(*self.index.get(&(step.to_owned(), repeat))?)
    }

    /// Checks that there is a reply to every sample in every repeat.
    ///
    /// # Errors
    /// [`EvalError::MissingReplies`] with the number of samples that lack one.
    pub fn check_covers<'a>(
        &self,
        samples: impl IntoIterator<Item = &'a Sample>,
        repeats: u32,
    ) -> Result<(), EvalError> {
        let lacks =
            |sample: &&Sample| (1..=repeats).any(|repeat| self.reply_to(sample, repeat).is_none());
        match samples.into_iter().filter(lacks).count() {
            0 => Ok(()),
            missing => Err(EvalError::MissingReplies { name: self.name.clone(), missing, repeats }),
        }
    }

    /// Returns a layer that replaces a handler: the recorded reply is given instead of a call. The
    /// step is named by [`replay_id`].
    pub(crate) fn replay_layer(self: std::sync::Arc<Self>) -> impl HandlerLayer {
        around(move |_, invocation| {
            let recorded = parse_replay_id(invocation.envelope.step_id())
                .and_then(|(step, repeat)| self.get(step, repeat))
                .map_or_else(
                    || Err(Failure::new(FailureClass::Unsure, "this step was not recorded")),
                    RecordedReply::to_reply,
                );
            Box::pin(std::future::ready(recorded))
        })
    }

    /// Returns the id under which a sample is evaluated, so that its recorded reply is found.
    pub(crate) fn replay_id(&self, sample: &Sample, repeat: u32) -> String {
        replay_id(sample.key_in_version(self.head.hookgate_replies), repeat)
    }
}

/// Returns the id of the step that is the sample of a key, in a repeat.
pub(crate) fn replay_id(key: &str, repeat: u32) -> String {
    format!("{key}-{repeat}")
}

fn parse_replay_id(id: &str) -> Option<(&str, u32)> {
    let (key, repeat) = id.rsplit_once('-')?;
    Some((key, repeat.parse().ok()?))
}

fn read_line<T: DeserializeOwned>(line: &[u8]) -> Result<T, String> {
    // Counters may exceed 2^53.
    jsonl::from_value(json::parse_with(line, Integers::Exact))
}

#[cfg(test)]
mod tests {
    use hookgate::contract::VerdictDecision;
    use serde_json::json;

    use super::*;
    use crate::eval::recorded_reply::ModelUsage;

    fn stop() -> Sample {
        Sample::from_value(json!({"hook_event_name": "stop"})).unwrap()
    }

    fn reply(step: &str, repeat: u32) -> RecordedReply {
        let usage = ModelUsage { model: "m".into(), calls: 1, cost: 0.25, ..ModelUsage::default() };
        RecordedReply { usage: Some(usage), ..RecordedReply::new(step, repeat) }
    }

    #[test]
    fn a_recording_that_was_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let sample = stop();
        let deny =
            RecordedReply { decision: Some(VerdictDecision::Deny), ..reply(sample.key(), 1) };
        let late = RecordedReply { failure: Some(FailureClass::Timeout), ..reply(sample.key(), 2) };
        let head = RecordingHead::new("h", "sha256:0", 2);
        let name = path.display().to_string();
        let written = Recording::new(name, head, [deny.clone(), late.clone()]).unwrap();
        written.write(&path).unwrap();
        let read = Recording::read(&path).unwrap();
        assert_eq!(read, written);
        assert_eq!(read.reply_to(&sample, 1), Some(&deny));
        assert_eq!(late.to_reply().unwrap_err().class, FailureClass::Timeout);
        assert!(read.check_covers([&sample], 2).is_ok());
        assert!(read.check_covers([&sample], 3).is_err());
        let other = Sample::from_value(json!({"hook_event_name": "stop", "turn": 2})).unwrap();
        assert!(read.check_covers([&sample, &other], 1).is_err());
    }

    #[test]
    fn a_recording_of_version_1_is_still_read() {
        let sample = stop();
        let text = format!(
            "{}\n{}\n",
            r#"{"hookgate_replies":1,"hook":"h","config_hash":"sha256:0","repeats":1}"#,
            json!({"step": sample.key_in_version(1), "repeat": 1, "asked": true, "latency_us": 5})
        );
        let read = Recording::parse("old", text.as_bytes()).unwrap();
        assert!(read.reply_to(&sample, 1).is_some());
        let later = text.replace("\"hookgate_replies\":1", "\"hookgate_replies\":3");
        assert!(Recording::parse("new", later.as_bytes()).is_err());
    }

    #[test]
    fn a_reply_that_is_there_twice_is_refused() {
        let head = RecordingHead::new("h", "sha256:0", 1);
        let twice = Recording::new("r", head, [reply("00", 1), reply("00", 1)]).unwrap_err();
        assert!(twice.to_string().starts_with("`r` line 3: the same step"), "{twice}");
    }
}
