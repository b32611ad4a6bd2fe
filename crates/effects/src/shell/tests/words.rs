//! Words, variables and folders.

use super::*;

#[test]
fn quotes_are_removed_and_decide() {
    all(
        &[
            ("r\\m 'a b' \"c d\"", "rm a b c d"),
            ("$'\\x72m' $'a\\tb'", "rm a\tb"),
            ("r''m ''", "rm ''"),
            ("rm '$HOME' \"~\" ~ ~/x $HOME/x", "rm $HOME ~ /home/u /home/u/x /home/u/x"),
            ("rm '/*' /* [ab]", "rm /* /[*] [[ab]]"),
            ("dd of=~/x", "dd of=/home/u/x"),
            ("ls ~root", "ls <~root>"),
            ("{rm,-rf,/}", "rm -rf /"),
            ("rm a{1..3}b{x,y}", "rm a1bx a1by a2bx a2by a3bx a3by"),
            ("echo '{a,b}' {a} a{b,'c d'}", "echo {a,b} {a} ab ac d"),
            ("rm${IFS}-rf${IFS}/", "rm -rf /"),
        ],
        last,
    );
}

#[test]
fn constants_are_followed_in_a_straight_line() {
    all(
        &[
            ("X=rm; $X -rf /", "rm -rf /"),
            ("a=r; b=m; $a$b \"$a b\"", "rm r b"),
            ("X='rm -rf'; $X /", "rm -rf /"),
            ("X='a b'; rm \"$X\"", "rm a b"),
            ("a=(rm -rf /); \"${a[@]}\"", "rm -rf /"),
            ("X=a; X+=b; rm $X", "rm ab"),
            ("X=/tmp/$USER; rm \"$X\"", "rm /tmp/<$USER>"),
            ("rm $X \"$Y\" ${Z:-a}", "rm <$X…> <$Y> <${Z:-a}…>"),
            ("X=a; read X; rm \"$X\"", "rm <$X>"),
            ("X=a; if b; then X=c; fi; rm \"$X\"", "rm <$X>"),
            ("X=a; if b; then X=c; rm \"$X\"; fi", "rm c"),
            ("X=a; (X=c); rm \"$X\"", "rm a"),
            ("X=a; b | X=c; rm \"$X\"", "rm <$X>"),
            ("X=a; false && X=b; rm \"$X\"", "rm <$X>"),
            ("X=a; true || X=b; rm \"$X\"", "rm <$X>"),
            ("cd /x && X=b; rm \"$X\"", "rm <$X>"),
            ("while a; do rm \"$X\"; X=b; done", "rm <$X>"),
            ("X=a; source f; rm \"$X\"", "rm <$X>"),
            ("X=$(echo a b); rm \"$X\"", "rm a b"),
            ("declare -u X=a; rm $X", "rm A"),
            ("X=a; f() { local X=b; }; f; rm $X", "rm a"),
            ("f() { rm \"$1\" \"$2\"; }; f x 'y z'", "rm x y z"),
            ("f() { rm \"$@\"; }; f x \"$y\"", "rm x <$y>"),
            ("set -- a b; shift; rm \"$1\"", "rm b"),
            ("set -- a; shift 2; rm \"$1\"", "rm <$1>"),
            ("IFS=:; X=a:b; rm $X", "rm <$X…>"),
            ("((X=1)); rm $X", "rm <$X…>"),
        ],
        last,
    );
}

#[test]
fn what_may_not_have_run_changes_nothing_for_sure() {
    for (text, expected) in [
        ("X=a; cd b && X=c; rm $X", "rm <$X…>"),
        ("X=a; cd b && X=c || rm $X", "rm <$X…>"),
        ("X=a; cd b && { X=c; } && d; rm $X", "rm <$X…>"),
        ("X=a; mkdir -p b && X=c; rm $X", "rm <$X…>"),
        ("X=a; : < b && X=c; rm $X", "rm <$X…>"),
        ("X=a; exec 1>&-; echo b && X=c; rm $X", "rm <$X…>"),
        ("X=a; echo b > c && X=d; rm $X", "rm <$X…>"),
        ("X=a; printf %d b && X=c; rm $X", "rm <$X…>"),
        ("X=a; ! true && X=c; rm $X", "rm <$X…>"),
        ("X=a; set -o b && X=c; rm $X", "rm <$X…>"),
        ("X=a; set -e && X=c; rm $X", "rm c"),
        ("X=a; export 1b=c && X=d; rm $X", "rm <$X…>"),
        ("X=a; export B=c && X=d; rm $X", "rm d"),
        ("X=a; readonly B=c; B=d && X=e; rm $X", "rm <$X…>"),
        ("X=a; UID=1 && X=c; rm $X", "rm <$X…>"),
        ("X=a; B=$(c) && X=d; rm $X", "rm <$X…>"),
        ("X=a; echo $((1/0)) && X=c; rm $X", "rm <$X…>"),
        ("true() { false; }; X=a; true && X=c; rm $X", "rm <$X…>"),
        ("cd b && X=c && rm $X", "rm c"),
        ("X=a && Y=b && true && X=c; rm $X", "rm c"),
    ] {
        assert_eq!(last(text), expected, "{text}");
    }
    let reading = reading("mkdir -p a && cd a && X=b; rm c");
    let run = reading.runs.last().expect("a run");
    assert!(run.cwd.as_deref().is_some_and(|cwd| cwd.ends_with("/a")), "{run:?}");
}

