//! Failures that no command line can bring about.

use std::io;

use hookgate::contract::Reply;
use hookgate::contract::dialect::{
    DialectError, HostDecision, HostEvent, HostStep, ScriptInput, ScriptOutput,
};
use serde_json::{Map, Value};

use super::*;

/// A dialect with a defect.
#[derive(Debug)]
struct Defective;

impl Dialect for Defective {
    fn name(&self) -> &'static str {
        "defective"
    }

    fn title(&self) -> &'static str {
        "Defective"
    }

    fn events(&self) -> &'static [HostEvent] {
        &[]
    }

    fn read(&self, _: Option<&str>, _: Map<String, Value>) -> Result<HostStep, DialectError> {
        panic!("a defect of ours");
    }

    fn answer(&self, _: &HostStep, _: &HostDecision<'_>) -> HostAnswer {
        HostAnswer::silent()
    }

    fn write(&self, _: &Map<String, Value>) -> Result<ScriptInput, DialectError> {
        Err(DialectError::NoEvent { field: "event" })
    }

    fn reply(&self, _: &ScriptInput, _: &ScriptOutput<'_>) -> Reply {
        Ok(hookgate::Verdict::none())
    }
}

fn answer(
    dialect: Arc<dyn Dialect>,
    arguments: &[&str],
    stdin: Box<dyn Read + Send>,
) -> HostAnswer {
    let call = Call::parse(arguments.iter().map(Into::into).collect()).unwrap();
    InProgress::start(call, dialect, stdin, None).answer()
}

#[test]
fn a_panic_of_ours_is_a_deny() {
    let line = ["hookgate", "hook", "--agent", "defective"];
    let answer = answer(Arc::new(Defective), &line, Box::new(&b"{}"[..]));
    assert_eq!((answer.exit, answer.stdout.as_str()), (2, ""));
    assert!(answer.stderr.contains("hookgate itself has failed"), "{answer:?}");
}

#[test]
fn an_error_of_stdin_is_a_deny() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the pipe has burst"))
        }
    }
    let line = ["hookgate", "hook", "--agent", "codex"];
    let answer = answer(find_dialect("codex").unwrap(), &line, Box::new(Broken));
    assert_eq!(answer.exit, 2);
    assert!(answer.stderr.contains("the pipe has burst"), "{answer:?}");
}
