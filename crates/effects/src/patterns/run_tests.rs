//! Run patterns against runs.

use super::*;
use crate::effects::{Effects, Unclear, UnclearWhat};
use crate::run::{CodeFrom, Place, Run};
use crate::word::{Word, WordPart};

/// A run as its words stand here: `$x` is unknown, `"$x"` is one unknown word.
fn run(text: &str) -> Run {
    let mut words = text.split(' ').map(|word| match word.trim_matches('"') {
        bare if bare.contains('$') => {
            let (before, rest) = bare.split_at(bare.find('$').unwrap());
            let mut known = Word::default();
            if !before.is_empty() {
                known.push(WordPart::Text(before.into()));
            }
            known.push(WordPart::Unknown {
                written: rest.into(),
                splits: !word.contains('"'),
                plain: false,
            });
            known
        }
        _ => Word::text(word),
    });
    Run { program: words.next().unwrap(), args: words.collect(), ..Run::default() }
}

fn ask(pattern: &str, text: &str) -> Truth {
    RunPatterns::parse(&[pattern]).unwrap().matches(&run(text))
}

fn is(pattern: &str, text: &str) {
    assert_eq!(ask(pattern, text), Truth::True, "`{pattern}` against `{text}`");
}

fn is_not(pattern: &str, text: &str) {
    assert_eq!(ask(pattern, text), Truth::False, "`{pattern}` against `{text}`");
}

fn may_be(pattern: &str, text: &str) {
    assert_eq!(ask(pattern, text), Truth::Unknown, "`{pattern}` against `{text}`");
}

#[test]
fn answers_on_typical_rows() {
    let pattern = "git push --force|-f";
    for text in [
        "git -C /x push -fu o m",
        "git push --force",
        "git push origin main -f",
        "/usr/bin/git push --force",
        "git -c a.b=c --no-pager push -f",
        // Some versions of git refuse it, since `--force-with-lease` begins so, too; others push by force.
        "git push --forc",
    ] {
        is(pattern, text);
    }
    for text in [
        "git commit -m git push -f",
        "git push --dry-run --force",
        "git push -- --force",
        "git push --force-with-lease",
        "git pushf",
        "git push origin main",
        "git log push -f",
        "git push --force --help",
        "gitx push -f",
    ] {
        is_not(pattern, text);
    }
    for text in
        ["git push $OPTS", "git $S -f", "$G push -f", "unknownwrap git push -f", "git push -$F"]
    {
        may_be(pattern, text);
    }
    is_not(pattern, "unknownwrap git status");
    is_not(pattern, "echo git push -f");
    let mut more = run("git push");
    more.more_args = true;
    assert_eq!(RunPatterns::parse(&[pattern]).unwrap().matches(&more), Truth::Unknown);
    more.args.push(Word::text("--"));
    assert_eq!(RunPatterns::parse(&[pattern]).unwrap().matches(&more), Truth::False);
}

#[test]
fn words_and_wildcards() {
    is("git push +*", "git push origin +main");
    is_not("git push +*", "git push origin main");
    is("git push * main", "git push origin main");
    is_not("git push * main", "git push main");
    is("git ** main", "git push origin main");
    is("mkfs*", "mkfs.ext4 /dev/sda");
    is("npm publish|unpublish", "npm unpublish x");
    is("rm /", "rm -rf build /");
    is("* --force", "anything --force");
    is("git|hg push", "hg push");
    is("/bin/rm", "/bin/rm x");
    is_not("/bin/rm", "rm x");
    is("rm", "rm");
    is("rm", "C:/tools/rm.exe x");
    is_not("rm", "rm-old-logs");
}

