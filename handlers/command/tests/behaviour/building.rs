//! Promise: a mistake in the settings is an error that says what to write.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use hookgate_contract::Verdict;
use serde_json::{Value, json};

use crate::support::{build_in, invoke};

fn errors_of(base: &Path, settings: Value) -> String {
    match build_in(base, &settings) {
        Ok(_) => panic!("{settings} was accepted"),
        Err(errors) => errors,
    }
}

#[test]
fn senseless_settings_are_errors() {
    let base = Path::new("/");
    for (settings, error) in [
        (json!({}), "`argv` is missing"),
        (json!({"argv": []}), "`argv`: it names no program"),
        (json!({"argv": [""]}), "`argv`: it names no program"),
        (json!({"argv": "sh"}), "`argv` must be an array of strings, not a string"),
        (json!({"argv": ["sh"], "shell": "true"}), "`shell`: `argv` is given too: one of the two"),
        (json!({"shell": " "}), "`shell`: it is empty"),
        (
            json!({"argv": ["sh"], "shell_program": "sh"}),
            "`shell_program`: it goes with `shell`; name it in `argv`",
        ),
        (json!({"shell": "true", "workers": 2}), "`workers`: it goes with `mode = \"worker\"`"),
        (
            json!({"shell": "true", "mode": "worker", "stdout": "context"}),
            "`stdout`: a worker answers with verdicts: use `mode = \"plain\"`",
        ),
        (
            json!({"shell": "true", "mode": "worker", "workers": 0}),
            "`workers`: must be 1 to 1000000000",
        ),
        (
            json!({"shell": "true", "limits": {"cpu": "5s", "files": 0, "memroy": "1MiB"}}),
            "`files`: must be 1 or more; unknown key `memroy`; did you mean `memory`?",
        ),
        (
            json!({"shell": "true", "shim": true}),
            "`shim`: this program has no shim: it calls `hookgate_command::shim::main` and \
             `register` to have one",
        ),
        (
            json!({"shell": "true", "sandbox": {}}),
            "`sandbox`: this program has no shim: it calls `hookgate_command::shim::main` and \
             `register` to have one",
        ),
        (
            json!({"shell": "true", "sandbox": {"read": ["/nowhere"]}, "shim": false}),
            "`read`: `/nowhere` is not there; `shim`: a sandbox needs it",
        ),
        (
            json!({"shell": "true", "stdout": "contxt"}),
            "`stdout`: `contxt` is not one of verdict, context; did you mean `context`?",
        ),
        (json!({"shell": "true", "evn": []}), "unknown key `evn`; did you mean `env`?"),
        (
            json!({"shell": "true", "env": ["A=b"]}),
            "`env`: `A=b` is not the name of a variable; variables with values go to `set_env`",
        ),
        (
            json!({"shell": "true", "env": ["HOOKGATE_EVENT"]}),
            "`env`: `HOOKGATE_EVENT`: hookgate sets HOOKGATE_* itself",
        ),
        (
            json!({"shell": "true", "set_env": {"A": 1}}),
            "`set_env`: `A` must be a string, not an integer",
        ),
        (json!({"shell": "true", "set_env": ["A"]}), "`set_env`: it must be a table, not an array"),
    ] {
        assert_eq!(errors_of(base, settings), error);
    }
    assert!(build_in(base, &json!({"shell": "true", "mode": "plain"})).is_ok());
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let base = tempfile::tempdir().unwrap();
    let base = base.path();
    std::fs::write(base.join("guard.py"), "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(base.join("guard.py"), PermissionsExt::from_mode(0o644)).unwrap();
    let at = |name: &str| base.join(name).display().to_string();
    for (settings, error) in [
        (
            json!({"argv": ["./guard.py"]}),
            format!("`argv`: `{0}` is not executable: run `chmod +x {0}`", at("guard.py")),
        ),
        (
            json!({"argv": ["./other"]}),
            format!(
                "`argv`: `{}` is not there: paths start at the folder of the config",
                at("other")
            ),
        ),
        (json!({"argv": ["./"]}), format!("`argv`: `{}` is not a file", base.display())),
        (
            json!({"argv": ["sh", "missing.sh"]}),
            format!(
                "`argv`: `{}` is not there: paths start at the folder of the config",
                at("missing.sh")
            ),
        ),
        (
            json!({"argv": ["guard.py"]}),
            "`argv`: there is no program `guard.py` in PATH: install it, or write `./guard.py` \
             for one beside the config"
                .to_owned(),
        ),
        (
            json!({"shell": "true", "shell_program": "no-such-shell"}),
            "`shell_program`: there is no program `no-such-shell` in PATH: install it, or write \
             `./no-such-shell` for one beside the config"
                .to_owned(),
        ),
    ] {
        assert_eq!(errors_of(base, settings), error);
    }
}

#[tokio::test]
async fn a_program_is_found_in_path_or_beside_the_config() {
    let base = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/bin/sh", base.path().join("shell")).unwrap();
    for argv in [
        json!(["sh", "-c", "exit 2"]),
        json!(["./shell", "-c", "exit 2"]),
        json!(["/bin/sh", "-c", "exit 2"]),
    ] {
        let built = build_in(base.path(), &json!({ "argv": argv })).unwrap();
        assert_eq!(invoke(&built).await.unwrap(), Verdict::deny("denied by `guard`"), "{argv}");
    }
    let bash = json!({"shell": "[[ a == a* ]] && exit 2", "shell_program": "bash"});
    let built = build_in(base.path(), &bash).unwrap();
    assert_eq!(invoke(&built).await.unwrap(), Verdict::deny("denied by `guard`"));
}

/// The folder of `hooks.toml` is the empty path.
#[tokio::test]
async fn a_relative_folder_is_that_of_the_host() {
    let built = build_in(Path::new(""), &json!({"shell": "pwd -P", "stdout": "context"})).unwrap();
    let here = std::fs::canonicalize(".").unwrap();
    let expected = Verdict::none().context(here.to_str().unwrap());
    assert_eq!(invoke(&built).await.unwrap(), expected);
}
