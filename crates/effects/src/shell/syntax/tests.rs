use super::*;
use crate::shell::syntax::tree::{Assigned, Command, Kind, Piece, Target, Word};

/// The names of all programs, wherever they stand.
fn names(text: &str) -> String {
    let script = parse(text, 0);
    let mut names = Vec::new();
    in_list(&script.list, &mut names);
    let mark = match script.problem {
        None => "",
        Some(_) => " !",
    };
    names.join(" ") + mark
}

fn in_list(list: &List, names: &mut Vec<String>) {
    for item in list {
        for command in &item.pipeline.commands {
            in_command(command, names);
        }
    }
}

fn in_command(command: &Command, names: &mut Vec<String>) {
    match &command.kind {
        Kind::Simple(simple) => {
            for assignment in simple.assignments.iter().chain(&simple.declared) {
                if let Some(subscript) = &assignment.subscript {
                    in_word(subscript, names);
                }
                match &assignment.value {
                    Assigned::Word(word) => in_word(word, names),
                    Assigned::Array(words) => words.iter().for_each(|word| in_word(word, names)),
                }
            }
            simple.words.iter().for_each(|word| in_word(word, names));
            in_redirects(command, names);
            if let Some(word) = simple.words.first() {
                names.push(shown(word));
            }
            return;
        }
        Kind::Subshell(list) | Kind::Group(list) => in_list(list, names),
        Kind::If(arms, otherwise) => {
            for (condition, body) in arms {
                in_list(condition, names);
                in_list(body, names);
            }
            in_list(otherwise, names);
        }
        Kind::While { condition, body, .. } => {
            in_list(condition, names);
            in_list(body, names);
        }
        Kind::For { words, body, .. } => {
            words.iter().flatten().for_each(|word| in_word(word, names));
            in_list(body, names);
        }
        Kind::ForArithmetic(head, body) => {
            in_word(head, names);
            in_list(body, names);
        }
        Kind::Case(subject, arms) => {
            in_word(subject, names);
            for (patterns, body) in arms {
                patterns.iter().for_each(|word| in_word(word, names));
                in_list(body, names);
            }
        }
        Kind::Function(_, body) => in_command(body, names),
        Kind::Test(words) => words.iter().for_each(|word| in_word(word, names)),
        Kind::Arithmetic(word) => in_word(word, names),
        Kind::Coprocess(command) => in_command(command, names),
    }
    in_redirects(command, names);
}

fn in_redirects(command: &Command, names: &mut Vec<String>) {
    for redirect in &command.redirects {
        match &redirect.target {
            Target::Word(word) => in_word(word, names),
            Target::Document(body) => in_word(body.get().unwrap_or(&Word::default()), names),
        }
    }
}

fn in_word(word: &Word, names: &mut Vec<String>) {
    for piece in &word.pieces {
        match piece {
            Piece::Command(inside) | Piece::Process(inside) => in_list(&inside.list, names),
            Piece::Arithmetic(inside) => in_word(&inside.0, names),
            Piece::Parameter(parameter) => {
                in_word(&parameter.operand, names);
                parameter.subscript.iter().for_each(|word| in_word(word, names));
            }
            Piece::Bare(_) | Piece::Quoted(_) | Piece::Glob(_) => {}
        }
    }
}

fn shown(word: &Word) -> String {
    word.pieces
        .iter()
        .map(|piece| match piece {
            Piece::Bare(text) | Piece::Quoted(text) | Piece::Glob(text) => text.as_str(),
            Piece::Parameter(parameter) => parameter.written.as_str(),
            Piece::Command(inside) | Piece::Process(inside) => inside.written.as_str(),
            Piece::Arithmetic(inside) => inside.1.as_str(),
        })
        .collect()
}

