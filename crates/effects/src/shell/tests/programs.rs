//! Programs that run others.

use super::*;
use crate::word::{Word, WordPart};

#[test]
fn wrappers_keep_their_own_run() {
    all(
        &[
            ("sudo -nu root rm x", "sudo rm"),
            ("sudo -E A=1 rm x", "sudo rm"),
            ("sudo -i 'rm x; ls'", "sudo rm ls"),
            ("sudo -s", "sudo sh !"),
            ("sudo -l", "sudo"),
            ("env -i A=1 B=2 nice -n 5 rm x", "env nice rm"),
            ("env -S 'rm -rf' /", "env rm"),
            ("env -vS 'sh -c \"rm x\"'", "env sh rm"),
            ("env", "env"),
            ("nice --5 rm x; nice -5 rm x", "nice rm nice rm"),
            ("timeout --kill=1 -s KILL 5 rm x", "timeout rm"),
            ("timeout --zap 5 rm x", "timeout rm !"),
            ("nohup sudo -- time rm x", "nohup sudo time rm"),
            ("time -p rm; 'time' -f x rm", "time rm time rm"),
            ("time -q x", "time -q"),
            ("command -v rm; command rm x; exec -a y rm", "command command rm exec rm"),
            ("flock /l -c 'rm x'; flock -n /l rm x", "flock rm flock rm"),
            ("su - root -c 'rm x'; runuser -u u -- rm x", "su rm runuser rm"),
            ("watch -n 1 'ls; rm'; watch -x rm x", "watch ls rm watch rm"),
            ("script -c 'rm x' /dev/null", "script rm"),
            (
                "chroot /m rm; taskset 1 rm; ionice -c3 rm; setsid rm",
                "chroot rm taskset rm ionice rm setsid rm",
            ),
            ("systemd-run --user --unit=x rm", "systemd-run rm"),
            ("busybox rm x; unbuffer rm x", "busybox rm unbuffer rm"),
            ("hyperfine -N 'ls a' 'rm x' --warmup 3", "hyperfine ls rm"),
            ("hyperfine --prepare 'rm x' --reference 'rm y' ls", "hyperfine rm rm ls"),
            ("env $VARS prog", "env $VARS !"),
        ],
        names,
    );
}

#[test]
fn words_may_come_from_elsewhere() {
    all(
        &[
            ("find . -name -exec -exec rm {} \\; -exec ls {} +", "find rm ls"),
            ("find . -delete", "find"),
            ("find . -exec {} \\;", "find ./{} !"),
            ("fd -e o -x rm", "fd rm"),
            ("ls | xargs -0 -I% rm a/%", "ls xargs rm"),
            ("xargs", "xargs"),
            ("ls | xargs sh -c 'rm \"$@\"' _", "ls xargs sh rm"),
            ("ls | xargs -I{} sh -c '{}'", "ls xargs sh {} !"),
            ("ls | xargs env", "ls xargs env !"),
            ("parallel rm ::: a b", "parallel rm"),
            ("parallel < jobs", "parallel !"),
            ("parallel ::: 'rm x' ls", "parallel rm ls"),
            ("seq 3 | parallel 'sleep 1; echo {}'", "seq parallel sleep echo"),
            ("seq 3 | parallel 'rm x; touch'", "seq parallel rm touch"),
            ("ls | parallel '{} x; ls'", "ls parallel {} ls !"),
            ("ls | parallel 'ls; sh -c {}'", "ls parallel ls sh {} !"),
            ("parallel 'rm {}; ls' ::: a b", "parallel rm ls rm ls"),
            ("ls | parallel {}", "ls parallel {} !"),
            ("ls | parallel sh -c", "ls parallel sh !"),
            ("ls | parallel sudo", "ls parallel sudo !"),
            ("ls | parallel -I% 'sh -c %'", "ls parallel sh {} !"),
        ],
        names,
    );
    assert_eq!(last("parallel 'ls; rm {}' ::: /etc/x"), "rm /etc/x");
    assert_eq!(last("ls | parallel 'ls; rm /etc/{}'"), "rm /etc/<{}>");
    assert!(reading("ls | parallel rm").runs.last().expect("a run").more_args);
    assert_eq!(last("find /etc -exec rm {} +"), "rm /etc/<{}>");
    assert!(reading("ls | xargs rm").runs.last().expect("a run").more_args);
}

