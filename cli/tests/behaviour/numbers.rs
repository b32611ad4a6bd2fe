//! Promise: hook, record and tool see the same digits.

use crate::support::{Folder, has_python};

/// A rewriter that hands the arguments back, a guard that keeps what it saw, and a rule on the number.
const HOOKS: &str = r#"
[[hook]]
id = "echo"
event = "pre_tool_use"
role = "rewrite"
timeout = "30s"
command = { argv = ["python3", "echo.py"] }

[[hook]]
id = "seen"
event = "pre_tool_use"
after = "echo"
timeout = "30s"
command = { argv = ["python3", "seen.py", "PLACE"] }

[[hook]]
id = "rule"
event = "pre_tool_use"
input = { "/n" = { equals = 9007199254740993 } }
mode = "shadow"
builtin = { name = "deny", reason = "that number" }
"#;

const ECHO: &str = "import json, sys
step = json.load(sys.stdin)
step['tool_input']['echoed'] = True
print(json.dumps({'patch': {'tool_input': step['tool_input']}}))
";

const SEEN: &str = "import sys
open(sys.argv[1], 'a').write(sys.stdin.read() + '\\n')
";

fn step(number: &str) -> String {
    format!(
        "{{\"hook_event_name\":\"pre_tool_use\",\"tool_name\":\"t\",\"tool_input\":{{\"n\":{number}}}}}"
    )
}

#[test]
fn an_exact_integer_is_the_same_to_the_hook_the_record_and_the_next_hook() {
    if !has_python() {
        return;
    }
    let folder = Folder::new();
    let path = folder.path("seen.jsonl");
    let hooks = HOOKS.replace("PLACE", path.to_str().unwrap());
    folder.write("echo.py", ECHO);
    folder.write("seen.py", SEEN);
    let numbers = ["9007199254740993", "-9223372036854775808", "18446744073709551615", "0.1", "7"];
    let steps = numbers.map(step).join("\n");

    folder.write("hooks.toml", format!("[limits]\nintegers = \"exact\"\n{hooks}"));
    let ended = folder.run(&["run"], &steps);
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let seen = std::fs::read_to_string(&path).unwrap();
    for ((number, record), seen) in numbers.iter().zip(ended.out().lines()).zip(seen.lines()) {
        let digits = format!("\"n\":{number}}}");
        assert!(
            record.contains(&format!("\"final\":{{\"tool_input\":{{\"echoed\":true,{digits}")),
            "{record}"
        );
        assert!(seen.contains(&digits), "{seen}");
        let rule = record.contains("\"outcome\":\"would\"");
        assert_eq!(rule, *number == "9007199254740993", "{record}");
    }

    // Without the setting nothing that others would read differently comes in.
    folder.write("hooks.toml", &hooks);
    let ended = folder.run(&["run"], &steps);
    assert_eq!(ended.code(), 1);
    let decisions: Vec<_> = ended.lines().iter().map(|line| line["decision"].clone()).collect();
    assert_eq!(decisions, ["deny", "deny", "deny", "allow", "allow"]);
    assert!(ended.err().contains("<stdin>:1:"), "{}", ended.err());
    assert!(ended.err().contains("integers = \"exact\""), "{}", ended.err());
    let ended = folder.run(&["eval"], step("18446744073709551616"));
    assert_eq!(ended.code(), 2, "{}", ended.out());
}

#[test]
fn a_number_that_a_hook_makes_up_is_refused_too() {
    if !has_python() {
        return;
    }
    let folder = Folder::with_hooks(HOOKS);
    let made = "print('{\"patch\": {\"tool_input\": {\"n\": 9007199254740993}}}')\n";
    folder.write("echo.py", made);
    folder.write("seen.py", "");
    let ended = folder.run(&["run"], step("1"));
    assert_eq!(ended.lines()[0]["decision"], "deny", "{}", ended.out());
    assert_eq!(ended.lines()[0]["votes"][0]["failure"], "malformed");
}
