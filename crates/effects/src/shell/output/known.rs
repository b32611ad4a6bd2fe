//! What a program writes, as far as its words say it: `echo`, `printf`, `date`, `basename`.

use super::super::parameters::cut;
use super::super::syntax::{Escapes, unescape};
use crate::run::{Output, Run};
use crate::word::{Word, WordPart};

/// The most numbers of `seq` that are followed.
const NUMBERS: u32 = 1024;

/// What `echo`, `printf`, `pwd`, `basename`, `dirname` and `seq` write; parts of it may be unknown.
pub(super) fn written_by(run: &Run) -> Option<Word> {
    match &*run.name()? {
        "echo" => Some(echo(&run.args)),
        "printf" => printf(&run.args),
        // Behind a `cd` that fails it is the folder before.
        "pwd" if run.args.is_empty() && run.stays_in().is_empty() => {
            run.cwd.as_deref().map(Word::text)
        }
        "basename" if !run.renamed => base_name(&run.args),
        "dirname" if !run.renamed => match run.args.as_slice() {
            [path] => ended(folder_name(path)?),
            _ => None,
        },
        "seq" if !run.renamed => {
            let numbers: Option<Vec<u32>> =
                run.args.iter().map(|word| word.known()?.parse().ok()).collect();
            let (first, last) = match numbers?.as_slice() {
                [last] => (1, *last),
                [first, last] => (*first, *last),
                _ => return None,
            };
            let is_short = last.checked_sub(first).is_none_or(|more| more < NUMBERS);
            let lines = (first..=last).map(|number| format!("{number}\n"));
            is_short.then(|| Word::text(lines.collect::<String>()))
        }
        _ => None,
    }
}

/// Whether a program writes one word of letters, digits and what stands between them in names, or nothing.
pub(super) fn writes_one_word(run: &Run) -> bool {
    if run.renamed || !run.redirects.is_empty() || run.output != Output::Shown {
        return false;
    }
    let words: Option<Vec<_>> = run.args.iter().map(Word::known).collect();
    let (Some(name), Some(words)) = (run.name(), words) else { return false };
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match (&*name, words.as_slice()) {
        ("date", words) => is_date(words),
        ("nproc" | "uuidgen" | "hostname" | "whoami", []) | ("id", ["-u" | "-g" | "-un"]) => true,
        ("uname", [] | ["-s" | "-m" | "-r"]) => true,
        ("git", ["rev-parse", options @ .., "HEAD" | "@"]) => {
            options.iter().all(|option| option.starts_with("--short") || *option == "--verify")
        }
        _ => false,
    }
}

/// Whether `date` writes digits and what stands between them in names.
fn is_date(words: &[&str]) -> bool {
    let mut formats = words.iter().filter_map(|word| word.strip_prefix('+'));
    let (Some(format), None) = (formats.next(), formats.next()) else { return false };
    let mut rest = format;
    while let Some((between, after)) = rest.split_once('%') {
        let after = after.strip_prefix('-').unwrap_or(after);
        if !is_plain(between) || !after.starts_with(|sign| "YymdHMSsNFTjuwVUGgIC".contains(sign)) {
            return false;
        }
        rest = after.get(1..).unwrap_or_default();
    }
    is_plain(rest)
}

fn is_plain(between: &str) -> bool {
    between
        .chars()
        .all(|sign| sign.is_ascii_digit() || matches!(sign, '-' | '_' | '.' | ':' | 'T' | 'Z'))
}

/// Ends what is written with a line break.
fn ended(mut text: Word) -> Option<Word> {
    text.push(WordPart::Text("\n".to_owned()));
    Some(text)
}

/// What `basename PATH [ENDING]` writes.
fn base_name(args: &[Word]) -> Option<Word> {
    let (path, ending) = match args {
        [path] => (path, None),
        [path, ending] => (path, Some(ending.known()?)),
        _ => return None,
    };
    let mut path = path.clone();
    if let Some(WordPart::Text(last)) = path.parts.last_mut() {
        last.truncate(last.trim_end_matches('/').len());
    }
    path.parts.retain(|part| !matches!(part, WordPart::Text(text) if text.is_empty()));
    if path.parts.is_empty() || path.known_prefix().starts_with('-') {
        return None;
    }
    let name = cut(&path, "##", "*/")?;
    match ending {
        Some(ending) if name.known().as_ref() == Some(&ending) => ended(name),
        Some(ending) => ended(cut(&name, "%", &ending)?),
        None => ended(name),
    }
}