/// Words are those of a search if nothing else writes them.
#[test]
fn the_search_that_words_come_from_is_known() {
    let search =
        |line: &str| reading(line).runs.last().and_then(|run| run.search.clone()).is_some();
    for line in [
        "ls | xargs cat",
        "find . -name x | sort | head -3 | xargs cat",
        "git ls-files | grep x | xargs cat",
        "grep -rl x | xargs cat",
        "rg -l x | xargs cat",
        "find . -name x | parallel cat",
        "ls | (cd x; xargs cat)",
        "cat $(find . -name x)",
        "cat \"$(git ls-files | sort | head -3)\"",
        "F=$(ls); cat $F",
        "for f in $(git diff --name-only); do cat \"$f\"; done",
    ] {
        assert!(search(line), "{line}");
    }
    for line in [
        "cat $(cat l)",
        "cat ./$(ls)",
        "cat $(ls; cat l)",
        "cat $(ls && cat l)",
        "cat $(cat l | grep x)",
        "cat $(git ls-files | grep x)",
        "cat $(ls | (cat l; grep x))",
        "cat $(ls < l; cat < l)",
        "F=$(ls); F=$(cat l); cat $F",
        // The same text with another meaning.
        "X=/etc; F=$(ls $X); X=.; : $(ls $X); cat $F",
        "f() { cat l; }; F=$(f); f() { ls; }; : $(f); cat $F",
        "F=$(ls); cd /etc; : $(ls); cat $F",
        "cat l | xargs cat $(ls)",
        "ls; xargs cat < l",
        "ls | xargs cat < l",
        "ls | xargs cat <<< /etc/x",
        "ls | xargs -a l cat",
        "ls | parallel -a l cat",
        "ls | parallel cat :::: l",
        "ls; xargs cat",
        "{ cat l; ls; } | xargs cat",
        "f() { cat l; ls; }; f | xargs cat",
        "grep x l | xargs cat",
        "ls | grep -e x l | xargs cat",
        "ls | grep -rh x | xargs cat",
        "ls | grep x < l | xargs cat",
        "find . -exec echo /etc/x \\; | xargs cat",
        "cat l | tee >(xargs cat)",
        "cat l | grep x | xargs cat",
        "ls | grep x \"$F\" | xargs cat",
        "ls | sort \"$F\" | xargs cat",
    ] {
        assert!(!search(line), "{line}");
    }
}

#[test]
fn other_machines_are_remote() {
    all(
        &[
            ("ssh -p 22 u@h sudo rm x", "ssh @sudo @rm"),
            ("ssh h 'cd /x && rm y'; ls", "ssh @cd @rm ls"),
            ("docker run --rm -v /:/h alpine sh -c 'rm x'", "docker @sh @rm"),
            ("docker exec -it -u 0 c rm x", "docker @rm"),
            ("docker compose -f a.yml exec db dropdb x", "docker @dropdb"),
            ("docker run --entrypoint rm img x", "docker @rm"),
            ("kubectl -n p exec pod -c app -- rm x", "kubectl @rm"),
            ("docker ps", "docker"),
            ("gcloud compute ssh vm --command 'rm x' --zone z", "gcloud @rm"),
            ("gcloud beta compute ssh --zone z vm -- 'rm x'", "gcloud @rm"),
            ("gcloud compute ssh vm --zone z", "gcloud"),
            ("doctl compute ssh d --ssh-command='rm x'", "doctl @rm"),
            ("vagrant ssh web -c 'rm x'", "vagrant @rm"),
            ("fly ssh console -a app -C 'rm x'", "fly @rm"),
            ("gh codespace ssh -c x -- rm x; gh cs ssh 'rm x'", "gh @rm gh @rm"),
            ("minikube ssh -p x -- rm x; minikube ssh 'rm x'", "minikube @rm minikube @rm"),
            ("pdsh -w h[1-3] 'rm x'; pssh -H h rm x", "pdsh @rm pssh @rm"),
            ("clush -g all rm x; parallel-ssh -h f 'rm x'", "clush @rm parallel-ssh @rm"),
        ],
        names,
    );
}

