//! What a program writes, as far as its words say it: `echo`, `printf`, `date`, `basename`.

use super::super::parameters::cut;
use super::super::syntax::{Escapes, unescape};
use crate::run::Run;
use crate::word::{Word, WordPart};

/// What `echo`, `printf` and `pwd` write; parts of it may be unknown. What is always one plain word, such as a date,
/// is told by a text that stands for it.
pub(super) fn written_by(run: &Run) -> Option<Word> {
    match &*run.name()? {
        "echo" => Some(echo(&run.args)),
        "printf" => printf(&run.args),
        "pwd" if run.args.is_empty() => run.cwd.as_deref().map(Word::text),
        "date" if !run.renamed => date(&run.args),
        "basename" if !run.renamed => base_name(&run.args),
        "dirname" if !run.renamed => match run.args.as_slice() {
            [path] => ended(folder_name(path)?),
            _ => None,
        },
        "seq" if !run.renamed => {
            let is_number =
                |word: &Word| word.known().is_some_and(|word| word.parse::<u32>().is_ok());
            run.args.iter().all(is_number).then(|| Word::text("%seq\n"))
        }
        "git" if !run.renamed => commit(&run.args),
        "nproc" | "uuidgen" | "hostname" | "whoami" if !run.renamed && run.args.is_empty() => {
            Some(Word::text(format!("%{}\n", run.name()?)))
        }
        "id" | "uname" if !run.renamed => {
            let [option] = run.args.as_slice() else { return None };
            let option = option.known()?;
            let is_word = matches!(option.as_ref(), "-u" | "-g" | "-un" | "-s" | "-m" | "-r");
            is_word.then(|| Word::text(format!("%{}\n", run.name().unwrap_or_default())))
        }
        _ => None,
    }
}

/// The format of a date, if all that it can write are digits and what stands between them in names.
fn date(args: &[Word]) -> Option<Word> {
    let mut formats = args.iter().filter_map(|word| word.known_prefix().strip_prefix('+'));
    let format = formats.next().filter(|_| formats.next().is_none())?;
    if args.iter().any(|word| word.known().is_none()) {
        return None;
    }
    let mut rest = format;
    while let Some((between, after)) = rest.split_once('%') {
        let after = after.strip_prefix('-').unwrap_or(after);
        if !is_plain(between) || !after.starts_with(|sign| "YymdHMSsNFTjuwVUGgIC".contains(sign)) {
            return None;
        }
        rest = after.get(1..)?;
    }
    (is_plain(rest) && format.contains('%')).then(|| Word::text(format!("{format}\n")))
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
    if ending.as_ref().is_some_and(|ending| ending.contains(['*', '%'])) {
        return None;
    }
    let is_plain = !path.known_prefix().starts_with('-');
    let path = cut(path, "%/").filter(|_| is_plain)?;
    let name = cut(&path, "##*/")?;
    match ending {
        Some(ending) => ended(cut(&name, &format!("%{ending}"))?),
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
            let folder = cut(path, "%/*")?;
            Some(if folder.parts.is_empty() { Word::text("/") } else { folder })
        }
        _ if path.has_unknown() => None,
        _ => Some(Word::text(".")),
    }
}

/// The name of the commit that git is at: `git rev-parse --short HEAD`.
fn commit(args: &[Word]) -> Option<Word> {
    let words: Option<Vec<_>> = args.iter().map(Word::known).collect();
    let words = words?;
    let (first, rest) = words.split_first().filter(|(first, _)| first.as_ref() == "rev-parse")?;
    let is_option = |word: &str| word.starts_with("--short") || word == "--verify";
    let (last, options) = rest.split_last()?;
    let is_known =
        matches!(last.as_ref(), "HEAD" | "@") && options.iter().all(|word| is_option(word));
    is_known.then(|| Word::text(format!("%{first}\n")))
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
                WordPart::Glob(glob) => WordPart::Unknown { written: glob.clone(), splits: true },
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
                            WordPart::Unknown { written: glob.clone(), splits: true }
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
