//! Code of Python: what it may do is told by the names in it, outside of its texts and comments.

use super::open_mode::opens_to_write;
use super::{is_letter, words};

/// What the code may do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CodeEffect {
    /// It starts programs, or may.
    StartsPrograms,
    /// It changes files, and which cannot be told.
    ChangesFiles,
    /// It opens these files and starts these programs alone.
    Opens { read: Vec<String>, written: Vec<String>, started: Vec<Vec<String>> },
}

/// Names with which any other may be reached: the texts count as well.
const REACH_OTHERS: &str = "getattr vars globals locals modules attrgetter methodcaller marshal pickle codecs builtins \
    eval exec runpy importlib open_code";
const STARTS: &str = "system fork forkpty pty ctypes cffi pexpect execv execve execvp execvpe execl execle execlp execlpe \
    spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe posix_spawn posix_spawnp startfile";
const CHANGES: &str = "rmtree unlink rmdir removedirs chmod lchmod chown lchown symlink symlink_to hardlink_to link \
    copyfile copytree copy2 copymode truncate ftruncate chdir fchdir fdopen extractall NamedTemporaryFile fileinput \
    O_WRONLY O_RDWR O_CREAT O_TRUNC O_APPEND";
/// Methods of lists, texts and tables as well: these count only where a module of files is named.
const MAY_CHANGE: &str = "remove rename renames replace copy move";
/// Methods that give texts.
const TEXTS: &str = "read read_text strip lstrip rstrip lower upper join format decode";
/// Functions of `subprocess` that start a program and wait for it, and what it has that starts none.
const RUN: &str = "run call check_call check_output";
const OF_RUN: &str = "PIPE DEVNULL STDOUT CalledProcessError TimeoutExpired";
/// The named arguments of these functions that change neither the program nor where it works.
const HOW_TO_RUN: &str =
    "check capture_output text universal_newlines timeout encoding errors stdout stderr";
const OF_FILES: &str = "os shutil pathlib Path";

/// The longest code, the most files and the most brackets that are looked at: each is looked for in all of the code.
const LONGEST: usize = 64 << 10;
const MOST_FILES: usize = 32;
const DEEPEST: usize = 32;

/// Tells what code does; `None` if its texts cannot be told from the rest of it.
pub(super) fn effect_of(code: &str) -> Option<CodeEffect> {
    let names = without_texts(code).filter(|_| code.len() <= LONGEST)?;
    let has = |list: &str| {
        words(&names).any(|(_, word)| list.split_ascii_whitespace().any(|one| one == word))
    };
    if has(REACH_OTHERS) || words(&names).any(|(_, word)| word.starts_with("__")) {
        return None;
    }
    // Python takes other forms of a letter for that letter: `os.ｓystem`.
    let mut started = Vec::new();
    let is_disguised = names.chars().any(|c| !c.is_ascii() && is_letter(c));
    let starts = is_disguised
        || words(&names).any(|(at, word)| {
            let of_platform = names.get(..at).is_some_and(|before| before.ends_with("platform."));
            word.to_lowercase().contains("popen")
                || word.contains("subprocess") && !is_told(code, &names, at, word, &mut started)
                || STARTS.split_ascii_whitespace().any(|one| one == word) && !of_platform
        });
    if starts {
        return Some(CodeEffect::StartsPrograms);
    }
    let may_change = words(&names).any(|(at, word)| {
        MAY_CHANGE.split_ascii_whitespace().any(|one| one == word)
            && !(word == "replace" && is_method_of_text(&names, at, &mut Vec::new()))
    });
    if has(CHANGES) || may_change && has(OF_FILES) {
        return Some(CodeEffect::ChangesFiles);
    }
    let Some((read, written)) = opened(code, &names) else { return Some(CodeEffect::ChangesFiles) };
    Some(CodeEffect::Opens { read, written, started })
}

