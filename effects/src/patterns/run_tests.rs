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
            known.push(WordPart::Unknown { written: rest.into(), splits: !word.contains('"') });
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
        "git push --dry-run --force",
        // Some versions of git refuse it, since `--force-with-lease` begins so, too; others push by force.
        "git push --forc",
    ] {
        is(pattern, text);
    }
    for text in [
        "git commit -m git push -f",
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