#[test]
fn options() {
    is("rm -rf", "rm -fr x");
    is("rm -rf", "rm --recursive -v --force x");
    is("rm -rf", "rm x -R -f");
    is("rm --recursive", "rm --recurs x");
    is_not("rm -rf", "rm -r x");
    is_not("rm -r", "rm -- -r");
    is("git reset --hard", "git reset --har HEAD");
    is("git branch -D", "git branch -D x");
    is_not("git branch -D", "git branch -d x");
    is("terraform destroy -auto-approve", "terraform -chdir=x destroy -auto-approve");
    is("find -delete", "find . -name x -delete");
    is("curl -X DELETE", "curl -s -XDELETE https://a.com");
    is("curl -X=DELETE|POST", "curl --request DELETE https://a.com");
    is_not("curl -X DELETE", "curl -X GET https://a.com/DELETE");
    let mut psql = run("psql -c x");
    psql.args[1] = Word::text("drop table users");
    let list = RunPatterns::parse(&["psql --command='*drop *'|'*truncate *'"]).unwrap();
    assert_eq!(list.matches(&psql), Truth::True);
    is("kubectl delete -n prod", "kubectl --namespace=prod delete pod x");
    is("docker run --privileged", "docker run -it --privileged alpine sh");
    is_not("docker run --privileged", "docker run alpine sh --privileged");
    is("sudo -s", "sudo -u root -s");
    is_not("sudo -s", "sudo ls -s");
    may_be("rm -r", "rm \"$x\"");
    may_be("mytool --force", "mytool --forc");
    is("mytool -rf", "mytool -fr");
    is_not("git push --force", "git push origin -n");
    may_be("git push --force", "git push \"$BRANCH\"");
    is_not("git push --force", "git push x$BRANCH");
}

#[test]
fn lists_take_out() {
    let list = RunPatterns::parse(&["git push --force", "!git push --dry-run"]).unwrap();
    assert_eq!(list.matches(&run("git push --force")), Truth::True);
    assert_eq!(list.matches(&run("git push --force -n")), Truth::False);
    assert_eq!(list.matches(&run("git push --force $X")), Truth::Unknown);
}

#[test]
fn tables_ask_the_same_run() {
    let one = |table: RunTable| {
        let mut list = RunPatterns::default();
        list.add_table(&table).unwrap();
        list
    };
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let push = one(RunTable {
        program: texts(&["git"]),
        words: texts(&["push"]),
        flags: texts(&["--force", "-d"]),
        no_flags: texts(&["-n"]),
        operand: texts(&["main|x", "main"]),
        ..RunTable::default()
    });
    assert_eq!(push.matches(&run("git push -f origin main")), Truth::True);
    assert_eq!(push.matches(&run("git push --dry-run -f origin main")), Truth::False);
    assert_eq!(push.matches(&run("git push -f origin dev")), Truth::False);
    assert_eq!(push.matches(&run("git push -f origin $B")), Truth::Unknown);
    let upload = one(RunTable {
        program: texts(&["scp|rsync"]),
        last: texts(&["*:/etc/*"]),
        ..RunTable::default()
    });
    assert_eq!(upload.matches(&run("scp -r x y h:/etc/z -v")), Truth::True);
    assert_eq!(upload.matches(&run("scp h:/etc/z .")), Truth::False);
    assert_eq!(upload.matches(&run("scp h:/etc/z $TO")), Truth::Unknown);
    assert_eq!(upload.matches(&run("scp")), Truth::False);
    let more = Run { more_args: true, ..run("scp h:/etc/z .") };
    assert_eq!(upload.matches(&more), Truth::Unknown);
    let network = one(RunTable { code_from: vec![CodeFrom::Network], ..RunTable::default() });
    let mut shell = run("sh");
    assert_eq!(network.matches(&shell), Truth::False);
    shell.code_from = Some(CodeFrom::Network);
    assert_eq!(network.matches(&shell), Truth::True);
    let via = one(RunTable {
        program: texts(&["rm"]),
        via: texts(&["sudo|doas"]),
        place: Some(Place::Local),
        env: texts(&["A=1*", "B"]),
        ..RunTable::default()
    });
    let mut rm = run("rm x");
    assert_eq!(via.matches(&rm), Truth::False);
    rm.via = texts(&["sudo", "env"]);
    rm.env = vec![("A".into(), Word::unknown("$Y", false))];
    assert_eq!(via.matches(&rm), Truth::Unknown);
    rm.env = vec![("A".into(), Word::text("12"))];
    assert_eq!(via.matches(&rm), Truth::True);
    let nothing = RunPatterns::default().add_table(&RunTable::default()).unwrap_err();
    assert_eq!(nothing.fault, PatternFault::AsksNothing);
}