#[test]
fn task_runners_and_carriers_run_programs() {
    all(
        &[
            ("uv run --with x git push", "uv +git"),
            ("npx -y rimraf x; npx -c 'rm x'", "npx +rimraf npx +rm"),
            ("poetry run -- pytest; bundle exec rake x", "poetry +pytest bundle +rake"),
            ("git -c alias.x='!rm -rf' x y", "git +rm"),
            ("git -c alias.p='push --force' p o", "git +git"),
            ("git config --global alias.p 'push --force' && git p", "git +git git"),
            ("git config set alias.x '!rm -rf x'", "git +rm"),
            ("git config --get alias.x", "git"),
            ("make -f - <<E\nall:; rm -rf /\nE", "make !"),
            ("make -f rules.mk all", "make"),
            ("git -c core.sshCommand='rm x' fetch", "git +rm"),
            ("git -c core.sshCommand=\"$x\" fetch", "git !"),
            ("git clone -c core.sshCommand='rm x' --config=core.pager='rm y' u", "git +rm +rm"),
            ("rustup run stable rm x; cargo flamegraph -o f -- rm x", "rustup +rm cargo +rm"),
            ("poop 'rm x' 'ls'; sbatch --wrap 'rm x'", "poop rm ls sbatch +rm"),
            ("chokidar 'src/**' -c 'rm x'; bpftrace -c 'rm x' -e e", "chokidar +rm bpftrace +rm"),
            ("xterm -geometry 80x24 -e 'rm x'", "xterm +rm"),
            ("xterm -e rm x; xterm -hold -e sh -c 'rm x'", "xterm +rm xterm +sh +rm"),
            ("lxterminal --command='rm x'; xterm", "lxterminal +rm xterm"),
            ("git -c color.ui=never -C /x log", "git"),
            ("git -c core.hooksPath=/tmp/h commit", "git !"),
            ("git -c core.hooksPath=$H commit", "git !"),
            ("git -c core.hooksPath=../h commit", "git !"),
            ("git config core.hooksPath .husky", "git"),
            ("git submodule foreach 'rm x'", "git +rm"),
            ("git rebase -x 'rm x' main", "git +rm"),
            ("git bisect run rm x", "git +rm"),
            ("git \"$S\" -f", "git !"),
            ("GIT_SSH_COMMAND='rm x' git fetch", "git +rm"),
            ("PAGER=cat git log", "git +cat"),
            ("export GIT_PAGER='rm x'", "+rm export"),
            ("LD_PRELOAD=/x ls; NODE_OPTIONS=--max-old-space-size=4096 npm t", "ls npm !"),
            ("ssh -o ProxyCommand='rm x' h", "ssh +rm"),
            ("tar xf a --to-command='rm x'", "tar +rm"),
            ("tar xIf 'rm x' a", "tar +rm"),
            ("tmux -c 'rm x'; just -c rm x; just build", "tmux +rm just +rm just"),
            ("lldb -b -o 'platform shell rm x' a", "lldb +rm"),
            ("lldb -b -o run -- rm x", "lldb +rm"),
            ("capsh --print -- -c 'rm x'", "capsh +bash +rm"),
            ("tar cf a b --checkpoint-action=exec='rm x'", "tar +rm"),
            ("rsync -e 'ssh -p 2' a b", "rsync +ssh"),
            (
                "tmux new-session -ds a 'rm x'; tmux send-keys -t 0 'rm y' Enter",
                "tmux +rm tmux +rm",
            ),
            (
                "echo 'rm x' | at now; printf '* * * * * rm x\\n' | crontab -",
                "echo at +rm printf crontab +rm",
            ),
            ("sed 's/a/b/e' f; sed -n '1e rm' f", "sed sed +rm !"),
            ("echo 'rm x' | sed e; sed 'e;p' < f", "echo sed +rm sed !"),
            ("ed -s f <<< '!rm x'; ed -s f <<< '1d'; ed f < g", "ed +rm ed ed !"),
            ("ex -sc '%!rm x' f; vim -c 'wq!' f; vi +'r !rm x' f", "ex +rm vim vi +rm"),
            ("printf '%s\\n' '1d' '!rm x' w q | ed f", "printf ed +rm"),
            ("sed -i 's/a/b/g' f", "sed"),
            ("socat TCP:h:1 EXEC:'rm x'", "socat +rm"),
        ],
        names,
    );
}

#[test]
fn a_program_that_is_not_known_may_run_its_words() {
    all(
        &[
            ("notarealwrapper rm -rf /", "notarealwrapper rm !"),
            ("notarealwrapper --x /bin/rm y", "notarealwrapper rm !"),
            ("notarealwrapper 'rm -rf /'", "notarealwrapper"),
            ("echo rm -rf /; git commit -m 'rm -rf /'; which rm", "echo git which"),
        ],
        names,
    );
}

