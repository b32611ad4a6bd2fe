//! How many rows a second.
use hookgate::{Engine, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict, Event};
use hookgate::recorder::{Recorder, Channel};
use hookgate_store::*;
use std::time::Instant;
fn main() {
    let count: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let mode = std::env::args().nth(2).unwrap();
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let dir = tempfile::tempdir_in("/work").unwrap();
        let file = dir.path().join("j.db");
        let (channel, mut records) = Channel::waiting(4);
        let hook = Hook::sync("no-rm", |_| Ok(Verdict::deny("never"))).event(Event::PreToolUse);
        let engine = Engine::new(HandlerTable::builder().insert(hook).build().unwrap()).with_recorder(channel.with_envelopes());
        let bash = ToolUse::propose("Bash", r#"{"command":"rm -rf build && cargo build --workspace --locked 2>&1 | tail -5","description":"build all of it"}"#).unwrap();
        drop(engine.dispatch(bash, &StepContext::new("session-1").cwd("/home/me/project")).await);
        let record = records.next().await.unwrap();
        println!("{}", serde_json::to_string(&record).unwrap().len());
        let mut settings = JournalSettings::new(&file);
        settings.queue = 1_000_000;
        settings.envelope = EnvelopeMode::from_name(&mode).unwrap();
        settings.required = std::env::args().nth(3).is_some();
        let journal = Journal::open(settings).unwrap();
        let started = Instant::now();
        for n in 0..count {
            let mut record = record.clone();
            record.report.step_id = Some(format!("step-{n:010}"));
            record.report.session_id = format!("session-{}", n / 100);
            record.tool_name = Some(["Bash","Read","Edit","Write"][n % 4].into());
            record.time += n as u64;
            if n % 20 != 0 { record.report.decision = hookgate::Outcome::Allow; record.report.by.clear(); }
            journal.record(record).unwrap();
        }
        journal.flush(std::time::Duration::from_secs(600)).unwrap();
        let took = started.elapsed();
        println!("{mode}: {:.0} rows/s", count as f64 / took.as_secs_f64());
        println!("{} bytes a row", std::fs::metadata(&file).unwrap().len() / count as u64);
        if count >= 100000 {
        let r = Reader::open(&file).unwrap();
        for (name, f) in [("session", Filter::default().session("session-77")), ("hook", Filter::default().hook("no-rm")), ("tool", Filter::default().tool("Edit")), ("decision", Filter::default().decisions([hookgate::Outcome::Deny])), ("event", Filter::default().event("stop")), ("none", Filter::default()), ("since", Filter::default().since(record.time+count as u64-100)), ("tool+decision", Filter::default().tool("Read").decisions([hookgate::Outcome::Deny])),("config", Filter::default().config("abc")),("text", Filter::default().text("zzz"))] {
            let t = Instant::now();
            let n = r.entries(&f.newest(50)).unwrap().len();
            println!("{name}: {n} in {:?}", t.elapsed());
        }
        let t = Instant::now();
        let v = r.verify(&[], None).unwrap();
        println!("verify {} {:?} {:?}", v.entries, v.faults.first(), t.elapsed());
        let t = Instant::now();
        let s = r.statistics(&Filter::default()).unwrap();
        println!("stats {} {:?}", s.steps, t.elapsed());
        }
    });
}