#[test]
fn code_of_other_languages_is_unknown_where_it_starts_what_is_asked() {
    let python = |code: &str| Run {
        program: Word::text("python3"),
        args: vec![Word::text("-c"), Word::text(code)],
        code: Some(Word::text(code)),
        ..Run::default()
    };
    let list = RunPatterns::parse(&["rm -rf"]).unwrap();
    assert_eq!(list.matches(&python("import os; os.system('rm -rf /')")), Truth::Unknown);
    assert_eq!(list.matches(&python("print('rm -rf /')")), Truth::False);
    assert_eq!(list.matches(&python("import os; os.system('ls'); warm = 1")), Truth::False);
}

#[test]
fn a_renamed_program_is_never_surely_another() {
    let mut ls = run("ls -f push");
    ls.renamed = true;
    let list = RunPatterns::parse(&["ls", "git push -f"]).unwrap();
    assert_eq!(list.matches(&ls), Truth::True);
    assert_eq!(RunPatterns::parse(&["git push --mirror"]).unwrap().matches(&ls), Truth::False);
    assert_eq!(RunPatterns::parse(&["rm"]).unwrap().matches(&ls), Truth::Unknown);
}

#[test]
fn the_whole_step() {
    let list = RunPatterns::parse(&["git push -f"]).unwrap();
    let mut effects = Effects { runs: vec![run("ls"), run("git push")], ..Effects::default() };
    assert_eq!(list.find(&effects), Found { truth: Truth::False, cause: None });
    let why = "code from the network".to_owned();
    effects.unclear.push(Unclear { what: UnclearWhat::Reads, why: why.clone(), run: None });
    assert_eq!(list.find(&effects).truth, Truth::False);
    effects.unclear.push(Unclear { what: UnclearWhat::Program, why, run: None });
    assert_eq!(list.find(&effects).cause, Some(Cause::Unclear(1)));
    effects.runs.push(run("git push -f"));
    assert_eq!(list.find(&effects), Found { truth: Truth::True, cause: Some(Cause::Run(2)) });
}

#[test]
fn faults_have_their_place() {
    let fault = |pattern: &str| RunPatterns::parse(&["ls", pattern]).unwrap_err();
    assert_eq!(fault("git push && ls").offset, 9);
    assert_eq!(fault("curl x | sh").fault, PatternFault::Joins("|".into()));
    assert_eq!(fault("--force").fault, PatternFault::NoProgram("--force".into()));
    assert_eq!(fault("git push --force|main").offset, 9);
    assert_eq!(fault("git push --force|").offset, 17);
    assert_eq!(fault("git 'a").fault, PatternFault::OpenQuote);
    assert_eq!((fault("!git [a").index, fault("!git [a").offset), (1, 5));
}

#[test]
fn two_dashes_are_a_word() {
    for (pattern, text) in [
        ("git checkout ** -- **", "git checkout -- a"),
        ("git checkout ** -- **", "git checkout HEAD -- a b"),
        ("git checkout ** -- **", "git checkout -q --"),
        ("git checkout -- src", "git checkout HEAD -- src"),
        ("rm -- *", "rm -rf -- x"),
        ("rm -- -rf", "rm -- -rf"),
        ("cargo test ** -- --nocapture", "cargo test x -- --nocapture"),
        ("git log -- --", "git log -- --"),
        ("git push * main", "git push -- origin main"),
        ("* -- x", "sometool -- x"),
    ] {
        is(pattern, text);
    }
    for (pattern, text) in [
        ("git checkout ** -- **", "git checkout main"),
        ("git checkout -- src", "git checkout src --"),
        ("rm -- *", "rm -rf x"),
        ("rm -- -rf", "rm -rf -- x"),
        ("git log -- --", "git log -- x"),
    ] {
        is_not(pattern, text);
    }
    may_be("rm -- x", "rm \"$y\" x");
    may_be("rm -- x", "rm $y");
    let mut more = run("git checkout HEAD");
    more.more_args = true;
    let list = RunPatterns::parse(&["git checkout ** -- **"]).unwrap();
    assert_eq!(list.matches(&more), Truth::Unknown);
    more.args.push(Word::text("--"));
    assert_eq!(list.matches(&more), Truth::True);
}

