//! Promise: `--now` sets the time that conditions and `add_date` see.

use crate::support::{Folder, bash};

const FREEZE: &str = r#"
[[hook]]
id = "freeze"
event = "pre_tool_use"
when = { days = ["fri-sun"], zone = "Europe/Berlin" }
builtin = { name = "deny", reason = "nothing is deployed at the weekend" }
"#;

#[test]
fn a_window_of_time_can_be_tried() {
    let folder = Folder::with_hooks(FREEZE);
    // 2026-11-20 is a Friday, which begins an hour earlier in Berlin than in Greenwich.
    for (now, code) in [
        ("2026-11-19T22:59:59Z", 0),
        ("2026-11-19T23:00:00Z", 2),
        ("2026-11-20T00:00:00+01:00", 2),
        ("2026-11-23T00:00:00+01:00", 0),
    ] {
        let ended = folder.run(&["eval", "--now", now], bash("deploy"));
        assert_eq!(ended.code(), code, "{now}: {}", ended.err());
        let decision = if code == 0 { "allow" } else { "deny" };
        let ended = folder.run(&["run", "--quiet", "--now", now], bash("deploy"));
        assert_eq!(ended.lines()[0]["decision"], decision, "{now}");
    }
}

#[test]
fn the_date_for_the_model_is_that_of_the_run() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = 'date'\nevent = 'session_start'\n\
         builtin = { name = 'add_date', time_zone = 'UTC' }\n",
    );
    let step = r#"{"hook_event_name":"session_start","source":"startup"}"#;
    let now = ["--now", "2026-12-24T00:30:00+01:00"];
    for verb in [&["eval"][..], &["run", "--quiet", "--stable"]] {
        let ended = folder.run(&[verb, &now].concat(), step);
        let context = &ended.lines()[0]["context"][0];
        assert_eq!(context, "Today is 2026-12-23 (Wednesday).", "{verb:?} {}", ended.err());
    }
}

#[test]
fn a_time_without_an_offset_is_refused() {
    let ended = Folder::with_hooks(FREEZE).run(&["eval", "--now", "2026-11-20T10:00"], bash("ls"));
    assert_eq!((ended.code(), ended.out()), (64, ""));
    assert!(ended.err().contains("2026-12-24T09:00:00+01:00"), "{}", ended.err());
}