/// Whether `subprocess` at a place is imported under its name, or starts a program of which each word stands there.
fn is_told(code: &str, names: &str, at: usize, word: &str, started: &mut Vec<Vec<String>>) -> bool {
    let is_one_of = |list: &str, name: &str| list.split_ascii_whitespace().any(|one| one == name);
    let before = names.get(..at).unwrap_or_default();
    let line = before.rsplit(['\n', ';']).next().unwrap_or_default().trim_start();
    let after = names.get(at + word.len()..).unwrap_or_default();
    // A program is found by the variables.
    if word != "subprocess" || names.contains("environ") || names.contains("putenv") {
        return false;
    }
    if let Some(others) = line.strip_prefix("import ") {
        let is_renamed = |text: &str| words(text).any(|(_, word)| word == "as");
        let goes_on = after.split(['\n', ';']).next().unwrap_or_default();
        return others.chars().all(|c| is_letter(c) || ", ".contains(c))
            && !is_renamed(others)
            && !is_renamed(goes_on)
            && !after.starts_with('.');
    }
    let Some((start, name)) = after.strip_prefix('.').and_then(|after| words(after).next()) else {
        return false;
    };
    if start != 0 || line.contains("from ") || is_one_of(OF_RUN, name) {
        return start == 0 && !line.contains("from ");
    }
    let open = at + word.len() + 1 + name.len();
    let Some(inside) = brackets(names, open).filter(|_| is_one_of(RUN, name)) else { return false };
    let arguments = code.get(inside.clone()).unwrap_or_default();
    let Some((program, length)) = literals(arguments) else { return false };
    let rest = names.get(inside.start + length..inside.end).unwrap_or_default();
    let is_known = |argument: &str| {
        argument.trim().is_empty()
            || argument.split_once('=').is_some_and(|(name, _)| is_one_of(HOW_TO_RUN, name.trim()))
    };
    started.push(program);
    rest.trim_start().is_empty()
        || rest.trim_start().starts_with(',') && rest.split(',').all(is_known)
}

/// The texts of the list that code begins with, and the length of that list: `["ls", "-l"]`.
fn literals(code: &str) -> Option<(Vec<String>, usize)> {
    let mut rest = code.trim_start().strip_prefix('[')?.trim_start();
    let mut texts = Vec::new();
    loop {
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let (text, after) = rest.get(1..)?.split_once(quote)?;
        if text.contains(['\\', '\n']) {
            return None;
        }
        texts.push(text.to_owned());
        let after = after.trim_start();
        rest = after.strip_prefix(',').unwrap_or(after).trim_start();
        if let Some(end) = rest.strip_prefix(']') {
            return Some((texts, code.len() - end.len()));
        }
        // Texts side by side are one.
        if !after.starts_with(',') {
            return None;
        }
    }
}

/// The files that the code opens, if the name of each that it writes stands in it.
fn opened(code: &str, names: &str) -> Option<(Vec<String>, Vec<String>)> {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    for (at, word) in words(names) {
        let method = match word {
            "open" => false,
            "write_text" | "write_bytes" | "read_text" | "read_bytes" => true,
            _ => continue,
        };
        let open = at + word.len();
        if read.len() + written.len() >= MOST_FILES {
            return None;
        }
        // `f = open`
        let arguments = brackets(names, open)?;
        let texts = code.get(arguments.clone()).unwrap_or_default();
        let first = names.get(arguments.clone()).unwrap_or_default();
        let before = names.get(..at).unwrap_or_default().trim_end();
        let is_path = before.ends_with('.');
        let writes = match method {
            true => word.starts_with("write"),
            false => {
                opens_to_write(&format!("({}{texts}", if is_path { "," } else { "" }))
                    || has_unknown_mode(first, is_path)
            }
        };
        let name = match is_path {
            true => receiver(code, names, at - 1),
            false => literal(code, names, arguments.start),
        };
        match name {
            Some(name) if writes => written.push(name),
            Some(name) => read.push(name),
            None if writes => return None,
            None => {}
        }
    }
    Some((read, written))
}

/// Whether the mode of `open` stands there, and is no text.
fn has_unknown_mode(names: &str, is_path: bool) -> bool {
    let place = if is_path { 0 } else { 1 };
    let arguments: Vec<&str> = names.split(',').collect();
    let is_mode = |(at, argument): (usize, &&str)| {
        let argument = argument.trim();
        let named = argument.split_once('=').map(|(name, _)| name.trim());
        let starts =
            argument.strip_prefix("mode").unwrap_or(argument).trim_start_matches(['=', ' ']);
        let is_mode = at == place && named.is_none() || named == Some("mode");
        argument.starts_with('*')
            || is_mode && !argument.is_empty() && !starts.starts_with(['"', '\''])
    };
    arguments.iter().enumerate().any(is_mode)
}

