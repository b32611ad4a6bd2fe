//! Promise: on Windows a daemon answers the calls of its user, and nobody else answers in its place.
//!
//! Called with the path of `hookgate.exe`, beside which `hookgate-call.exe` stands. Called with `worker` it is the hook: it
//! denies each step, and says how many steps this process has denied before, so that it shows who has judged.

mod daemon;
mod hook;
mod session;
mod stand_in;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use session::Session;

const TESTS: &[(&str, fn(&Path))] = &[
    ("a_daemon_answers_and_does_not_hold_the_streams", daemon::answers),
    ("a_daemon_ends_when_nobody_calls", daemon::ends),
    ("with_another_secret_a_daemon_is_not_believed", daemon::with_another_secret),
    ("who_has_not_the_secret_has_nothing_judged", daemon::judges_for_its_user_alone),
    ("who_has_the_secret_is_believed", stand_in::with_the_secret_is_believed),
    ("who_has_not_the_secret_is_not_believed_and_not_told", stand_in::without_the_secret_is_not),
    ("a_reply_of_another_conversation_is_not_believed", stand_in::that_replays_is_not),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(first) = arguments.first() else {
        eprintln!("usage: hookgate-windows-test PATH-OF-HOOKGATE [FILTER]");
        return ExitCode::from(64);
    };
    if first == "worker" {
        return hook::worker();
    }
    let folder = Path::new(first).parent().expect("the programs have a folder");
    let mut failed = 0;
    for (name, test) in TESTS {
        if arguments.get(1).is_some_and(|filter| !name.contains(filter.as_str())) {
            continue;
        }
        for program in ["hookgate.exe", "hookgate-call.exe"] {
            let is_ok = catch_unwind(AssertUnwindSafe(|| test(&folder.join(program)))).is_ok();
            println!("test {name} ({program}) ... {}", if is_ok { "ok" } else { "FAILED" });
            failed += u8::from(!is_ok);
        }
    }
    println!("test result: {}. {failed} failed", if failed == 0 { "ok" } else { "FAILED" });
    ExitCode::from(u8::from(failed > 0))
}
