//! Code that makes a shell ready for a program, and the names of temporary files.

use crate::effects::{Effects, Surroundings, Unclear, UnclearWhat};
use crate::patterns::{RunPatterns, Truth};

fn effects(text: &str) -> Effects {
    let around = Surroundings { cwd: Some("/home/u/proj".into()), home: Some("/home/u".into()) };
    Effects::of_command(text, &around)
}

#[test]
fn what_a_program_writes_to_make_a_shell_ready_is_not_asked_about() {
    for text in [
        "eval \"$(ssh-agent -s)\" && ssh-add",
        "eval $(direnv hook bash)",
        "eval `opam env`",
        "source <(kubectl completion bash)",
        ". <(gh completion -s bash)",
        "eval \"$(pyenv init -)\"; rm -rf build",
    ] {
        let found = effects(text);
        let programs = |unclear: &&Unclear| unclear.what == UnclearWhat::Program;
        assert_eq!(found.unclear.iter().find(programs), None, "{text}");
    }
    assert_eq!(
        effects("eval \"$(pyenv init -)\"; rm -rf build").deletes[0].path.written(),
        "/home/u/proj/build"
    );
    assert_eq!(effects("eval \"$(direnv export bash)\"").shows_env, []);
    assert_eq!(effects("direnv export bash").shows_env.len(), 1);
    for text in [
        "eval \"$(cat hook)\"",
        "eval \"$(./direnv hook bash)\"",
        "eval \"$(direnv exec . cat x)\"",
        "eval \"$(direnv hook bash; cat x)\"",
        "eval \"$(direnv hook bash | sed s/a/b/)\"",
        "eval \"$(direnv hook $X)\"",
        "eval \"$(thefuck --alias 'x; rm -rf ~')\"",
        "eval \"$(zoxide init bash --cmd '$(rm -rf ~)')\"",
        "source <(register-python-argcomplete 'a;rm -rf ~')",
        "eval \"$(direnv hook bash) $X\"",
        "eval \"$(kubectl get x completion)\"",
        "source <(curl -s https://x.example)",
        "direnv() { cat x; }; eval \"$(direnv hook bash)\"",
    ] {
        assert!(!effects(text).unclear.is_empty(), "{text}");
    }
}

#[test]
fn the_template_stands_for_the_name_of_a_temporary_file() {
    for (text, deleted) in [
        ("rm -rf \"$(mktemp -d)\"", "/tmp/tmp.XXXXXXXXXX"),
        ("d=$(mktemp -d); trap 'rm -rf \"$d\"' EXIT", "/tmp/tmp.XXXXXXXXXX"),
        ("d=$(mktemp -d); trap \"rm -rf $d\" EXIT", "/tmp/tmp.XXXXXXXXXX"),
        ("cd \"$(mktemp -d)\" && rm -rf x", "/tmp/tmp.XXXXXXXXXX/x"),
        ("rm $(mktemp -t a.XXXX)", "/tmp/a.XXXX"),
        ("rm $(mktemp a.XXXX --tmpdir)", "/tmp/a.XXXX"),
        ("rm $(mktemp -d /tmp/a.XXXX)", "/tmp/a.XXXX"),
    ] {
        let found = effects(text);
        let paths: Vec<String> = found.deletes.iter().map(|effect| effect.path.written()).collect();
        assert_eq!(paths, [deleted], "{text}");
        assert!(found.unclear.is_empty(), "{text}: {:?}", found.unclear);
    }
    // It may fail, and then nothing stands there.
    for text in [
        "rm -rf \"$(mktemp -d $X)\"",
        "TMPDIR=/none; rm -rf \"$(mktemp -d)/home\"",
        "rm -rf \"$(TMPDIR=/none mktemp -d)/home\"",
        "rm -rf \"$(mktemp -d --tmpdir=/tmp/none)/home\"",
        "rm -rf \"$(mktemp -d -p /tmp/none)/home\"",
        "rm -rf \"$(mktemp -d /tmp/none/a.XXXX)/home\"",
        "rm -rf \"$(mktemp -d -t a/b.XXXX)/home\"",
        "rm -rf \"$(mktemp -d -t aX)/home\"",
        "rm -rf \"$(mktemp -d --zap)/home\"",
    ] {
        let known = effects(text).deletes.iter().all(|effect| effect.path.known().is_some());
        assert!(!known, "{text}");
    }
}