/// The text that stands at a place, or that the name there was given.
fn literal(code: &str, names: &str, at: usize) -> Option<String> {
    let rest = code.get(at..)?;
    let at = at + (rest.len() - rest.trim_start().len());
    let rest = code.get(at..)?;
    if let Some(text) = text_at(rest) {
        return Some(text);
    }
    if let Some(inside) =
        ["Path(", "pathlib.Path("].iter().find_map(|start| rest.strip_prefix(start))
    {
        let text = text_at(inside.trim_start())?;
        let end = brackets(names, at + rest.find('(')?)?;
        return (code.get(end)?.trim().len() == text.len() + 2).then_some(text);
    }
    let (place, name) = words(names).find(|(place, _)| *place == at)?;
    given(code, names, name, place)
}

/// The path before a dot: `Path('x').`, `p.`
fn receiver(code: &str, names: &str, dot: usize) -> Option<String> {
    let before = names.get(..dot)?.trim_end();
    if before.ends_with(')') {
        let opens = before.match_indices('(').map(|(at, _)| at).rev();
        let mut opens = opens.take(DEEPEST);
        let open = opens
            .find(|at| brackets(names, *at).is_some_and(|inside| inside.end + 1 == before.len()))?;
        let start =
            before.get(..open)?.rfind(|c: char| !is_letter(c) && c != '.').map_or(0, |at| at + 1);
        return literal(code, names, start);
    }
    let start = before.rfind(|c: char| !is_letter(c)).map_or(0, |at| at + 1);
    if before.get(..start)?.ends_with('.') {
        return None;
    }
    literal(code, names, start)
}

/// The text that a name was given, if it was given once, and is only looked at besides.
fn given(code: &str, names: &str, name: &str, used_at: usize) -> Option<String> {
    let mut value = None;
    for (at, word) in words(names).filter(|(_, word)| *word == name) {
        let after = names.get(at + word.len()..)?.trim_start();
        let before = names.get(..at)?;
        let word_before =
            before.trim_end().rsplit(|c: char| !is_letter(c)).next().unwrap_or_default();
        if ["for", "as", "lambda", "global", "nonlocal", "import", "def", "class"]
            .contains(&word_before)
        {
            return None;
        }
        let depth = before.matches(['(', '[', '{']).count() as isize
            - before.matches([')', ']', '}']).count() as isize;
        if after.starts_with('=') && !after.starts_with("==") && depth == 0 {
            let start = at + word.len() + (names.get(at + word.len()..)?.len() - after.len()) + 1;
            // `p = p`
            if value.is_some() || code.get(start..)?.trim_start().starts_with(name) {
                return None;
            }
            value = Some(literal(code, names, start)?);
        } else if depth == 0 && !after.starts_with('.') || after.starts_with(":=") {
            return None;
        }
    }
    let parameters = words(names).any(|(_, word)| word == "def" || word == "lambda");
    value.filter(|_| !parameters && used_at > 0)
}

/// A plain text in quotes that ends here, with nothing joined to it.
fn text_at(rest: &str) -> Option<String> {
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inside = rest.get(1..)?;
    let end = inside.find(quote)?;
    let text = inside.get(..end)?;
    let after = inside.get(end + 1..)?.trim_start_matches([' ', '\t']);
    let ends = after.is_empty() || after.starts_with([',', ')', '\n', ';', '.', '#']);
    (ends && !text.is_empty() && !text.contains(['\\', '\n'])).then(|| text.to_owned())
}

/// Whether the method at a place is surely one of a text. `texts` has the names that are taken for texts.
fn is_method_of_text<'n>(names: &'n str, at: usize, texts: &mut Vec<&'n str>) -> bool {
    let before = names.get(..at).unwrap_or_default().trim_end();
    before.strip_suffix('.').is_some_and(|before| is_text(names, before.trim_end(), texts))
}