#[test]
fn commands_are_found_wherever_they_stand() {
    for (text, expected) in [
        ("a; b && c || d & e | f |& g", "a b c d e f g"),
        ("if a; then b; elif c; then d; else e; fi", "a b c d e"),
        ("while a; do b; done; until c; do d; done", "a b c d"),
        ("for x in $(a) b; do c; done; for ((i=$(d);;)); do e; done", "a c d e"),
        ("for x; do a; done\nselect y in 1 2; do b; done", "a b"),
        ("case $(a) in x|y) b;; (z) c;& *) d;; esac", "a b c d"),
        ("case x in a) b\nesac", "b"),
        ("f() { a; }; function g { b; }; function h() ( c )", "a b c"),
        ("{ a; }; ( b ); ! c; time -p d; coproc e; coproc N { f; }", "a b c d e f"),
        ("[[ -f $(a) && ( x =~ ^[a-z]+$ || $(b) < y ) ]] && c", "a b c"),
        ("(( $(a) + 1 )); echo $(( `b` + x[$(c)] )); let x", "a b c echo let"),
        ("((a); b); $( (c) )", "a b c $( (c) )"),
        ("echo \"${x:-$(a)}\" ${y[$(b)]} ${z/$(c)/d}", "a b c echo"),
        ("a < <(b) > >(c); d 2>&1 >&2 {fd}>x 3<&- &>> $(e)", "b c a e d"),
        ("x=1 y=$(a) b; x[$(c)]=(1 $(d)) e+=f; g", "a b c d g"),
        ("declare -A m=([a]=$(b)) z=1; export P=$(c)", "b declare c export"),
        ("echo a # ; b\nc", "echo c"),
        ("echo a\\\n b; \\\nc", "echo c"),
        ("echo {a,b} *.{c,d} !(x|y) @($(e)|f) [a-z]", "e echo"),
        ("\\rm x; 'r'm y; $'\\x72m' z; \"rm\"", "rm rm rm rm"),
        ("", ""),
        ("# nothing", ""),
    ] {
        assert_eq!(names(text), expected, "{text}");
    }
}

#[test]
fn here_documents_are_data_unless_they_expand() {
    for (text, expected) in [
        ("cat <<E\n$(a) `b`\n\\$(c) \\`d\\`\nE\ne", "a b cat e"),
        ("cat <<'E'\n$(a)\nE\nb", "cat b"),
        ("cat <<\\E; x\n$(a)\nE\nb", "cat x b"),
        ("cat <<-E\n\t$(a)\n\tE\nb", "a cat b"),
        ("cat <<A - <<B\n$(a)\nA\n$(b)\nB\nc", "a b cat c"),
        ("x=$(cat <<E\n$(a)\nE\n); b", "a cat b"),
        ("f() { cat <<E\n$(a)\nE\n}; b", "a cat b"),
        ("cat <<E | b\nx\nE", "cat b"),
        ("cat <<''\nx\n\nb", "cat b"),
        ("cat <<E\n\"$(a \"x\")\"\nE", "a cat"),
    ] {
        assert_eq!(names(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_bash_leaves_a_problem_and_its_commands() {
    for (text, expected) in [
        ("perl <<EOF", "perl !"),
        ("cat <<~EOF\n  line1\n      EOF", "cat !"),
        ("echo $(unclosed", "unclosed echo !"),
        ("echo =(ls)", "echo ls !"),
        ("for f in *.txt; echo $f", "echo !"),
        ("print ${${:-rm}} x", "print !"),
        ("[[ $x -eq 1 ]] && { echo y } always { echo z }", "echo !"),
        ("a && ; b", "a b !"),
        ("a ) b", "a b !"),
        ("a; done; b", "a b !"),
        ("echo 'x", "echo !"),
        ("echo \"x $(a", "a echo !"),
        ("if a; then b", "a b !"),
        ("a | | b", "a b !"),
        ("x${ a; }", "a x${ a; } !"),
    ] {
        assert_eq!(names(text), expected, "{text}");
    }
}

#[test]
fn texts_that_are_too_long_or_too_deep_are_given_up() {
    assert_eq!(parse(&"a;".repeat(MAX_LENGTH), 0).problem, Some(Problem::Long));
    for open in [
        "(", "{ ", "$(", "\"$(", "`", "${x:-", "$((", "<(", "if ", "while ", "x=(", "!(", "@(",
        "((", "[[ ",
    ] {
        let text = open.repeat((MAX_LENGTH - 1) / open.len());
        assert!(parse(&text, 0).problem.is_some(), "{open}");
    }
    let nested = format!("{}rm{}", "$(".repeat(10), ")".repeat(10));
    assert_eq!(parse(&nested, 0).problem, None);
}
