//! Promise: the journal has each decision as it was, once, and nothing that was to be kept out of it.

use std::sync::Arc;

use hookgate::contract::contribution::AuditLine;
use hookgate::recorder::Recorder as _;
use hookgate::recorder::{Channel, Record};
use hookgate::{
    ConfigHash, Engine, Event, HandlerTable, Hook, HookEngine, Outcome, StepContext, ToolUse,
    Verdict,
};
use hookgate_store::{ConfigText, Entry, EnvelopeMode, Filter, Journal, Says};
use serde_json::json;

use crate::support::{LONG, Place, bash, bytes, engine, has, record, table};

/// A token as the catalogue of secrets knows it, made here so that no scanner of this repository finds it.
pub(crate) fn token() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
}

pub(crate) async fn record_of(command: &str) -> Record {
    let (channel, mut records) = Channel::waiting(8);
    let engine = Engine::new(table()).with_recorder(channel.with_envelopes());
    let context = StepContext::new("session-1").step_id("step-1").turn(2).agent("main", "coder");
    drop(engine.dispatch(bash(command), &context).await);
    records.next().await.unwrap()
}

#[tokio::test]
async fn a_record_is_read_as_it_was_written() {
    for mode in [EnvelopeMode::Full, EnvelopeMode::Redacted] {
        let place = Place::new();
        let mut settings = place.settings();
        settings.envelope = mode;
        let journal = Journal::open(settings).unwrap();
        let written = [record_of("rm -rf build").await, record_of("ls").await];
        for (index, record) in written.iter().enumerate() {
            let mut record = record.clone();
            record.report.step_id = Some(format!("step-{index}"));
            journal.record(record).unwrap();
        }
        journal.flush(LONG).unwrap();
        let entries = place.entries();
        let read: Vec<Record> =
            entries.iter().filter_map(|entry| entry.record().cloned()).collect();
        for (index, (read, written)) in read.iter().zip(&written).enumerate() {
            let mut written = written.clone();
            written.report.step_id = Some(format!("step-{index}"));
            assert_eq!(read, &written);
        }
        assert_eq!((entries[0].seq, entries[1].seq), (1, 2));
        place.assert_whole();
    }
}

#[tokio::test]
async fn lines_for_the_audit_are_with_the_step_that_they_are_about() {
    let place = Place::new();
    let noted = Hook::sync("notes", |_| {
        let line = AuditLine::new("deploy").details(json!({"to": "staging"}));
        Ok(Verdict::deny("no").contribute(line))
    });
    let table = HandlerTable::builder().insert(noted.event(Event::PreToolUse)).build().unwrap();
    let journal = Journal::open(place.settings()).unwrap();
    let engine = Engine::new(table).with_recorder(journal.clone());
    drop(engine.dispatch(bash("make"), &StepContext::new("session-1")).await);
    journal.flush(LONG).unwrap();
    let entries = place.entries();
    let [given] = &entries[0].record().unwrap().report.contributions[..] else { panic!() };
    let line = AuditLine::new("deploy").details(json!({"to": "staging"}));
    assert_eq!((given.hook.as_str(), &given.contribution), ("notes", &line.into()));
}

#[tokio::test]
async fn a_secret_is_in_no_file_unless_all_is_kept() {
    let command = format!("curl -H 'Authorization: Bearer {}' https://example.com", token());
    for (mode, is_kept) in
        [(EnvelopeMode::Full, true), (EnvelopeMode::Redacted, false), (EnvelopeMode::Hash, false)]
    {
        let place = Place::new();
        let mut settings = place.settings();
        settings.envelope = mode;
        record(settings, &[("s", "1", &command)]).await;
        assert_eq!(has(&bytes(&place.file), &token()), is_kept, "{mode:?}");
        let says_curl = has(&bytes(&place.file), "curl");
        assert_eq!(says_curl, mode != EnvelopeMode::Hash, "{mode:?}");
        place.assert_whole();
    }
}