/// Whether what stands at the end of the code before a place is surely a text: `'a'`, `p.read_text()`, or a name that
/// was given nothing else.
fn is_text<'n>(names: &'n str, before: &'n str, texts: &mut Vec<&'n str>) -> bool {
    if before.ends_with(['\'', '"']) {
        return true;
    }
    let ends_here =
        |at: &usize| brackets(names, *at).is_some_and(|inside| inside.end + 1 == before.len());
    let called = match before.ends_with(')') {
        true => {
            let open =
                before.match_indices('(').map(|(at, _)| at).rev().take(DEEPEST).find(ends_here);
            let Some(called) = open.and_then(|open| before.get(..open)) else { return false };
            called
        }
        false => before,
    };
    let start = called.rfind(|c: char| !is_letter(c)).map_or(0, |at| at + 1);
    let word = called.get(start..).unwrap_or_default();
    let is_method = called.get(..start).is_some_and(|before| before.ends_with('.'));
    match (called.len() < before.len(), is_method) {
        (true, true) if word == "replace" => is_method_of_text(names, start, texts),
        (true, true) => TEXTS.split_ascii_whitespace().any(|one| one == word),
        (false, false) => !word.is_empty() && is_name_of_text(names, word, texts),
        _ => false,
    }
}

/// Whether a name is given texts alone, each in a line of its own.
fn is_name_of_text<'n>(names: &'n str, name: &'n str, texts: &mut Vec<&'n str>) -> bool {
    if texts.contains(&name) {
        return true;
    }
    let binds_otherwise = words(names).any(|(_, word)| word == "def" || word == "lambda")
        || [") =", ")=", "] =", "]="].iter().any(|end| names.contains(end));
    if binds_otherwise || texts.len() >= DEEPEST {
        return false;
    }
    texts.push(name);
    let mut is_given = false;
    for (at, _) in words(names).filter(|(_, word)| *word == name) {
        let before = names.get(..at).unwrap_or_default();
        let line = before.rsplit(['\n', ';']).next().unwrap_or_default();
        let word_before =
            line.trim_end().rsplit(|c: char| !is_letter(c)).next().unwrap_or_default();
        let after = names.get(at + name.len()..).unwrap_or_default();
        let value = after.trim_start().strip_prefix('=').filter(|rest| !rest.starts_with('='));
        let is_looked_at = word_before == "in" && !line.contains("for ")
            || before.matches(['(', '[', '{']).count() > before.matches([')', ']', '}']).count()
                && !["for", "as"].contains(&word_before)
                && !after.trim_start().starts_with(":=")
            || after.starts_with('.') && word_before.is_empty();
        match value {
            Some(value) if line.trim().is_empty() => {
                let start = names.len() - value.len();
                let Some(end) = end_of_chain(value) else { return false };
                let all = names.get(..start + end).unwrap_or_default().trim_end();
                if !is_text(names, all, texts) {
                    return false;
                }
                is_given = true;
            }
            _ if is_looked_at => {}
            _ => return false,
        }
    }
    is_given
}

/// Where a value ends that is nothing but names, dots, texts and brackets up to the end of its line.
fn end_of_chain(value: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut is_begun = false;
    for (at, sign) in value.char_indices() {
        match sign {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ if depth > 0 => {}
            '\n' | ';' => return Some(at),
            ' ' if !is_begun || value.get(at..)?.split(['\n', ';']).next()?.trim().is_empty() => {}
            _ if is_letter(sign) || sign == '.' => is_begun = true,
            _ => return None,
        }
    }
    (depth == 0).then_some(value.len())
}

/// The arguments in the brackets that open at a place.
fn brackets(names: &str, at: usize) -> Option<std::ops::Range<usize>> {
    let rest = names.get(at..)?;
    let open = at + (rest.len() - rest.trim_start().len());
    if !names.get(open..)?.starts_with('(') {
        return None;
    }
    let mut depth = 0_usize;
    for (place, c) in names.get(open..)?.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(open + 1..open + place);
        }
    }
    None
}

