//! Where code of some language goes on to code that does not stand in it: a text that it makes, or another file.

use super::words;

/// What code runs besides itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MoreCode {
    /// It runs a text that is made while it runs, or runs on in a second process.
    pub(super) is_made: bool,
    /// The files that it loads, as far as their names stand in it.
    pub(super) files: Vec<String>,
}

/// The words of a language behind which more code stands.
struct Language {
    names: &'static str,
    /// With or without brackets, or with nothing behind them.
    runs: &'static [&'static str],
    /// Only as a call with brackets or a text: elsewhere these are other things.
    calls: &'static [&'static str],
    /// Behind these stands a file.
    loads: &'static [&'static str],
    /// Behind these stands a file if it is a path, and else the name of a library.
    libraries: &'static [&'static str],
}

const LANGUAGES: [Language; 5] = [
    Language {
        names: "perl",
        runs: &["eval", "fork"],
        calls: &[],
        loads: &["do"],
        libraries: &["require"],
    },
    Language {
        names: "ruby",
        runs: &["eval", "instance_eval", "class_eval", "module_eval", "fork"],
        calls: &[],
        loads: &["load", "require_relative"],
        libraries: &["require"],
    },
    Language {
        names: "lua luajit lua5.3 lua5.4",
        runs: &[],
        calls: &["load", "loadstring"],
        loads: &["dofile", "loadfile"],
        libraries: &[],
    },
    Language {
        names: "php",
        runs: &[],
        calls: &["assert", "create_function"],
        loads: &["include", "include_once", "require", "require_once"],
        libraries: &[],
    },
    Language {
        names: "node nodejs deno bun tsx ts-node",
        runs: &[],
        calls: &["Function", "Worker"],
        loads: &[],
        libraries: &["require", "import"],
    },
];

/// The modules of Node that run a text.
const RUN_TEXTS: [&str; 2] = ["vm", "node:vm"];

/// Tells what code of a program runs besides itself.
pub(super) fn of(program: &str, code: &str) -> MoreCode {
    let mut more = MoreCode::default();
    let is_it = |one: &&Language| one.names.split(' ').any(|name| name == program);
    let Some(language) = LANGUAGES.iter().find(is_it) else { return more };
    more.is_made = program == "perl" && replaces_by_code(code);
    for (at, word) in words(code) {
        let before = code.get(..at).unwrap_or_default();
        let after = code.get(at + word.len()..).unwrap_or_default().trim_start();
        if !is_word_of_code(before, after, program == "ruby" && word.ends_with("eval")) {
            continue;
        }
        let has_block = after.starts_with('{') || after.starts_with("do ");
        if language.runs.contains(&word) {
            more.is_made |= !(word.ends_with("eval") && has_block);
        }
        if language.calls.contains(&word) {
            more.is_made |= after.starts_with(['(', '"', '\'', '[']);
        }
        let (loads, takes_library) =
            (language.loads.contains(&word), language.libraries.contains(&word));
        if !loads && !takes_library {
            continue;
        }
        let operand = after.trim_start_matches(['(', ' ']);
        let of_folder =
            operand.strip_prefix("__DIR__").map(|rest| rest.trim_start_matches([' ', '.']));
        match text_at(of_folder.unwrap_or(operand)) {
            Some(text) if loads || is_path(text, program == "perl") => {
                more.files.push(text.to_owned())
            }
            Some(text) => more.is_made |= RUN_TEXTS.contains(&text),
            None => more.is_made |= loads && operand.starts_with(['$', '@', '"', '\'']),
        }
    }
    more
}

/// Whether a word stands where code has a word of its own: not in a name, as a variable or a method, and not in a
/// pattern.
fn is_word_of_code(before: &str, after: &str, may_be_method: bool) -> bool {
    let before = before.strip_suffix("CORE::").unwrap_or(before);
    let is_part = before.ends_with(['$', '@', '%', '>', ':', '/', '\\', '-', '"', '\'', '#', '|'])
        || before.ends_with('.') && !may_be_method;
    // `eval+decode(…)` is a call; `eval+` alone stands in a pattern.
    let is_signed = |rest: &str| rest.starts_with(|sign: char| sign.is_alphabetic() || sign == '$');
    let goes_on = after.starts_with(['/', '\\', '*', '.', ':'])
        || after.strip_prefix('+').is_some_and(|rest| !is_signed(rest))
        || after.starts_with('|') && !after.starts_with("||")
        || after.starts_with("=>");
    !is_part && !goes_on
}

