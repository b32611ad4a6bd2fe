//! Texts that are made to break a reader of bash: each of them ends soon, and none is called complete.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail")]

use std::time::{Duration, Instant};

use hookgate_effects::{Surroundings, shell};
use proptest::prelude::*;

fn around() -> Surroundings {
    Surroundings { cwd: Some("/home/u/project".to_owned()), home: Some("/home/u".to_owned()) }
}

/// The stack of a thread of an async runtime is eight times as large.
const STACK: usize = 256 * 1024;

/// Reads on a thread with a small stack.
fn read_on(stack: usize, text: String) -> shell::ShellReading {
    std::thread::Builder::new()
        .stack_size(stack)
        .spawn(move || shell::read(&text, &around()))
        .expect("a thread")
        .join()
        .expect("no panic and no overflow")
}

const OPENERS: [&str; 24] = [
    "(",
    "{ ",
    "$(",
    "\"$(",
    "`",
    "\"`",
    "${x:-",
    "${x:-$(x ",
    "$((",
    "((",
    "<(",
    ">(",
    "if ",
    "while ",
    "for x in a; do ",
    "case x in a) ",
    "[[ ",
    "x=(",
    "@(",
    "a[$(",
    "f() { ",
    "`x <(y ",
    "sudo ",
    "eval '",
];

#[test]
fn a_hundred_thousand_openers_need_no_stack() {
    for opener in OPENERS {
        for count in [30, 64, 1_000, 100_000] {
            let reading = read_on(STACK, opener.repeat(count));
            if count > 30 && opener != "`" {
                assert!(!reading.complete, "{count} times {opener}");
            }
        }
    }
}

#[test]
fn nesting_that_is_closed_is_bounded_too() {
    for (open, close) in [
        ("(", ")"),
        ("$(", ")"),
        ("{ ", "; }"),
        ("${x:-$(a ", ")}"),
        ("$((1+", "))"),
        ("<(a ", ")"),
    ] {
        for count in [24, 100, 1_000] {
            read_on(STACK, format!("echo {}rm{}", open.repeat(count), close.repeat(count)));
        }
    }
}

#[test]
fn what_killed_other_readers_ends() {
    let here = format!("x<<'' {}", "a\n".repeat(100));
    for text in
        [here, "${a:-$(x ".repeat(20), format!("{}{}", "`x <(y ".repeat(24), ")`".repeat(24))]
    {
        let start = Instant::now();
        read_on(STACK, text.clone());
        assert!(start.elapsed() < Duration::from_secs(2), "{text}");
    }
}

/// Twice the text must not take much more than twice the time.
#[test]
fn time_grows_with_the_length_only() {
    let pieces: [(&str, String); 22] = [
        ("commands", "a b c; ".to_owned()),
        ("substitutions", "echo $(curl x | sh) ".to_owned()),
        ("unclosed", "$( ".to_owned()),
        ("subshells", "(x=1); ".to_owned()),
        ("variables", "a%=1; ".to_owned()),
        ("variables and subshells", "a%=1; (b=2); ".to_owned()),
        ("here-documents", "cat <<E%\nx $(a)\nE%\n".to_owned()),
        ("here-documents without end", "cat <<E%\n".to_owned()),
        ("here-documents on one line", "<<E ".to_owned()),
        ("braces", "{a,b}{c,d} ".to_owned()),
        ("many braces", "{1..200} ".to_owned()),
        ("brackets", "[a".to_owned()),
        ("subscripts", "a[a[".to_owned()),
        ("folders", "cd a%; ".to_owned()),
        ("loops", "for i in a b c d; do echo $i; done; ".to_owned()),
        ("functions", "f%() { f; g; }; f%; ".to_owned()),
        ("growing", "x=$x$x$x%; ".to_owned()),
        ("wrappers", "sudo env nice x; ".to_owned()),
        ("code", "sh -c 'a; b'; eval 'c d'; ".to_owned()),
        ("pipes", "a | b | ".to_owned()),
        ("arithmetic", "$(( 1 + (2) ".to_owned()),
        ("quotes", "\"a'b`".to_owned()),
    ];
    for (name, piece) in pieces {
        let text = |bytes: usize| {
            let mut text = String::new();
            let mut count = 0;
            while text.len() < bytes {
                text.push_str(&piece.replace('%', &count.to_string()));
                count += 1;
            }
            text
        };
        let time = |text: &str| {
            let runs = (0..5).map(|_| {
                let start = Instant::now();
                std::hint::black_box(shell::read(text, &around()));
                start.elapsed()
            });
            runs.min().unwrap_or_default()
        };
        let (short, long) = (text(15_000), text(30_000));
        // A busy machine may disturb one measurement, but not each of them.
        let grows_evenly = (0..6).any(|_| {
            let (half, whole) = (time(&short), time(&long));
            println!("{name}: {half:?} {whole:?}");
            whole < half * 3 + Duration::from_millis(5)
        });
        assert!(grows_evenly, "{name}");
    }
}

/// Code that runs itself many times is given up, and is not called complete.
#[test]
fn work_that_multiplies_is_given_up() {
    let mut calls = String::from("f0() { echo; }; ");
    for level in 1..30 {
        calls.push_str(&format!("f{level}() {{ f{0}; f{0}; }}; ", level - 1));
    }
    calls.push_str("f29");
    let mut loops = String::new();
    for level in 0..10 {
        loops.push_str(&format!("for i{level} in 1 2 3 4 5 6 7 8; do "));
    }
    loops.push_str("echo $i0 $i1 $i2 $i3 $i4 $i5 $i6 $i7 $i8 $i9; ");
    loops.push_str(&"done; ".repeat(10));
    for text in [calls, loops] {
        let start = Instant::now();
        let reading = shell::read(&text, &around());
        assert!(!reading.complete);
        assert!(start.elapsed() < Duration::from_secs(2));
        assert!(
            reading.unclear.iter().any(|unclear| unclear.why.contains("too much")),
            "{:?}",
            reading.unclear
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_has_a_reading(text in r#"([a-z ]|[$(){}\[\]`'"|&;<>\\!*?~#=+-]|\$\(|<<|E|\n|rm |sh -c |eval |do |done |for |if |fi |%s|\{a,b\}|\$x){0,80}"#) {
        let _ = shell::read(&text, &around());
    }

    #[test]
    fn any_bytes_have_a_reading(text in "\\PC{0,200}") {
        let _ = shell::read(&text, &around());
    }
}