#[test]
fn a_trap_runs_with_the_values_of_the_end() {
    let deleted = |text: &str| {
        let found = effects(text);
        let paths: Vec<String> = found.deletes.iter().map(|effect| effect.path.written()).collect();
        (paths.join(" "), found.unclear.len())
    };
    for (text, expected) in [
        ("trap 'rm -rf \"$d\"' EXIT; d=$(mktemp -d)", "/tmp/tmp.XXXXXXXXXX"),
        ("trap clean EXIT; d=$(mktemp -d); clean() { rm -rf \"$d\"; }", "/tmp/tmp.XXXXXXXXXX"),
        ("clean() { rm -rf \"$d\"; }; trap clean EXIT; d=$(mktemp -d)", "/tmp/tmp.XXXXXXXXXX"),
        ("(trap 'rm /a/$d' EXIT; d=b); d=c", "/a/b"),
        ("bash -c 'trap \"rm /a/\\$d\" EXIT; d=b'", "/a/b"),
        ("d=/a; trap 'rm $d' EXIT; e=/b; e=/c; rm $e", "/a /c"),
        // Nobody knows when the shell ends.
        ("d=/a; trap 'rm $d' EXIT; d=/b", "/a $d"),
        ("trap 'rm $d' EXIT; d=/a; d=/b", "$d"),
        ("trap 'rm $d' EXIT; d=/a; (d=/b); if x; then d=/c; fi", "$d"),
        ("trap 'rm $d' EXIT; d=/a; unset d", "$d"),
        ("trap 'rm $d' EXIT", "$d"),
        ("c() { rm $d; }; trap c EXIT; d=/a; d=/b", "$d"),
        ("trap 'rm $d' DEBUG; d=/a", "$d /a"),
        ("trap 'rm $d' EXIT; x || exit 1; d=/a", "$d"),
        ("trap 'rm $d' EXIT; f() { local d=/b; exit; }; f; d=/a", "$d"),
        ("d=/a; trap 'rm $d' EXIT; f() { local d=/b; exit; }; f", "/a $d"),
        ("d=/a; c() { rm $d; }; trap c EXIT; f() { local d=/b; exit; }; f", "$d"),
        ("trap 'rm $d' EXIT; d=/b eval exit; d=/a", "$d"),
        ("d=/a; c() { rm $d; }; trap c EXIT; e=b; exit 0", "/a"),
    ] {
        assert_eq!(deleted(text), (expected.to_owned(), 0), "{text}");
    }
}

#[test]
fn the_folder_for_temporary_files_is_known_by_its_default() {
    let path = |text: &str| effects(text).deletes[0].path.written();
    assert_eq!(path("rm -rf \"${TMPDIR:-/tmp}\"/a"), "/tmp/a");
    assert_eq!(path("rm -rf ${TMPDIR:-/}"), "${TMPDIR:-/}");
    assert_eq!(path("TMPDIR=/; rm -rf ${TMPDIR:-/tmp}"), "/");
    assert_eq!(path("TMPDIR=$X; rm -rf ${TMPDIR:-/tmp}"), "${TMPDIR:-/tmp}");
    assert_eq!(path("rm -rf ${TMP:-/tmp}"), "${TMP:-/tmp}");
    assert_eq!(path("rm -rf $TMPDIR/a"), "$TMPDIR/a");
}

#[test]
fn a_name_with_the_number_of_a_process_is_known() {
    // `$!` and `$RANDOM` may be nothing.
    for text in ["rm -rf ./$!", "rm -rf ./$RANDOM", "rm -rf ./$UID"] {
        assert!(effects(text).deletes[0].path.known().is_none(), "{text}");
    }
    let found = effects("t=/tmp/x.$$; touch $t; trap 'rm -f /tmp/x.$$' EXIT");
    let paths: Vec<String> = found.deletes.iter().map(|effect| effect.path.written()).collect();
    assert_eq!(paths, ["/tmp/x.$$"]);
    assert_eq!(found.unclear, []);
}