#[test]
fn a_loop_over_known_words_runs_once_for_each() {
    all(
        &[
            ("for d in /etc /usr; do rm -rf \"$d\"; done", "rm *rm"),
            ("for d in a b c; do make; done", "make"),
            ("for d in *; do rm $d; done", "rm"),
            ("for d in $(ls); do rm $d; done", "ls rm"),
        ],
        names,
    );
    for text in [
        "for d in /tmp /tmp /etc; do rm \"$d\"; done",
        "for d in 'a  b' 'a b' /etc; do rm $d; done",
        "for d in a a /etc; do > \"$d\"; done; rm /etc",
    ] {
        assert_eq!(last(text), "rm /etc", "{text}");
    }
    let reading = reading("for d in a a /etc/x; do > \"$d\"; done");
    assert_eq!(show(&reading.redirects.last().expect("one").redirect.target), "/etc/x");
    assert_eq!(last("for d in /etc /usr; do rm -rf \"$d\"; done"), "rm -rf /usr");
}

#[test]
fn the_folder_is_that_of_the_point_in_the_line() {
    for (text, expected) in [
        ("x", Some("/home/u/p")),
        ("cd a && x", Some("/home/u/p/a")),
        ("cd ../b; x", Some("/home/u/b")),
        ("cd; x", Some("/home/u")),
        ("cd ~/a/./b; x", Some("/home/u/a/b")),
        ("(cd /a); x", Some("/home/u/p")),
        ("cd /a | y; x", Some("/home/u/p")),
        ("cd \"$d\"; x", None),
        ("cd -; x", None),
        ("if y; then cd /a; fi; x", None),
        ("y && cd /a; x", None),
        ("mkdir -p a && cd a; x", Some("/home/u/p/a")),
        ("cd a || exit 1; x", Some("/home/u/p/a")),
        ("pushd /a; popd; x", Some("/home/u/p")),
        ("while y; do cd a; x; done", None),
        ("for i in *; do (cd /a; x); done", Some("/a")),
        ("env -C /a x", Some("/a")),
        ("sudo -D /a x", Some("/a")),
        ("sh -c 'cd /a; x'", Some("/a")),
        ("sh -c 'cd /a'; x", Some("/home/u/p")),
        ("CDPATH=/a; cd b; x", None),
    ] {
        let reading = reading(text);
        let run = reading.runs.iter().find(|run| run.name().as_deref() == Some("x"));
        assert_eq!(run.expect("x runs").cwd.as_deref(), expected, "{text}");
    }
}

#[test]
fn where_a_folder_may_not_be_there_the_shell_may_have_stayed_and_gone_on_from_there() {
    for (text, expected) in [
        ("x", &[][..]),
        ("cd /; x", &[]),
        ("cd none; x", &["/home/u/p"]),
        ("cd none && true; x", &["/home/u/p"]),
        ("cd none && x", &[]),
        // The second may lead somewhere after the first has failed, or fail as well.
        ("cd /none; cd etc; x", &["/home/u/p/etc", "/none", "/home/u/p"]),
        ("cd /none && y; cd ../etc; x", &["/home/u/etc"]),
        ("cd /none; cd /nor; x", &["/none", "/home/u/p"]),
        ("cd none; cd /; x", &[]),
        ("cd /none; cd \"$d\"; x", &["?"]),
        ("cd a; cd b; cd c; x", &["/home/u/p/b/c", "/home/u/p/a/c", "/home/u/p/a/b", "/home/u/p"]),
    ] {
        let reading = reading(text);
        let run = reading.runs.iter().find(|run| run.name().as_deref() == Some("x"));
        let stays = run.expect("x runs").stays_in();
        let stays: Vec<&str> = stays.iter().map(|it| it.as_deref().unwrap_or("?")).collect();
        assert_eq!(stays, expected, "{text}");
    }
}

#[test]
fn redirections_belong_to_their_program_or_to_none() {
    let reading = reading("cd /a; cat < in > out 2>&1; > alone; { b; } >> group; c >&both 2>$f");
    let files: Vec<String> = reading
        .runs
        .iter()
        .flat_map(|run| &run.redirects)
        .map(|redirect| show(&redirect.target))
        .collect();
    assert_eq!(files, ["in", "out", "both", "<$f…>"]);
    let loose: Vec<(String, Option<&str>)> = reading
        .redirects
        .iter()
        .map(|loose| (show(&loose.redirect.target), loose.cwd.as_deref()))
        .collect();
    assert_eq!(loose, [("alone".to_owned(), Some("/a")), ("group".to_owned(), Some("/a"))]);
}
