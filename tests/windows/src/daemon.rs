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
    wait_until(|| session.key().is_some());
    let [one, two] = [session.call(), session.call()];
    let (Some((first_number, process)), Some(second)) = (one.denied(), two.denied()) else {
        panic!("{one:?} {two:?}");
    };
    assert_eq!((first_number, second), (0, (1, process)), "two processes have judged");
    assert!(one.stderr.is_empty() && two.code == Some(0), "{one:?} {two:?}");
}

pub fn ends(program: &Path) {
    let session = Session::new(program, "1");
    session.ended();
    assert_eq!(session.call().denied().map(|(number, _)| number), Some(0));
}

pub fn with_another_secret(program: &Path) {
    let session = Session::new(program, "40");
    session.started();
    let (_, process) = session.call().denied().unwrap();
    let secret = session.secret();
    fs::write(session.secret_file(), [7; 32]).unwrap();
    let answer = session.call();
    let (number, other) = answer.denied().unwrap();
    assert!(number == 0 && other != process && answer.stderr.contains(NOTE), "{answer:?}");
    assert_eq!(answer.stderr.matches(NOTE).count(), 1, "it is told once: {answer:?}");
    // The control: with the secret of before it is asked again.
    fs::write(session.secret_file(), secret).unwrap();
    assert_eq!(session.call().denied(), Some((1, process)));
}

pub fn judges_for_its_user_alone(program: &Path) {
    let session = Session::new(program, "40");
    let key = session.started();
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
    assert!(ask(session.secret()).contains("step 0 of"), "who has the secret is answered");
}
