//! Promise: a program sees no variable that is not listed, and no secret that it was given is quoted.

use std::collections::BTreeSet;

use hookgate_contract::BuiltHandler;
use serde_json::{Value, json};

use crate::support::{build, hostile, invoke, misbehaving};

/// Runs a test of this binary in a process of its own, with further variables.
pub(crate) fn again(name: &str, variables: impl IntoIterator<Item = (String, String)>) {
    let this = std::env::current_exe().unwrap();
    let output = std::process::Command::new(this)
        .args(["--exact", name, "--ignored", "--nocapture"])
        .envs(variables)
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && shown.contains("1 passed"), "{shown}");
}

fn canaries() -> impl Iterator<Item = String> {
    let known = ["LD_AUDIT", "BASH_ENV", "PYTHONHOME", "NODE_OPTIONS", "GIT_DIR", "HTTPS_PROXY"];
    known.into_iter().map(str::to_owned).chain((0..194).map(|n| format!("CANARY_{n}")))
}

#[test]
fn of_200_variables_a_program_sees_the_listed_ones() {
    again("secrets::canaries_are_not_seen", canaries().map(|name| (name, "1".to_owned())));
}

#[tokio::test]
#[ignore = "is run by the test above, with 200 variables"]
async fn canaries_are_not_seen() {
    let planted: BTreeSet<String> = canaries().collect();
    assert_eq!(planted.iter().filter(|name| std::env::var_os(name).is_some()).count(), 200);
    for mode in ["plain", "worker"] {
        let built = misbehaving("env", &json!({"mode": mode, "env": ["CANARY_7"]}));
        let verdict = invoke(&built).await.unwrap();
        let seen: BTreeSet<String> = verdict.parts().unwrap().context.iter().cloned().collect();
        let leaked: Vec<_> = seen.intersection(&planted).collect();
        assert_eq!(leaked, ["CANARY_7"], "{mode}");
        assert!(seen.contains("PATH"));
    }
}

fn secret(n: usize) -> String {
    let odd = ["plain", "with \"quotes\"", "back\\slash", "two\nlines"][n % 4];
    format!("{n:03}-planted {odd} {}", "z9Y8x7".repeat(3))
}

#[test]
fn none_of_100_secrets_is_quoted() {
    let planted = (0..100).map(|n| (format!("PLANTED_{n}"), secret(n)));
    again("secrets::secrets_are_not_quoted", planted);
}

#[tokio::test]
#[ignore = "is run by the test above, with 100 secrets"]
async fn secrets_are_not_quoted() {
    let names: Vec<String> = (0..100).map(|n| format!("PLANTED_{n}")).collect();
    let planted: Vec<String> = (0..100).map(secret).collect();
    let leaks = |text: &str| {
        planted.iter().filter(|secret| secret.lines().any(|line| text.contains(line))).count()
    };
    let python = |code: &str| -> BuiltHandler {
        build(&json!({"argv": ["python3", "-S", "-c", code], "env": names}))
    };
    let values = "import json,os,sys\nv=[os.environ[f'PLANTED_{n}'] for n in range(100)]\n";
    for end in [
        "sys.stderr.write('\\n'.join(v)); sys.exit(2)",
        "sys.stderr.write('\\n'.join(v)); sys.exit(3)",
        "print(v)",
        "print(json.dumps({x: 1 for x in v}))",
        "print(json.dumps({'decision': 'deny', 'reason': ' '.join(v)}))",
        "print(json.dumps({'decision': 'deny', 'reason': json.dumps(v)}))",
        "print(json.dumps({'message': ' '.join(v), 'context': v, 'annotations': {'v': v}}))",
    ] {
        let reply = invoke(&python(&format!("{values}{end}"))).await;
        let text = format!(
            "{reply:?}\n{}",
            match &reply {
                Ok(verdict) => format!("{:?}", verdict.parts().map(|parts| parts.reason.clone())),
                Err(failure) => failure.to_string(),
            }
        );
        assert_eq!(leaks(&text), 0, "{end}: {text}");
    }
    let error: Value = json!({"argv": ["python3", "-S", hostile(), "tell", "PLANTED_0"],
                             "env": names, "mode": "worker"});
    let text = invoke(&build(&error)).await.unwrap_err().to_string();
    assert!(text.contains("[PLANTED_0]") && leaks(&text) == 0, "{text}");
}

#[test]
fn no_piece_of_a_secret_at_a_cut_is_quoted() {
    let value = format!("canary{}", "Zq7-".repeat(10));
    again("secrets::no_piece_is_quoted", [("PLANTED_0".to_owned(), value)]);
}

#[tokio::test]
#[ignore = "is run by the test above, with a secret"]
async fn no_piece_is_quoted() {
    let run = |text: &str, further: Value| {
        let mut settings = json!({"argv": ["python3", "-S", "-c", text], "env": ["PLANTED_0"]});
        settings.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
        build(&settings)
    };
    let ready = "import os,sys,json\nv=os.environ['PLANTED_0']\nw=lambda t:(sys.stderr.write(t),sys.stderr.flush())\n";
    let worker = format!("{ready}print('{{\"ready\":1}}',flush=True)\ncall=json.loads(input())\n");
    let answer = "print(json.dumps({'id':call['id'],'error':'e'*%d+v}),flush=True)\ninput()";
    let mut handlers = Vec::new();
    // At several points around the border of what is quoted.
    for before in [150, 157, 165, 180, 190, 195, 199] {
        handlers.push(run(&format!("{ready}w('e'*{before}+v); sys.exit(3)"), json!({})));
        handlers.push(run(
            &format!("{ready}w('last\\n'+'e'*{before}+v+'\\n'); sys.exit(3)"),
            json!({}),
        ));
        let text = format!("{worker}{}", answer.replace("%d", &before.to_string()));
        handlers.push(run(&text, json!({"mode": "worker"})));
    }
    // A secret in two lines, and across the border of what is kept of a worker's stderr.
    handlers.push(run(
        &format!("{ready}w(v[:20]+'\\n'+v[20:]); w('\\n'+v+'\\n'); sys.exit(3)"),
        json!({}),
    ));
    for cut in [8150, 8160, 8170, 8180, 8192] {
        let text = format!("{worker}w('x'*50+v+'y'*({cut}-30)); sys.exit(3)");
        handlers.push(run(&text, json!({"mode": "worker"})));
    }
    let value = std::env::var("PLANTED_0").unwrap();
    for (index, built) in handlers.iter().enumerate() {
        let text = invoke(built).await.unwrap_err().to_string();
        // The two lines are 20 characters each: a secret written in pieces cannot be found.
        let joined = index == 21;
        for start in 0..value.len() - 12 {
            let piece = value.get(start..start + 12).unwrap();
            assert!(joined || !text.contains(piece), "{index}: `{piece}` in {text}");
        }
        assert!(!text.contains(&value), "{index}: {text}");
    }
}
