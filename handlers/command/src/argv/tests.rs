use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::program;

/// A folder of a config with a few files.
fn base() -> tempfile::TempDir {
    let base = tempfile::tempdir().unwrap();
    std::fs::create_dir(base.path().join("lib")).unwrap();
    for name in ["guard", "guard.py", "guard.js", "guard.sh", "rules.jq", "p.rego", "lib/x.js"] {
        let path = base.path().join(name);
        let text = if name == "guard" { "#!/bin/sh\n" } else { "" };
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    base
}

/// Resolves a line whose first word is a program; `@` is the config's folder.
fn resolved(line: &str, base: &Path) -> Result<Vec<String>, ProgramError> {
    let words: Vec<&str> = line.split(' ').collect();
    let program = Path::new("/usr/bin").join(words[0]);
    let at = base.display().to_string();
    resolve(&program, &words[1..], base)
        .map(|found| found.args.iter().map(|arg| arg.replace(&at, "@")).collect())
}

#[test]
fn what_a_program_would_open_is_that_of_the_config() {
    let base = base();
    for (line, expected) in [
        ("python3 guard.py guard.py x", "@/guard.py @/guard.py x"),
        ("python3.13 -u ./guard.py", "-u @/guard.py"),
        ("python3 -I guard.py", "-I @/guard.py"),
        ("python3 -E -O guard.py", "-E -O @/guard.py"),
        ("python3 -X dev guard.py", "-X dev @/guard.py"),
        ("python3 -Werror -W error guard.py", "-Werror -W error @/guard.py"),
        ("python3 -- guard.py", "-- @/guard.py"),
        ("bash -e guard.sh", "-e @/guard.sh"),
        ("bash -euo pipefail guard.sh", "-euo pipefail @/guard.sh"),
        ("bash -o pipefail guard.sh", "-o pipefail @/guard.sh"),
        ("bash +e --rcfile guard guard.sh", "+e --rcfile @/guard @/guard.sh"),
        ("sh guard", "@/guard"),
        ("dash -e guard.sh", "-e @/guard.sh"),
        ("node -r fs guard.js", "-r fs @/guard.js"),
        ("node --require ./lib/x.js guard.js", "--require @/lib/x.js @/guard.js"),
        ("node --require=./lib/x.js guard.js", "--require=@/lib/x.js @/guard.js"),
        ("node --max-old-space-size=64 guard.js", "--max-old-space-size=64 @/guard.js"),
        ("perl -Ilib -w guard", "-I@/lib -w @/guard"),
        ("ruby -I lib guard", "-I @/lib @/guard"),
        ("deno run --allow-read guard.js", "run --allow-read @/guard.js"),
        ("deno run https://example.com/guard.ts", "run https://example.com/guard.ts"),
        ("jq -c -f rules.jq", "-c -f @/rules.jq"),
        ("jq .tool_input", ".tool_input"),
        ("jq --arg guard guard .x", "--arg guard guard .x"),
        ("awk -f guard", "-f @/guard"),
        ("awk -fguard", "-f@/guard"),
        ("sed -n -f guard", "-n -f @/guard"),
        ("opa eval -d p.rego -i - data.x", "eval -d @/p.rego -i - data.x"),
        ("mine --config=lib/x.js --to=p.rego", "--config=@/lib/x.js --to=@/p.rego"),
        ("mine lib -L lib lib/", "lib -L @/lib @/lib"),
        ("sh -c guard.sh", "-c guard.sh"),
        ("bash -ec guard.sh x", "-ec guard.sh x"),
        ("python3 -m guard.py", "-m guard.py"),
        ("grep guard.py", "@/guard.py"),
        ("mine word . ..", "word . .."),
        ("pwsh -NoProfile -File guard", "-NoProfile -File @/guard"),
    ] {
        let expected: Vec<_> = expected.split(' ').map(str::to_owned).collect();
        assert_eq!(resolved(line, base.path()), Ok(expected), "{line}");
    }
}

#[test]
fn a_wrapper_hides_nothing() {
    let base = base();
    let sh = program::find_program("sh", base.path()).unwrap().display().to_string();
    for (line, expected) in [
        ("env sh guard.sh", "sh @/guard.sh"),
        ("env -i A=b C=d sh -e guard.sh", "-i A=b C=d sh -e @/guard.sh"),
        ("env -u A - sh guard.sh", "-u A - sh @/guard.sh"),
        ("timeout 5 sh guard.sh", "5 sh @/guard.sh"),
        ("timeout -k 1 --sig KILL 5 sh guard.sh", "-k 1 --sig KILL 5 sh @/guard.sh"),
        ("nice -n 5 sh guard.sh", "-n 5 sh @/guard.sh"),
        ("nice -5 sh guard.sh", "-5 sh @/guard.sh"),
        ("nohup sh guard.sh", "sh @/guard.sh"),
        ("setsid -w sh guard.sh", "-w sh @/guard.sh"),
        ("stdbuf -oL -e 0 sh guard.sh", "-oL -e 0 sh @/guard.sh"),
        ("env timeout 5 nice ./guard x", "timeout 5 nice @/guard x"),
        ("ionice -c2 -n 7 sh guard.sh", "-c2 -n 7 sh @/guard.sh"),
        ("chrt -o 0 sh guard.sh", "-o 0 sh @/guard.sh"),
        ("taskset -c 0 sh guard.sh", "-c 0 sh @/guard.sh"),
        ("xargs -0 -n 1 sh guard.sh", "-0 -n 1 sh @/guard.sh"),
        ("busybox sh -e guard.sh", "sh -e @/guard.sh"),
        ("strange --quiet sh guard.sh", "--quiet sh @/guard.sh"),
    ] {
        let found = resolved(line, base.path()).map_err(|error| error.to_string());
        let found: Vec<_> = found.unwrap().iter().map(|arg| plain(arg, &sh)).collect();
        let expected: Vec<_> = expected.split(' ').map(str::to_owned).collect();
        assert_eq!(found, expected, "{line}");
    }
    let split = |text: &str| {
        let found = resolve(Path::new("/usr/bin/env"), &["-S", text], base.path())?;
        Ok(found
            .args
            .iter()
            .map(|arg| arg.replace(&base.path().display().to_string(), "@"))
            .collect())
    };
    let found: Result<Vec<String>, ProgramError> = split("-i sh -e guard.sh");
    assert_eq!(found.unwrap().join(" "), format!("-i {sh} -e @/guard.sh"));
    assert!(matches!(split("sh -c 'guard.sh'"), Err(ProgramError::Split(_))));
}

/// A program found in PATH by its name again.
fn plain(arg: &str, sh: &str) -> String {
    let name = Path::new(arg).file_name().unwrap().to_str().unwrap();
    let is_program = arg == sh || arg.starts_with('/') && ["timeout", "nice"].contains(&name);
    if is_program { name.to_owned() } else { arg.to_owned() }
}

#[test]
fn what_would_be_looked_for_in_the_session_is_refused() {
    let base = base();
    for (line, words) in [
        ("python3 missing.py", "is not there: paths start at"),
        ("python3 -I missing", "is not there"),
        ("bash -e missing.sh", "is not there"),
        ("env sh missing.sh", "is not there"),
        ("env -S sh", "takes its program from stdin"),
        ("timeout 5 sh ./missing", "is not there"),
        ("env ./missing", "is not there"),
        ("env missing", "no program `missing` in PATH"),
        ("jq -f missing.jq", "is not there"),
        ("jq . data.json", "is not there"),
        ("awk -f missing.awk", "is not there"),
        ("awk {print} missing", "is not there"),
        ("bash --rcfile missing guard.sh", "is not there"),
        ("node -r dotenv guard.js", "`-r dotenv` is looked for in the folder of the session"),
        ("node --require ./missing.js guard.js", "is looked for in the folder of the session"),
        ("node --frobnicate x guard.js", "`--frobnicate` is not an option that hookgate knows"),
        ("node --frobnicate guard.js x", "`--frobnicate` is not an option that hookgate knows"),
        ("perl -I missing guard", "is not a folder beside the config"),
        ("perl -I. guard", "is not a folder beside the config"),
        ("python3", "takes its program from stdin"),
        ("bash -s", "takes its program from stdin"),
        ("bash -", "takes its program from stdin"),
        ("python3 /dev/stdin", "takes its program from stdin"),
        ("awk -f -", "takes its program from stdin"),
        ("env PATH=.:/bin sh guard.sh", "`PATH` has the entry `.`"),
        ("env BASH_ENV=x bash guard.sh", "`BASH_ENV` has the entry `x`"),
        ("strange python3 missing.py", "is not there"),
        ("java -cp . Guard", "is not a folder beside the config"),
    ] {
        let error = resolved(line, base.path()).expect_err(line).to_string();
        assert!(error.contains(words), "{line}: {error}");
    }
    assert_eq!(resolved("node --frobnicate -- guard.js x", base.path()).unwrap()[2], "@/guard.js");
}

#[test]
fn rules_that_an_option_names_are_a_part_of_the_hook() {
    let base = base();
    for (line, own) in [
        ("opa eval -d p.rego -i - data.x", vec!["p.rego"]),
        ("mine --rules=rules.jq --state guard", vec!["rules.jq"]),
        ("python3 guard.py guard.py lib/x.js", vec!["guard.py", "lib/x.js"]),
        ("bash --rcfile guard guard.sh", vec!["guard", "guard.sh"]),
        ("jq -c -f rules.jq", vec!["rules.jq"]),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let found = resolve(&Path::new("/usr/bin").join(words[0]), &words[1..], base.path());
        let expected: Vec<_> = own.iter().map(|name| base.path().join(name)).collect();
        assert_eq!(found.unwrap().scripts, expected, "{line}");
    }
}

#[test]
fn what_only_looks_like_an_interpreter_is_a_word() {
    let base = base();
    for line in ["mine --language python strict", "mine node", "grep -q bash README.txt"] {
        let expected: Vec<_> = line.split(' ').skip(1).map(str::to_owned).collect();
        assert_eq!(resolved(line, base.path()), Ok(expected), "{line}");
    }
}

#[test]
fn a_script_beside_the_config_may_be_called_like_another_program() {
    let base = base();
    for name in ["command", "env", "node", "make"] {
        let program = base.path().join(name);
        std::fs::write(&program, "#!/bin/sh\n").unwrap();
        let found = resolve(&program, &["fine", "x.js"], base.path()).unwrap();
        assert_eq!((found.args.join(" "), found.warnings.len()), ("fine x.js".into(), 0), "{name}");
        // The control: a link to the interpreter is one.
        std::fs::remove_file(&program).unwrap();
        std::os::unix::fs::symlink("/bin/sh", &program).unwrap();
    }
    let shell = base.path().join("make");
    assert!(resolve(&shell, &["missing.sh"], base.path()).is_err());
}

#[test]
fn relative_paths_in_program_text_are_warned_of() {
    let base = base();
    let warnings = |args: &[&str]| {
        let program = Path::new("/usr/bin").join(args[0]);
        resolve(&program, &args[1..], base.path()).unwrap().warnings
    };
    for args in [
        &["bash", "-c", ". ./guard.sh"][..],
        &["bash", "-c", "cat | python3 guard.py"],
        &["sh", "-ec", "exec \"./guard\""],
        &["python3", "-c", "exec(open('guard.py').read())"],
        &["node", "-e", "require('./guard.js')"],
        &["python3", "-m", "guard"],
        &["env", "sh", "-c", "source guard"],
        &["make", "guard"],
        &["npx", "guard-of-mine"],
        &["deno", "task", "guard"],
        &["mine", "./not-there"],
    ] {
        assert!(!warnings(args).is_empty(), "{args:?}");
    }
    let found = warnings(&["sh", "-c", "./guard.sh"]);
    assert!(found[0].contains("write `$HOOKGATE_CONFIG_DIR/guard.sh`"), "{found:?}");
    for args in [
        &["bash", "-c", "\"$HOOKGATE_CONFIG_DIR/guard.sh\" && exec /opt/x.sh"][..],
        &["jq", ".tool_input.command"],
        &["python3", "-c", "import json, sys; json.load(sys.stdin)"],
        &["sh", "-c", "cd .. && ls . > /tmp/x; echo $HOME/seen"],
        &["python3", "-I", "-m", "json.tool"],
    ] {
        assert_eq!(warnings(args), [""; 0], "{args:?}");
    }
}

#[test]
fn the_first_line_of_a_script_names_no_relative_path() {
    let base = base();
    let write = |text: &str| {
        std::fs::write(base.path().join("guard"), text).unwrap();
        resolve(&base.path().join("guard"), &[], base.path()).map(|_| ())
    };
    for text in ["#!python3\n", "#!./run\n", "#! bin/run x\n", "#!/usr/bin/env -S node -r ./x.js\n"]
    {
        assert!(matches!(write(text), Err(ProgramError::FirstLine { .. })), "{text}");
    }
    for text in
        ["#!/bin/sh\n", "#!/usr/bin/env sh\n", "#!/bin/sh -e\n", "", "#!/usr/bin/env -S sh -e\n"]
    {
        assert_eq!(write(text), Ok(()), "{text}");
    }
}

#[test]
fn programs_that_run_one_another_without_end_are_refused() {
    let base = base();
    assert!(resolved(&format!("{}python3 guard.py", "env ".repeat(10)), base.path()).is_ok());
    let many = resolved(&format!("{}python3 guard.py", "env ".repeat(10_000)), base.path());
    assert!(matches!(many, Err(ProgramError::Deep { .. })), "{many:?}");
    // A script whose first line runs the script.
    let circle = base.path().join("circle");
    std::fs::write(&circle, "#!/usr/bin/env\n").unwrap();
    std::fs::set_permissions(&circle, PermissionsExt::from_mode(0o755)).unwrap();
    assert!(resolve(&circle, &[], base.path()).is_ok());
}

#[test]
fn a_script_that_program_text_names_is_a_part_of_the_hook() {
    let base = base();
    let write = |name: &str, mode: u32| {
        let path = base.path().join(name);
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let (named, plain, log) =
        (write("named.sh", 0o755), write("plain", 0o755), write("log.txt", 0o644));
    let scripts =
        |text: &str| resolve(Path::new("/usr/bin/sh"), &["-c", text], base.path()).unwrap().scripts;
    for text in [
        "$HOOKGATE_CONFIG_DIR/named.sh".to_owned(),
        "\"$HOOKGATE_CONFIG_DIR\"/named.sh --strict".to_owned(),
        "cat | '${HOOKGATE_CONFIG_DIR}'/named.sh; true".replace('\'', "\""),
        "exec timeout 5 ${HOOKGATE_CONFIG_DIR}/named.sh".to_owned(),
        "cd \"$HOOKGATE_CONFIG_DIR\" && ./named.sh".to_owned(),
        format!("out=$({}) && echo \"$out\"", named.display()),
    ] {
        assert_eq!(scripts(&text), [named.as_path()], "{text}");
    }
    assert_eq!(scripts("$HOOKGATE_CONFIG_DIR/plain"), [plain]);
    // What it writes to, what is not there, and programs of the system are none.
    for text in ["cat >> $HOOKGATE_CONFIG_DIR/log.txt", "$HOOKGATE_CONFIG_DIR/none.sh", "/bin/cat"]
    {
        assert!(scripts(text).is_empty(), "{text} {log:?}");
    }
}