/// A text in quotes that ends here, with nothing put into it.
fn text_at(code: &str) -> Option<&str> {
    let quote = code.chars().next().filter(|sign| matches!(sign, '"' | '\''))?;
    let (text, _) = code.get(1..)?.split_once(quote)?;
    (!text.is_empty() && !text.contains(['$', '#', '\\'])).then_some(text)
}

/// Perl looks for `a/b.pl` in its folders, and Ruby and Node for `a/b` in those of their libraries.
fn is_path(text: &str, is_perl: bool) -> bool {
    text.starts_with(['.', '/', '~']) || text.contains("://") || is_perl && text.contains('/')
}

/// Whether Perl runs what a replacement gives: `s/x/y/ee`.
fn replaces_by_code(code: &str) -> bool {
    words(code).any(|(at, flags)| {
        let before = code.get(..at).unwrap_or_default();
        let after = code.get(at + flags.len()..).unwrap_or_default();
        flags.matches('e').count() > 1
            && flags.bytes().all(|flag| b"egimsxor".contains(&flag))
            && before.ends_with(['/', '}', '|', '!', '#', ')', ']', '>', ','])
            && !before.ends_with("->")
            && !after.starts_with(['/', '|', '!', '#', '-', '.'])
    })
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn code_that_does_not_stand_there_is_seen() {
        for (program, code) in [
            ("perl", "eval $x"),
            ("perl", "$_ = <>; eval"),
            ("perl", "eval join '', @a"),
            ("perl", "fork or exit"),
            ("perl", "my $pid = CORE::fork;"),
            ("perl", "do $file"),
            ("perl", "s/x/$y/ee"),
            ("perl", "s{x}{$y}gee; print"),
            ("ruby", "eval gets"),
            ("ruby", "binding.eval x"),
            ("ruby", "fork { x }"),
            ("ruby", "load \"#{x}\""),
            ("lua", "load(io.read('a'))()"),
            ("lua", "loadstring'x'()"),
            ("php", "assert($x);"),
            ("php", "include $x;"),
            ("node", "Function(x)()"),
            ("node", "require('vm').runInThisContext(x)"),
            ("node", "new Worker(x, { eval: true })"),
        ] {
            assert!(of(program, code).is_made, "{code}");
        }
        for (program, code) in [
            ("perl", "eval { die 'x' }; print $@"),
            ("perl", "print if /eval/; print $fork, $x->load"),
            ("perl", "do { $x++ } while $x < 3"),
            ("perl", "s/see/fee/e; s/a/b/g; $x->encode; $x->see"),
            ("ruby", "YAML.load(x); [1].each do |x| p x end"),
            ("ruby", "x.instance_eval { @y }"),
            ("lua", "local load = 1; print(cfg.load(x))"),
            ("php", "echo is_int($x);"),
            ("node", "isFunction(x); new WorkerPool()"),
            ("awk", "eval"),
        ] {
            assert!(!of(program, code).is_made, "{code}");
        }
    }

    #[test]
    fn files_that_code_loads_are_named() {
        for (program, code, file) in [
            ("perl", "do './x.pl'", "./x.pl"),
            ("perl", "require \"lib/x.pl\";", "lib/x.pl"),
            ("ruby", "load 'x.rb'", "x.rb"),
            ("ruby", "require('./x')", "./x"),
            ("lua", "dofile('x.lua')", "x.lua"),
            ("php", "require __DIR__ . '/vendor/autoload.php';", "/vendor/autoload.php"),
            ("php", "include_once 'https://example.com/x';", "https://example.com/x"),
            ("node", "await import('https://example.com/x.js')", "https://example.com/x.js"),
        ] {
            assert_eq!(of(program, code).files, [file], "{code}");
        }
        for (program, code) in [
            ("perl", "require Foo::Bar"),
            ("ruby", "require 'net/http'"),
            ("node", "require('fs')"),
        ] {
            assert!(of(program, code).files.is_empty(), "{code}");
        }
    }
}