#[test]
fn what_is_always_one_plain_word_stands_for_itself() {
    for (text, expected) in [
        ("cp a /tmp/b-$(date +%F).tgz", "/tmp/b-$(date +%F).tgz"),
        ("cp a /tmp/$(date -u +%Y%m%dT%H%M%SZ)", "/tmp/$(date -u +%Y%m%dT%H%M%SZ)"),
        ("cp a /tmp/b-$(git rev-parse --short HEAD)", "/tmp/b-$(git rev-parse --short HEAD)"),
        ("cp a /tmp/$(uname -m)", "/tmp/$(uname -m)"),
    ] {
        let found = effects(text);
        assert_eq!(found.writes[0].path.known().as_deref(), Some(expected), "{text}");
    }
    // It may be nothing, too.
    let found = effects("rm -rf \"$(date -d x +%F)/etc\"");
    let paths: Vec<String> = found.deletes.iter().map(|effect| effect.path.written()).collect();
    assert_eq!(paths, ["/home/u/proj/$(date -d x +%F)/etc", "/etc"]);
    for text in [
        "cp a /tmp/$(date +%D)",
        "cp a /tmp/$(date +%c)",
        "cp a /tmp/$(date +$X)",
        "cp a /tmp/$(date +../%F)",
        "cp a /tmp/$(git rev-parse --short $X)",
        "PATH=/tmp/x:$PATH; cp a /tmp/$(date +%F)",
        "cp a /tmp/$(uname -a)",
    ] {
        assert!(effects(text).writes[0].path.known().is_none(), "{text}");
    }
    // Letters are what they are: an option is not made up by them.
    assert_eq!(
        effects("date() { echo ../x; }; cp a t/$(date +%F)").writes[0].path.written(),
        "/home/u/proj/x"
    );
}

#[test]
fn what_is_cut_off_a_value_is_known() {
    for (text, expected) in [
        ("f=a/b.ts; cp x ${f%.ts}.js", "/home/u/proj/a/b.js"),
        ("f=a/b.tar.gz; cp x ${f%.*}", "/home/u/proj/a/b.tar"),
        ("f=a/b.ts; cp x o/${f##*/}", "/home/u/proj/o/b.ts"),
        ("f=a/b.ts; cp x ${f%/*}/c", "/home/u/proj/a/c"),
        ("f=a/b.ts; cp x o/${f#a/}", "/home/u/proj/o/b.ts"),
        ("f=a; cp x ${f:?}/b", "/home/u/proj/a/b"),
        ("f=a; cp x ${f:-c}/b", "/home/u/proj/a/b"),
        ("for f in s/*.ts; do cp x \"o/$(basename \"$f\" .ts).js\"; done", "/home/u/proj/o/*.js"),
        ("cp x \"$(dirname a/b/c)/d\"", "/home/u/proj/a/b/d"),
        ("for s in $(seq 1 9); do cp x l/$s; done", "/home/u/proj/l/1"),
        ("cp x l/$((n + 1))", "/home/u/proj/l/$((n + 1))"),
    ] {
        assert_eq!(effects(text).writes[0].path.written(), expected, "{text}");
    }
    for text in [
        "cp x ${f%.ts}.js",
        "f=a.ts; cp x ${f%'.*'}",
        "cp x ${f:-a}",
        "f=; cp x ${f:-$Y}",
        "cp x o/$(basename \"$f\")",
        "f=$Y; cp x ${f##*/}",
        "cp x $(dirname \"$f\")/a",
    ] {
        assert!(effects(text).writes[0].path.known().is_none(), "{text}");
    }
}

#[test]
fn words_that_are_no_options_are_told() {
    let holds = |pattern: &str, text: &str| {
        RunPatterns::parse(&[pattern]).unwrap().find(&effects(text)).truth
    };
    for (pattern, text, expected) in [
        ("kill ** -1 **", "kill -9 $(cat x.pid)", Truth::False),
        ("kill ** -1 **", "lsof -ti:3000 | xargs kill", Truth::False),
        ("kill ** -1 **", "npm start & kill $!", Truth::False),
        ("kill ** -1 **", "P=-1; kill -9 $P", Truth::True),
        ("kill ** -1 **", "kill -9 $(echo -1)", Truth::True),
        ("kill ** -1 **", "kill -9 $(printf -- -1)", Truth::True),
        ("kill ** -1 **", "echo -1 | xargs kill -9", Truth::Unknown),
        ("kill ** -1 **", "xargs kill -9 <<< -1", Truth::Unknown),
        ("kill ** *gate* **", "kill $(pgrep hookgate)", Truth::True),
        ("git push --force|-f", "git push origin \"$(git branch --show-current)\"", Truth::False),
        ("git push --force|-f", "B=`git rev-parse HEAD`; git push origin $B", Truth::False),
        ("git push +*", "B=$(git branch --show-current); git push -u origin $B", Truth::False),
        ("git push *@*:*", "git push -u origin $(git branch --show-current)", Truth::False),
        ("git push ** main", "B=$(git branch --show-current); git push origin $B", Truth::Unknown),
        ("git push +*", "git push origin $(cat b)", Truth::Unknown),
        ("git push --force|-f", "git push origin $(git branch)", Truth::Unknown),
    ] {
        assert_eq!(holds(pattern, text), expected, "{pattern} {text}");
    }
}