#[tokio::test]
async fn what_a_hook_took_out_is_not_kept_beside_it() {
    let place = Place::new();
    let journal = Journal::open(place.settings()).unwrap();
    let hide = Hook::sync("hide", |_| {
        Ok(Verdict::none().patch("tool_input", json!({"command": "echo hidden"})))
    });
    let hide = hide.event(Event::PreToolUse).role(hookgate::Role::Rewrite);
    let table = HandlerTable::builder().insert(hide).build().unwrap();
    let engine = Engine::new(table).with_recorder(journal.clone());
    let step = bash("echo the codename is bluebird");
    drop(engine.dispatch(step, &StepContext::new("s").step_id("1")).await);
    journal.flush(LONG).unwrap();
    let entries = place.entries();
    let report = &entries[0].record().unwrap().report;
    assert_eq!(report.envelope.as_ref().unwrap()["tool_input"]["command"], "echo hidden");
    assert!(!has(&bytes(&place.file), "bluebird"));
}

#[tokio::test]
async fn what_a_hook_took_out_is_not_kept_in_a_copy_or_a_reason() {
    let mut written = record_of("echo \"the codename\" is bluebird now").await;
    let report = &mut written.report;
    let envelope = report.envelope.as_mut().unwrap();
    let command = envelope["tool_input"]["command"].clone();
    envelope["host"] = json!({
        "command": command,
        "toolArgs": envelope["tool_input"].to_string(),
        "cwd": "/srv/nest",
    });
    let rewritten = json!({"command": "echo \"the codename\" is *** now"});
    report.final_fields.insert("tool_input".to_owned(), rewritten.clone());
    report.patched.push("tool_input".to_owned());
    report.reason = Some("bluebird is secret".to_owned());
    report.context = vec!["never say bluebird".to_owned()];
    report.messages = vec!["(bluebird)".to_owned()];
    report.annotations.insert("why".to_owned(), json!(["bluebird"]));
    report.payload = Some(json!({"found": {"at": "bluebird"}}));
    for mode in [EnvelopeMode::Full, EnvelopeMode::Redacted, EnvelopeMode::Hash] {
        let place = Place::new();
        let mut settings = place.settings();
        settings.envelope = mode;
        let journal = Journal::open(settings).unwrap();
        journal.record(written.clone()).unwrap();
        journal.flush(LONG).unwrap();
        let is_kept = mode == EnvelopeMode::Full;
        assert_eq!(has(&bytes(&place.file), "bluebird"), is_kept, "{mode:?}");
        let entries = place.entries();
        let read = &entries[0].record().unwrap().report;
        if mode == EnvelopeMode::Redacted {
            let envelope = read.envelope.as_ref().unwrap();
            assert_eq!(envelope["tool_input"], rewritten, "what it became is as it was");
            assert_eq!(envelope["host"]["command"], "[rewritten]");
            assert_eq!(envelope["host"]["cwd"], "/srv/nest");
            assert_eq!(read.reason.as_deref(), Some("[rewritten] is secret"));
        }
        place.assert_whole();
    }
}

#[tokio::test]
async fn a_secret_in_a_name_is_in_no_file_unless_all_is_kept() {
    let mut written = record_of("ls").await;
    written.agent_id = Some(token());
    written.tool_name = Some(format!("tool {}", token()));
    written.tool_use_id = Some(token());
    written.report.session_id = token();
    written.report.step_id = Some(token());
    for mode in [EnvelopeMode::Full, EnvelopeMode::Redacted, EnvelopeMode::Hash] {
        let place = Place::new();
        let mut settings = place.settings();
        settings.envelope = mode;
        let journal = Journal::open(settings).unwrap();
        for decision in [Outcome::Allow, Outcome::Deny] {
            written.report.decision = decision;
            journal.record(written.clone()).unwrap();
        }
        journal.flush(LONG).unwrap();
        let is_kept = mode == EnvelopeMode::Full;
        assert_eq!(has(&bytes(&place.file), &token()), is_kept, "{mode:?}");
        let entries = place.entries();
        assert_eq!(entries.len(), 2, "no record is lost for it");
        let session = &entries[0].record().unwrap().report.session_id;
        assert_eq!(place.reader().count(&Filter::default().session(session)).unwrap(), 2);
        place.assert_whole();
    }
}

