//! Promise: what runs is what was configured, whatever is in the folder of the session.

mod random;
mod swapped;

use std::path::{Path, PathBuf};

use hookgate_contract::{Reply, StepContext, Verdict};
use serde_json::json;
use tempfile::TempDir;

use crate::support::{build_in, call, invoke_with};

/// A folder of a config and one of a session, with files of the same names that print `real` and
/// `decoy`.
struct Folders {
    base: TempDir,
    session: TempDir,
}

/// Scripts that deny with a reason, by the ending of their names.
fn script(ending: &str, reason: &str) -> String {
    let verdict = format!(r#"{{"decision":"deny","reason":"{reason}"}}"#);
    match ending {
        "py" => format!("print('{verdict}', flush=True)\nimport os\nos._exit(0)\n"),
        "js" => format!("console.log('{verdict}'); process.exit(0);\n"),
        "pl" => format!("print '{verdict}'; exit 0;\n"),
        "awk" => format!("BEGIN {{ print \"{}\"; exit 0 }}\n", verdict.replace('"', "\\\"")),
        "jq" => format!("{verdict}\n"),
        "tcl" => format!("puts {{{verdict}}}\nexit 0\n"),
        _ => format!("echo '{verdict}'\nexit 0\n"),
    }
}

const ENDINGS: &[&str] = &["sh", "py", "js", "pl", "awk", "jq", "tcl"];

impl Folders {
    fn new() -> Self {
        let folders =
            Self { base: tempfile::tempdir().unwrap(), session: tempfile::tempdir().unwrap() };
        for (folder, reason) in [(&folders.base, "real"), (&folders.session, "decoy")] {
            std::fs::create_dir(folder.path().join("sub")).unwrap();
            for ending in ENDINGS {
                for name in ["guard", "sub/other"] {
                    let path = folder.path().join(format!("{name}.{ending}"));
                    std::fs::write(path, script(ending, reason)).unwrap();
                }
            }
        }
        // What the agent puts there besides.
        let session = folders.session.path();
        for name in ["absent.sh", "json.py", "os.py", "guard", "sitecustomize.py", "fs.js", "5"] {
            let ending = name.rsplit('.').next().unwrap();
            std::fs::write(session.join(name), script(ending, "decoy")).unwrap();
        }
        for ending in ENDINGS {
            let path = session.join(format!("absent.{ending}"));
            std::fs::write(path, script(ending, "decoy")).unwrap();
        }
        folders
    }

    fn build(&self, argv: &[String]) -> Result<hookgate_contract::BuiltHandler, String> {
        build_in(self.base.path(), &json!({ "argv": argv }))
    }

    async fn invoke(&self, built: &hookgate_contract::BuiltHandler) -> Reply {
        let cwd = self.session.path().to_str().unwrap().to_owned();
        invoke_with(built, &call(), &StepContext::new("s").cwd(&cwd)).await
    }
}

fn found(name: &str) -> bool {
    std::process::Command::new("sh")
        .args(["-c", &format!("command -v {name}")])
        .output()
        .is_ok_and(|output| output.status.success())
}

fn split_words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

#[tokio::test]
async fn a_script_of_the_session_never_runs_in_place_of_the_configs() {
    let folders = Folders::new();
    let mut lines = vec![
        "bash -e guard.sh",
        "sh -e guard.sh",
        "bash -euo pipefail guard.sh",
        "bash -o pipefail guard.sh",
        "env bash guard.sh",
        "/usr/bin/env bash guard.sh",
        "timeout 5 sh guard.sh",
        "nice sh guard.sh",
        "nohup sh guard.sh",
        "setsid -w sh guard.sh",
        "stdbuf -oL sh guard.sh",
        "awk -f guard.awk",
        "python3 -I guard.py",
        "python3 -E guard.py",
        "python3 -O guard.py",
        "python3 -X dev guard.py",
        "python3 -W error guard.py",
        "python3 -I ./guard.py",
        "env python3 guard.py",
    ];
    let if_found = [
        ("node", "node -r fs guard.js"),
        ("node", "node --require fs guard.js"),
        ("jq", "jq -c -f guard.jq"),
    ];
    lines.extend(if_found.iter().filter(|(name, _)| found(name)).map(|(_, line)| *line));
    for line in lines {
        let built =
            folders.build(&split_words(line)).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(folders.invoke(&built).await, Ok(Verdict::deny("real")), "{line}");
        let base = folders.base.path();
        assert!(built.sources.iter().any(|path| path.starts_with(base)), "{line}: not followed");
        assert!(built.executables.iter().any(|path| path.starts_with(base)), "{line}: not shown");
        assert_eq!(built.warnings, [""; 0], "{line}");
    }
    let split = ["env", "-S", "python3 -I guard.py"].map(str::to_owned);
    let built = folders.build(&split).unwrap();
    assert_eq!(folders.invoke(&built).await, Ok(Verdict::deny("real")));
}

/// The agent puts a `json.py` into its folder.
#[tokio::test]
async fn python_takes_no_module_from_the_folder_of_the_session() {
    let folders = Folders::new();
    std::fs::write(folders.base.path().join("helper.py"), "WHY = 'real'\n").unwrap();
    std::fs::write(
        folders.base.path().join("imports.py"),
        "import json, helper\nprint(json.dumps({'decision': 'deny', 'reason': helper.WHY}))\n",
    )
    .unwrap();
    let code = "import json; print(json.dumps({'decision': 'deny', 'reason': 'real'}))";
    for argv in [
        ["python3", "imports.py"].map(str::to_owned).to_vec(),
        ["python3", "-c", code].map(str::to_owned).to_vec(),
        ["sh", "-c", &format!("python3 -c \"{code}\"")].map(str::to_owned).to_vec(),
    ] {
        let built = folders.build(&argv).unwrap();
        assert_eq!(folders.invoke(&built).await, Ok(Verdict::deny("real")), "{argv:?}");
    }
    // The control: a config may switch the protection off.
    let settings = json!({"argv": ["python3", "-c", code], "set_env": {"PYTHONSAFEPATH": ""}});
    let built = build_in(folders.base.path(), &settings).unwrap();
    assert_eq!(folders.invoke(&built).await, Ok(Verdict::deny("decoy")));
}

/// `#!/usr/bin/env python3` looks into PATH.
#[test]
fn no_program_is_found_through_a_relative_entry_of_path() {
    let path = format!(".::sub:{}:", std::env::var("PATH").unwrap());
    crate::secrets::again("resolution::with_a_relative_path", [("PATH".to_owned(), path)]);
}

#[tokio::test]
#[ignore = "is run by the test above, with a PATH that has relative entries"]
async fn with_a_relative_path() {
    use std::os::unix::fs::PermissionsExt;
    let folders = Folders::new();
    let executable = |path: PathBuf, text: &str| {
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    };
    let decoy = format!("#!/bin/sh\n{}", script("sh", "decoy"));
    executable(folders.session.path().join("cat"), &decoy);
    executable(folders.session.path().join("sub/cat"), &decoy);
    let real = script("sh", "real").replace("echo", "exec cat >/dev/null; echo");
    executable(folders.base.path().join("run"), &format!("#!/bin/sh\ncat >/dev/null\n{real}"));
    for settings in [
        json!({"argv": ["./run"]}),
        json!({"argv": ["sh", "-c", "cat > /dev/null; echo \"$PATH\" >&2; exit 2"]}),
        json!({"argv": ["./run"], "env": ["PATH"]}),
    ] {
        let built = build_in(folders.base.path(), &settings).unwrap();
        let seen = format!("{:?}", folders.invoke(&built).await);
        assert!(!seen.contains("decoy"), "{settings}: {seen}");
        assert!(!seen.contains("::") && !seen.contains("\".:"), "{settings}: {seen}");
    }
    let relative = json!({"shell": "true", "set_env": {"PATH": "bin:/usr/bin"}});
    let error = build_in(folders.base.path(), &relative).unwrap_err();
    assert!(error.contains("relative or empty entry"), "{error}");
}

#[test]
fn what_cannot_be_resolved_is_an_error_with_advice() {
    let folders = Folders::new();
    for (line, advice) in [
        ("python3 -I absent.py", "paths start at the folder of the config"),
        ("env bash -e absent.sh", "paths start at the folder of the config"),
        ("node --require dotenv guard.js", "write the path of a file"),
        ("bash", "name a script"),
        ("env PATH=. sh guard.sh", "write an absolute path"),
        ("perl -Mlib=sub guard.pl", "sub"),
        ("perl -wMlib=. guard.pl", "Mlib"),
        ("env PERL5OPT=-Mlib=sub perl guard.pl", "write an absolute path"),
    ] {
        if !found(line.split(' ').next().unwrap()) {
            continue;
        }
        let error =
            folders.build(&split_words(line)).err().unwrap_or_else(|| panic!("{line} loads"));
        assert!(error.contains(advice), "{line}: {error}");
    }
    let warned = |settings| build_in(folders.base.path(), &settings).unwrap().warnings.join(" ");
    let seen = warned(json!({"shell": "./guard.sh"}));
    assert!(seen.contains("$HOOKGATE_CONFIG_DIR/guard.sh"), "{seen}");
    // A word that becomes the path of a file is warned of, and makes another hook.
    let plain = build_in(folders.base.path(), &json!({"argv": ["true", "production"]}));
    std::fs::write(folders.base.path().join("production"), "").unwrap();
    let turned = build_in(folders.base.path(), &json!({"argv": ["true", "production"]}));
    let (plain, turned) = (plain.unwrap(), turned.unwrap());
    assert!(plain.warnings.iter().all(|seen| !seen.contains("production")), "{plain:?}");
    assert!(turned.warnings.join(" ").contains("rename the file"), "{turned:?}");
    assert_ne!(plain.identity, turned.identity);
    // What runs elsewhere names nothing of ours.
    let far = |line: &str| folders.build(&split_words(line)).map(|_| ());
    if found("ssh") {
        assert_eq!(far("ssh host python3 /app/guard.py"), Ok(()));
    }
    let seen = warned(json!({"shell": "sh production"}));
    assert!(seen.contains("$HOOKGATE_CONFIG_DIR/production"), "{seen}");
    let options = json!({"NODE_OPTIONS": "--require ./guard.js"});
    let seen = warned(json!({"argv": ["true"], "set_env": options}));
    assert!(seen.contains("$HOOKGATE_CONFIG_DIR/guard.js"), "{seen}");
    let seen = warned(json!({"shell": "exec \"$HOOKGATE_CONFIG_DIR/guard.sh\""}));
    assert_eq!(seen, "");
}

#[test]
fn a_folder_that_is_not_utf8_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let base = tempfile::tempdir().unwrap();
    let odd = base.path().join(std::ffi::OsStr::from_bytes(b"odd-\xff"));
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join("guard.sh"), "").unwrap();
    let error = build_in(Path::new(&odd), &json!({"argv": ["sh", "guard.sh"]})).unwrap_err();
    assert!(error.contains("not UTF-8"), "{error}");
}
