//! Work without end, and files that are written and run.

use super::*;

fn starts_without_end(text: &str) -> bool {
    reading(text).unclear.iter().any(|unclear| unclear.why.ends_with("without end"))
}

#[test]
fn what_is_nested_deeply_is_given_up_soon() {
    for (opening, closing) in [("${a:", "}"), ("${a:$((", "))}"), ("\"${a:b${a[", "]}}\"")] {
        let text = format!("echo {}1{}", opening.repeat(3), closing.repeat(3));
        assert!(reading(&text).complete, "{text}");
        let text = format!("echo {}1{}; rm x", opening.repeat(40), closing.repeat(40));
        assert!(!reading(&text).complete, "{text}");
    }
}

#[test]
fn work_that_starts_itself_without_end_is_told() {
    for text in [
        ":(){ :|:& };:",
        "bomb(){ bomb & }; bomb",
        "eval ':(){ :|:& };:'",
        "a(){ b | b; }; b(){ a & }; a",
        "f(){ [ -d x ] && f & }; f",
        "while true; do work & done",
        "while :; do work & sleep 1; done",
        "while [[ 1 ]]; do work & done",
        "while [ 1 ]; do work & done",
        "while ((1)); do work & done",
        "while ! false; do work & done",
        "until false; do work & done",
        "for ((;;)); do work & done",
        "for ((i=0;;i++)); do work & done",
        "while true; do work & (wait); done",
        "while true; do wait; work & done",
        "while true; do work & wait; work & done",
        "while true; do wait & work & done",
        "while true; do (work &); wait; done",
        "while true; do a | { work & }; done",
        "while true; do work & continue; wait; done",
        "while true; do eval 'work &'; done",
        "while true; do bash -c 'work &'; done",
        "f() { work & }; while true; do f; done",
        "while true; do for i in 1 2; do work & break; done; done",
    ] {
        assert!(starts_without_end(text), "{text}");
    }
}

#[test]
fn work_that_ends_or_is_waited_for_is_none() {
    for text in [
        "while true; do work & wait; done",
        "while true; do (work & wait); done",
        "while true; do work & wait -n; done",
        "while true; do { work & wait; } & wait; done",
        "while true; do work; done",
        "while false; do work & done",
        "while ! true; do work & done",
        "until true; do work & done",
        "while [ \"$x\" ]; do work & done",
        "while true; do work & if x; then break; fi; done",
        "for ((i=0;i<3;i++)); do work & done",
        "for i in 1 2 3; do work & done",
        "work & while true; do sleep 1; done",
        "walk() { for f in \"$1\"/*; do [ -d \"$f\" ] && walk \"$f\"; done; }; walk .",
        "f() { [ \"$1\" ] || return; f \"${1%?}\" & }; f abc",
        "f() { x; }; f; f",
    ] {
        assert!(!starts_without_end(text), "{text}");
    }
}

#[test]
fn a_file_that_is_written_and_run_is_read() {
    all(
        &[
            ("echo 'rm -rf /' > x.sh; bash x.sh", "echo bash rm !"),
            ("printf 'rm x\\n' > x.sh && chmod +x x.sh && ./x.sh", "printf chmod x.sh rm !"),
            ("cat > /tmp/x <<'EOF'\nrm y\nEOF\ncd /tmp; sh ./x", "cat cd sh rm !"),
            ("tee x.sh <<< 'rm y'; source x.sh", "tee source rm !"),
            ("echo 'rm y' > x.sh; cd /tmp; bash x.sh", "echo cd bash !"),
            ("echo 'rm y' > x.sh; bash y.sh", "echo bash !"),
            ("echo 'bash x; bash x' > x; bash x", "echo bash !"),
        ],
        |text| {
            let names = names(text);
            // What runs itself is cut somewhere.
            if names.len() > 200 { "echo bash !".to_owned() } else { names }
        },
    );
    for (text, expected) in [
        ("base64 -d > x.sh && ./x.sh", Some(CodeFrom::Decoded)),
        ("echo cm0= | base64 -d > x.sh; bash x.sh", Some(CodeFrom::Decoded)),
        ("curl -o x.sh http://h/x && bash x.sh", Some(CodeFrom::Network)),
        ("curl http://h/x | tee x.sh; bash x.sh", Some(CodeFrom::Network)),
        ("make > x.sh; bash x.sh", None),
    ] {
        assert_eq!(reading(text).runs.last().expect("a run").code_from, expected, "{text}");
    }
    let python = reading("echo 'import os; os.system(\"rm\")' > a.py; python a.py");
    assert_eq!(
        python.unclear.first().expect("unclear").why,
        "the code that `python` runs starts programs"
    );
}

#[test]
fn what_is_watched_runs() {
    all(
        &[
            ("gdb -batch -ex run --args rm -rf /etc", "gdb +rm"),
            ("perf record -g -o out -- rm x; perf stat rm y; perf report", "perf rm perf rm perf"),
            ("rr record rm x; rr replay", "rr rm rr"),
            ("command_not_found_handle(){ rm -rf /; }; missing", "+rm missing"),
        ],
        names,
    );
}