#[test]
fn two_dashes_in_tables() {
    let ask = |table: RunTable, text: &str| {
        let mut list = RunPatterns::default();
        list.add_table(&table).unwrap();
        list.matches(&run(text))
    };
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let words =
        || RunTable { words: texts(&["checkout", "**", "--", "**"]), ..RunTable::default() };
    assert_eq!(ask(words(), "git checkout HEAD -- a"), Truth::True);
    assert_eq!(ask(words(), "git checkout a"), Truth::False);
    let flags = || RunTable { flags: texts(&["--"]), ..RunTable::default() };
    assert_eq!(ask(flags(), "rm -- a"), Truth::True);
    assert_eq!(ask(flags(), "rm a"), Truth::False);
    assert_eq!(ask(flags(), "rm $a"), Truth::Unknown);
    let none = || RunTable { no_flags: texts(&["--"]), ..RunTable::default() };
    assert_eq!(ask(none(), "rm -- a"), Truth::False);
    assert_eq!(ask(none(), "rm a"), Truth::True);
}

#[test]
fn braces_and_folders_of_programs() {
    is("git {push,pull}", "git pull");
    is("git push --{force,mirror}", "git push --mirror");
    is_not("git {push,pull}", "git fetch");
    is("find ** {} **", "find . {} ;");
    is("firewall-cmd --remove*|--add*", "firewall-cmd --zone=x --remove-port=22/tcp");
    is_not("firewall-cmd --remove*|--add*", "firewall-cmd --list-all");
    is("git push --force*", "git push --force-with-lease origin");
    is("./scripts/*.sh", "./scripts/a.sh x");
    is_not("./scripts/*.sh", "./a.sh");
    is("*/bin/rm", "/usr/bin/rm x");
    is_not("*/bin/rm", "rm x");
}

#[test]
fn what_no_command_has_is_refused() {
    let table = |table: RunTable| RunPatterns::default().add_table(&table).unwrap_err().fault;
    let one = |text: &str| vec![text.to_owned()];
    for (words, fault) in [
        ("--force", PatternFault::OptionAsWord("--force".into())),
        ("push --force", PatternFault::OptionAsWord("--force".into())),
    ] {
        assert_eq!(table(RunTable { words: one(words), ..RunTable::default() }), fault);
    }
    for flag in ["--[ab]*", "-", "force push", "(--force|-f)", "=x"] {
        let fault = table(RunTable { flags: one(flag), ..RunTable::default() });
        assert!(matches!(fault, PatternFault::NoOption(_)), "{flag}: {fault}");
    }
    let fault = table(RunTable { program: one("git push"), ..RunTable::default() });
    assert_eq!(fault, PatternFault::SeveralWords("git push".into()));
    for name in ["$HUSKY", "a b", "=1", "1A"] {
        let fault = table(RunTable { env: one(name), ..RunTable::default() });
        assert!(matches!(fault, PatternFault::VariableName(_)), "{name}: {fault}");
    }
    let fault = |pattern: &str| RunPatterns::parse(&[pattern]).unwrap_err().fault;
    assert_eq!(fault("git checkout --|."), PatternFault::Dashes("--|.".into()));
    assert_eq!(fault("git push --force[ab]"), PatternFault::NoOption("--force[ab]".into()));
}

#[test]
fn a_pattern_that_fits_nothing_is_doubtful() {
    let doubts = |patterns: &[&str]| RunPatterns::parse(patterns).unwrap().doubts();
    for dead in [
        &["git push", "!git *"][..],
        &["git push", "ls", "!git push|pull"],
        &["git psuh"],
        &["git pushf"],
        &["git .*x"],
        // Only a program whose options are known takes a value in the next letters.
        &["sometool -X=1"],
    ] {
        assert_eq!(doubts(dead).len(), 1, "{dead:?}: {:?}", doubts(dead));
    }
    let no_flags = RunTable {
        program: vec!["git".to_owned()],
        words: vec!["push".to_owned()],
        flags: vec!["--force".to_owned()],
        no_flags: vec!["-f".to_owned()],
        ..RunTable::default()
    };
    let mut list = RunPatterns::default();
    list.add_table(&no_flags).unwrap();
    assert_eq!(list.doubts().len(), 1);
    for alive in [
        &["git push", "!git push --dry-run"][..],
        &["git push --force", "!git push --dry-run|-n"],
        &["*", "!git *"],
        &["git frobnicate"],
        &["curl -X DELETE"],
        &["find -delete"],
        &["docker run --privileged"],
        &["sudo -s"],
        &["firewall-cmd --remove*|--add*"],
        &["terraform destroy -auto-approve"],
    ] {
        assert_eq!(doubts(alive), [], "{alive:?}");
    }
}
