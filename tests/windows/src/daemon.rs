//! The daemon.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::windows::named_pipe::ClientOptions;

use crate::Session;
use crate::session::{NOTE, wait_until};
use crate::stand_in::{self, Seals};

pub fn answers(program: &Path) {
    let session = Session::new(program, "40");
    let first = session.call();
    assert_eq!(first.denied().map(|(number, _)| number), Some(0), "{first:?}");
    // A daemon that held the streams would keep them for 40 seconds.
    assert!(first.took < Duration::from_secs(20), "{first:?}");
    // A call that judges by itself has a hook of its own, which has denied nothing before.
    let (number, process) = session.answered();
    let (next, same) = session.answered();
    assert!(next > number && same == process, "{number} of {process}, {next} of {same}");
}

pub fn ends(program: &Path) {
    let session = Session::new(program, "1");
    session.ended();
    assert_eq!(session.call().denied().map(|(number, _)| number), Some(0));
}

pub fn with_another_secret(program: &Path) {
    let session = Session::new(program, "40");
    let (number, process) = session.answered();
    let secret = session.secret();
    fs::write(session.secret_file(), [7; 32]).unwrap();
    let mut answer = session.call();
    wait_until(|| {
        let (number, other) = answer.denied().unwrap();
        assert!(number == 0 && other != process, "{answer:?}");
        let is_told = answer.stderr.contains(NOTE);
        if !is_told {
            answer = session.call();
        }
        is_told
    });
    assert_eq!(answer.stderr.matches(NOTE).count(), 1, "it is told once: {answer:?}");
    // The control: with the secret of before it is asked again.
    fs::write(session.secret_file(), secret).unwrap();
    let (next, same) = session.answered();
    assert!(next > number && same == process, "{number} of {process}, {next} of {same}");
}

pub fn judges_for_its_user_alone(program: &Path) {
    let session = Session::new(program, "40");
    session.answered();
    let key = session.key().unwrap();
    let greeting = session.greeting(&key);
    let step = r#"{"session_id":"s","cwd":"C:\\","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}"#;
    let request = serde_json::json!({
        "agent": "claude", "event": null, "config": ["hooks.toml"], "strict": false, "trusted": [],
        "rest": 20000, "envelope": step,
    });
    let ask = |secret: [u8; 32]| {
        stand_in::block_on(async {
            let mut pipe = ClientOptions::new().open(stand_in::name(&key)).unwrap();
            let own = [1; 32];
            pipe.write_all(&own).await.unwrap();
            let mut greeted = vec![0; greeting.len() + 64];
            pipe.read_exact(&mut greeted).await.unwrap();
            let theirs: [u8; 32] = greeted[greeting.len()..][..32].try_into().unwrap();
            let (mut seals, _) = Seals::greeting(secret, &own, &theirs, &greeting);
            let message = seals.message(stand_in::REQUEST, request.to_string().as_bytes());
            pipe.write_all(&message).await.unwrap();
            let mut reply = Vec::new();
            let _ = pipe.read_to_end(&mut reply).await;
            String::from_utf8_lossy(&reply).into_owned()
        })
    };
    assert_eq!(ask([9; 32]), "");
    // The control.
    assert!(ask(session.secret()).contains("step "), "who has the secret is answered");
}