/// What `dirname PATH` writes.
fn folder_name(path: &Word) -> Option<Word> {
    let has_slash =
        path.parts.iter().any(|part| matches!(part, WordPart::Text(text) if text.contains('/')));
    let ends_in_slash =
        matches!(path.parts.last(), Some(WordPart::Text(text)) if text.ends_with('/'));
    match path.known_prefix() {
        start if start.starts_with('-') || ends_in_slash => None,
        _ if has_slash => {
            let folder = cut(path, "%", "/*")?;
            Some(if folder.parts.is_empty() { Word::text("/") } else { folder })
        }
        _ if path.has_unknown() => None,
        _ => Some(Word::text(".")),
    }
}

fn echo(args: &[Word]) -> Word {
    let mut escapes = false;
    let mut newline = true;
    let mut first = 0;
    for word in args {
        let Some(text) = word.known() else { break };
        let letters = text.strip_prefix('-').unwrap_or_default();
        if letters.is_empty() || !letters.chars().all(|letter| matches!(letter, 'n' | 'e' | 'E')) {
            break;
        }
        for letter in letters.chars() {
            match letter {
                'n' => newline = false,
                letter => escapes = letter == 'e',
            }
        }
        first += 1;
    }
    let mut written = Word::default();
    for (place, word) in args.iter().skip(first).enumerate() {
        if place > 0 {
            written.push(WordPart::Text(" ".to_owned()));
        }
        for part in &word.parts {
            written.push(match part {
                WordPart::Text(text) if escapes => WordPart::Text(unescape(text, Escapes::Echo)),
                // The names of files that match are not known.
                WordPart::Glob(glob) => {
                    WordPart::Unknown { written: glob.clone(), splits: true, plain: false }
                }
                part => part.clone(),
            });
        }
    }
    if newline {
        written.push(WordPart::Text("\n".to_owned()));
    }
    written
}

/// `printf` with no fewer words than its format asks for, and only `%s`, `%b`, `%d` and `%%`.
fn printf(args: &[Word]) -> Option<Word> {
    let (args, is_after_end) = match args {
        [end, rest @ ..] if end.known().as_deref() == Some("--") => (rest, true),
        args => (args, false),
    };
    let (format, mut values) =
        args.split_first().map(|(format, values)| (format, values.iter()))?;
    let format = format.known()?;
    if format.starts_with('-') && !is_after_end {
        return None;
    }
    let mut written = Word::default();
    loop {
        let left = values.len();
        printed(&format, &mut values, &mut written)?;
        if values.len() == 0 {
            return Some(written);
        }
        // The format is used again as long as it takes words. Only lines are followed so.
        if values.len() == left || !format.ends_with("\\n") {
            return None;
        }
    }
}

/// Prints a format once.
fn printed<'w>(
    format: &str,
    values: &mut impl Iterator<Item = &'w Word>,
    written: &mut Word,
) -> Option<()> {
    let mut rest = format;
    while let Some((plain, after)) = rest.split_once('%') {
        written.push(WordPart::Text(unescape(plain, Escapes::Printf)));
        let sign = after.chars().next()?;
        match sign {
            '%' => written.push(WordPart::Text("%".to_owned())),
            's' | 'd' | 'b' => {
                let value = values.next()?;
                for part in &value.parts {
                    written.push(match part {
                        WordPart::Text(text) if sign == 'b' => {
                            WordPart::Text(unescape(text, Escapes::Echo))
                        }
                        WordPart::Glob(glob) => {
                            WordPart::Unknown { written: glob.clone(), splits: true, plain: false }
                        }
                        part => part.clone(),
                    });
                }
            }
            _ => return None,
        }
        rest = after.get(sign.len_utf8()..)?;
    }
    written.push(WordPart::Text(unescape(rest, Escapes::Printf)));
    Some(())
}