#[tokio::test]
async fn the_same_record_is_written_once_and_another_attempt_is_another_record() {
    let place = Place::new();
    let journal = Journal::open(place.settings()).unwrap();
    let first = record_of("ls").await;
    for _ in 0..3 {
        journal.record(first.clone()).unwrap();
    }
    let mut again = first.clone();
    again.report.decision = Outcome::Deny;
    journal.record(again.clone()).unwrap();
    journal.record(first).unwrap();
    journal.flush(LONG).unwrap();
    let outcomes: Vec<Outcome> =
        place.entries().iter().map(|entry| entry.record().unwrap().report.decision).collect();
    assert_eq!(outcomes, [Outcome::Allow, Outcome::Deny]);
    place.assert_whole();
}

#[tokio::test]
async fn a_config_is_written_once_with_its_files() {
    let place = Place::new();
    let table = Arc::new(table());
    let hash = table.config_hash();
    let files = || vec![ConfigText::new("hooks.toml", "[[hook]]\n# the text of the file\n")];
    for _ in 0..2 {
        let journal = Journal::open(place.settings()).unwrap();
        journal.note_config(Arc::clone(&table), files());
        journal.flush(LONG).unwrap();
    }
    let entries = place.entries();
    assert_eq!(entries.len(), 1);
    let Says::Config(config) = &entries[0].says else { panic!("{entries:?}") };
    assert_eq!((config.config_hash, &config.files), (hash, &files()));
    let hooks: Vec<_> =
        table.specs().map(|hook| (hook.id().to_string(), hook.definition_hash())).collect();
    assert_eq!(config.hooks.clone().into_iter().collect::<Vec<_>>(), hooks);
    let reader = place.reader();
    assert_eq!(reader.config(&hash.to_string()).unwrap().as_ref(), Some(config));
    let other = ConfigHash::from_bytes([1; 32]);
    assert_eq!(reader.config(&other.to_string()).unwrap(), None);
}

#[tokio::test]
async fn a_reader_sees_what_others_write_meanwhile() {
    let place = Place::new();
    let journal = Journal::open(place.settings()).unwrap();
    let engine = engine(&journal);
    let reader = place.reader();
    for count in 1..=3_u64 {
        let context = StepContext::new("s");
        drop(engine.dispatch(bash("ls"), &context).await);
        journal.flush(LONG).unwrap();
        assert_eq!(reader.count(&Filter::default()).unwrap(), count);
    }
}

#[tokio::test]
async fn a_step_that_is_nested_as_deep_as_one_may_be_does_not_make_the_journal_unreadable() {
    let place = Place::new();
    let journal = Journal::open(place.settings()).unwrap();
    let engine = engine(&journal);
    let mut deepest = 0;
    for levels in 110..130 {
        let arguments = format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
        let Ok(step) = ToolUse::propose("Bash", &arguments) else { continue };
        deepest = levels;
        drop(engine.dispatch(step, &StepContext::new("s").step_id(&levels.to_string())).await);
    }
    journal.flush(LONG).unwrap();
    assert!(deepest > 120, "{deepest}");
    let entries = place.entries();
    assert_eq!(entries.len(), deepest - 109);
    let has_step = |entry: &Entry| entry.record().unwrap().report.envelope.is_some();
    assert!(
        has_step(&entries[0]) && !has_step(entries.last().unwrap()),
        "of the deepest the hash is kept"
    );
    place.assert_whole();
}