#[test]
fn plain_words_are_given_to_programs() {
    let words = |text: &str| -> Vec<String> {
        let reading = reading(text);
        let run = reading.runs.last().expect("a run");
        assert!(!run.more_args, "{text}");
        run.args.iter().map(Word::written).collect()
    };
    assert_eq!(words("docker ps -q | xargs docker inspect"), ["inspect", "$(docker ps -q)"]);
    assert_eq!(
        words("kubectl get po -o name | xargs -I{} echo x/{}"),
        ["x/$(kubectl get po -o name)"]
    );
    for text in [
        "docker ps | xargs docker inspect",
        "cat list | grep a | xargs rm",
        "{ docker ps -q; cat l; } | xargs rm",
    ] {
        assert!(reading(text).runs.last().expect("a run").more_args, "{text}");
    }
    let part =
        |written: &str| WordPart::Unknown { written: written.into(), splits: true, plain: false };
    for plain in ["$(git merge-base a b)", "$(lsof -ti:3000)", "$(git log --format=%h -3)"] {
        assert!(part(plain).is_plain_name(), "{plain}");
    }
    for other in [
        "$(git log --format=%s)",
        "$((n - 1))",
        "$(docker ps)",
        "$(pgrep a; cat b)",
        "$(git rev-list --pretty=%s a)",
    ] {
        assert!(!part(other).is_plain_name(), "{other}");
    }
}

#[test]
fn the_words_of_a_function_stay_known_in_its_loops() {
    all(
        &[
            ("r() { until \"$@\"; do sleep 1; done; }; r npm ci", "npm sleep"),
            ("r() { for i in 1 2; do \"$@\" && break; done; }; r npm ci", "npm break"),
            ("r() { while ((n++ < 3)); do \"$@\"; done; }; r npm ci", "npm"),
            ("r() { while \"$1\"; do shift; done; }; r npm ci", "$1 shift !"),
            ("r() { while \"$@\"; do x; done; }; r set -- rm", "$@ x !"),
            ("r() { while \"$@\"; do eval \"$X\"; done; }; r npm ci", "$@ eval $X !"),
        ],
        names,
    );
}

#[test]
fn names_may_mean_something_else() {
    for (text, expected) in [
        ("PATH=/tmp/x:$PATH; ls", true),
        ("export PATH=\"$HOME/bin:$PATH\"; ls", false),
        ("export PATH=/opt/x/bin:~/.cargo/bin:$PATH; ls", false),
        ("PATH=\"$X/bin:$PATH\" ls", true),
        ("mkdir ~/bin; cp a ~/bin/ls; PATH=~/bin:$PATH; ls", true),
        ("export PATH=\"$PATH:/x\"; ls", false),
        ("PATH=/usr/bin:/bin ls", false),
        ("hash -p /bin/rm ls; ls", true),
        ("alias ls='rm'; ls", true),
        ("alias ls='ls -l'; ls", false),
    ] {
        let reading = reading(text);
        assert_eq!(reading.runs.last().expect("a run").renamed, expected, "{text}");
    }
    // A function hides a program, `command` does not see it.
    all(
        &[("ls() { rm x; }; ls; \\ls", "rm rm"), ("ls() { rm x; }; command ls", "command ls")],
        names,
    );
}

#[test]
fn programs_in_code_of_others_are_told() {
    all(
        &[
            ("ruby -run -e rm -- -r x", "ruby rm"),
            ("ruby -r un -e httpd", "ruby un-httpd"),
            ("ruby -e rm x", "ruby"),
            ("py-spy record -o p.svg -- python x.py", "py-spy python"),
            ("py-spy top --pid 1", "py-spy"),
            ("python3 -c 'import subprocess; subprocess.run([\"ls\", \"a b\"])'", "python3 +ls"),
        ],
        names,
    );
}

#[test]
fn the_folder_of_the_history_is_told() {
    for (text, expected) in [
        ("cat \"$(git rev-parse --git-dir)/HEAD\"", Some(".git/HEAD")),
        ("cat $(git -C x rev-parse --git-dir)/HEAD", None),
        ("GIT_DIR=x; cat $(git rev-parse --git-dir)/HEAD", None),
    ] {
        let reading = reading(text);
        let word = reading.runs.last().and_then(|run| run.args.first()).expect("a word");
        assert_eq!(word.known().as_deref(), expected, "{text}");
    }
}

#[test]
fn a_tag_is_no_option() {
    for (text, expected) in [
        ("git checkout $(git describe --tags --abbrev=0)", true),
        ("git checkout $(git describe --tags --dirty=x)", false),
        ("git() { cat x; }; git checkout $(git describe)", false),
    ] {
        let reading = reading(text);
        let word = reading.runs.last().and_then(|run| run.args.last()).expect("a word");
        let is_name = word.parts.iter().all(|part| part.is_plain_name());
        assert_eq!(is_name, expected, "{text}");
    }
}

#[test]
fn a_loop_over_many_numbers_gives_a_number() {
    assert_eq!(last("for i in $(seq 1 254); do x a.$i; done"), "x a.<$((i))…>");
}