/// The code with blanks in the place of texts and comments. Code that Python runs inside of a text, as in
/// `f"{x}"`, is left; if a quote stands in it, where the text ends depends on the version of Python.
fn without_texts(code: &str) -> Option<String> {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        if c == '#' {
            let end = rest.find('\n').unwrap_or(rest.len());
            out.push_str(&" ".repeat(end));
            rest = rest.get(end..)?;
            continue;
        }
        if !matches!(c, '\'' | '"') {
            out.push(c);
            rest = rest.get(c.len_utf8()..)?;
            continue;
        }
        let prefix = out.rsplit(|c: char| !is_letter(c)).next().unwrap_or_default().to_lowercase();
        let is_prefix = prefix.len() <= 2 && prefix.chars().all(|c| "rbuft".contains(c));
        let runs_code = is_prefix && prefix.contains(['f', 't']);
        let (one, three) = if c == '"' { ("\"", "\"\"\"") } else { ("'", "'''") };
        let quote = if rest.starts_with(three) { three } else { one };
        let inside = rest.get(quote.len()..)?;
        let mut end = None;
        let mut escaped = false;
        for (at, sign) in inside.char_indices() {
            if escaped {
                escaped = false;
            } else if sign == '\\' {
                escaped = true;
            } else if inside.get(at..).is_some_and(|rest| rest.starts_with(quote)) {
                end = Some(at);
                break;
            }
        }
        let text = inside.get(..end?)?;
        out.push_str(quote);
        if runs_code {
            if text.contains('{') && text.contains(['\'', '"', '#']) {
                return None;
            }
            out.push_str(text);
        } else {
            out.push_str(&" ".repeat(text.len()));
        }
        out.push_str(quote);
        rest = inside.get(end? + quote.len()..)?;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{CodeEffect, effect_of};

    fn opens(read: &[&str], written: &[&str]) -> Option<CodeEffect> {
        let owned = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
        Some(CodeEffect::Opens { read: owned(read), written: owned(written), started: Vec::new() })
    }

    #[test]
    fn programs_with_words_in_the_code_are_told() {
        for (code, expected) in [
            ("import subprocess; subprocess.run(['ls'])", vec![vec!["ls"]]),
            (
                "import os, subprocess\nprint(subprocess.check_output([\"git\", \"log\",], text=True))",
                vec![vec!["git", "log"]],
            ),
            (
                "import subprocess, sys\nsubprocess.call( ['a'] )\nsubprocess.run(['b'], stdout=subprocess.PIPE, check=True)",
                vec![vec!["a"], vec!["b"]],
            ),
            ("import subprocess", vec![]),
        ] {
            let Some(CodeEffect::Opens { started, .. }) = effect_of(code) else {
                panic!("{code}");
            };
            assert_eq!(started, expected, "{code}");
        }
    }

    #[test]
    fn files_with_names_in_the_code_are_told() {
        for (code, expected) in [
            ("print(1)", opens(&[], &[])),
            ("import json; print(json.load(open('a.json'))['x'])", opens(&["a.json"], &[])),
            ("open('out.txt', 'w').write('rm -rf /')", opens(&[], &["out.txt"])),
            ("with open(\"b\", mode=\"a\") as f:\n  f.write('x')", opens(&[], &["b"])),
            (
                "p = 'src/a.py'\ns = open(p).read()\ns = s.replace('a', 'b')\nopen(p, 'w').write(s)",
                opens(&["src/a.py"], &["src/a.py"]),
            ),
            (
                "from pathlib import Path\np = Path('x.md')\np.write_text(p.read_text() + 'system')",
                opens(&["x.md"], &["x.md"]),
            ),
            (
                "import os, platform\nprint(platform.system(), os.getcwd(), [1].append(2))",
                opens(&[], &[]),
            ),
            ("open('a', m); open('b', mode=m)", opens(&[], &["a", "b"])),
            ("# os.system('x')\nprint('subprocess')", opens(&[], &[])),
            ("import asyncio\nasyncio.run(main())", opens(&[], &[])),
            ("cursor.execute('DELETE FROM x')", opens(&[], &[])),
            (
                "from pathlib import Path\np = Path('a')\np.write_text(p.read_text().replace('b', 'c'))",
                opens(&["a"], &["a"]),
            ),
            (
                "import os\ns = open('a').read()\nassert 'b' in s\ns = s.replace('b', 'c').replace('d', 'e')\nprint(s)",
                opens(&["a"], &[]),
            ),
            ("import os\nprint('a b'.replace(' ', os.sep))", opens(&[], &[])),
            ("a = [3]; a.remove(3); b = a.copy()", opens(&[], &[])),
            ("print(f'{x:>3}')", opens(&[], &[])),
        ] {
            assert_eq!(effect_of(code), expected, "{code}");
        }
    }

    #[test]
    fn what_cannot_be_told_is_not_taken_for_harmless() {
        for code in [
            "open(p, 'w').write(s)",
            "open(sys.argv[1], 'w')",
            "p = 'a'; p = x\nopen(p, 'w')",
            "p = 'a'\nfor p in x:\n  open(p, 'w')",
            "p = 'a'\n[open(p, 'w') for p in x]",
            "def f(p): open(p, 'w')\np = 'a'",
            "p = 'a' + b\nopen(p, 'w')",
            "open('a' 'b', 'w')",
            "open('a' + x, 'w')",
            "open(x, m)",
            "open(x, mode=m)",
            "open(*a)",
            "f = open\nf('x', 'w')",
            "import os\nos.chdir('/')\nopen('a', 'w')",
            "import os\nos.remove('a')",
            "import os\nos.replace('a', 'b')",
            "from os import replace\nreplace('a', 'b')",
            "import os\ns = x.read()\nfor s in [os]:\n  s.replace('a', 'b')",
            "import os\ns = x.read()\n(s, t) = os, 1\ns.replace('a', 'b')",
            "import os\ns = x.read() or os\ns.replace('a', 'b')",
            "import os\nt = x.read(); s = t if 0 else os\ns.replace('a', 'b')",
            "import os\ns = os; s.replace('a', 'b')",
            "import os as s\ns.replace('a', 'b')",
            "import os as o, sys as s\ns = x.read()\no.replace('a', 'b')",
            "from pathlib import Path\nPath('a').replace('b')",
            "from pathlib import Path\np = Path('a')\np.replace('b')",
            "from pathlib import Path\nq = Path('a').replace('b').replace('c')",
            "import shutil as s\ns.rmtree('a')",
            "from pathlib import Path\nPath('a').unlink()",
            "from pathlib import Path\n(Path('a') / x).write_text('b')",
            "from pathlib import Path\nPath(x).write_text('b')",
            "a.b.write_text('c')",
            "import os\nos.open('a', os.O_WRONLY | os.O_TRUNC)",
        ] {
            assert_eq!(effect_of(code), Some(CodeEffect::ChangesFiles), "{code}");
        }
        for code in [
            "import os\nos.system('ls')",
            "from os import system as s\ns('ls')",
            "import subprocess as s; s.run(['ls'])",
            "import a as subprocess; subprocess.run(['ls'])",
            "from subprocess import run; run(['ls'])",
            "import subprocess; subprocess.run('ls', shell=True)",
            "import subprocess; subprocess.run(['ls'], shell=True)",
            "import subprocess; subprocess.run(['ls'], executable='x')",
            "import subprocess; subprocess.run(['ls'], **more)",
            "import subprocess; subprocess.run(['ls'], text=f(a, b))",
            "import subprocess; subprocess.run(['ls'] + x)",
            "import subprocess; subprocess.run(['ls' 'x'])",
            "import subprocess; subprocess.run([x])",
            "import subprocess; subprocess.run([])",
            "import subprocess; subprocess.run(['l\\x73'])",
            "import subprocess; subprocess.run(args)",
            "import subprocess; subprocess.Popen(['ls'])",
            "import subprocess; f = subprocess.run",
            "import subprocess; s = subprocess",
            "import subprocess.run as r",
            "import os, subprocess; os.environ['PATH'] = 'x'; subprocess.run(['ls'])",
            "import os; os.ｓystem('ls')",
            "from asyncio import create_subprocess_shell",
            "print(f'{os.system(x)}')",
            "'''a'''\nos.popen(x)",
            "x = 'a\\'b'; os.execv(y)",
        ] {
            assert_eq!(effect_of(code), Some(CodeEffect::StartsPrograms), "{code}");
        }
        for code in [
            "getattr(os, 'sys' + 'tem')('ls')",
            "__import__('os').system('ls')",
            "eval('1')",
            "print(f\"{'\"'}\"); os.system('x')",
            "print('a",
            "'''",
            "vars(os)['system']('ls')",
        ] {
            assert_eq!(effect_of(code), None, "{code}");
        }
    }
}
