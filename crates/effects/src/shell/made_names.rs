//! Programs that give files other names: `ln`, `cp`, `mv`, `install`, `mount`, `dd`, `cat F > G`.

use super::walk::Walker;
use crate::line_files::Leads;
use crate::options::Given;
use crate::paths::{absolute, climbing, real};
use crate::programs::{Reading, read};
use crate::run::{Place, RedirectKind, Run};
use crate::word::{Word, WordPart};

/// A name that a program makes: where it lies, what it was made of, and how it leads there.
struct Made {
    path: Word,
    source: Word,
    leads: Leads,
    /// Whether the links below the source get names below the path, too.
    takes_links: bool,
}

impl Walker<'_> {
    /// Notes the names that a program makes.
    pub(super) fn note_names(&mut self, by: usize) {
        let Some(run) = self.runs.get(by).filter(|run| run.place == Place::Local) else { return };
        let made = match run.name().as_deref() {
            Some("ln" | "gln" | "link") => linked(run),
            Some("cp" | "gcp") => copied(run),
            Some("mv" | "gmv") => between(run, |_| (Leads::Moved, true)),
            Some("install" | "ginstall") => between(run, |_| (Leads::Copy, false)),
            Some("mount") => mounted(run),
            Some("dd") => by_keys(run),
            Some("cat") => written(run),
            _ => return,
        };
        for Made { path, source, leads, takes_links } in made {
            if self.names.is_full() {
                break;
            }
            if takes_links {
                self.names.repeat_below(&source, &path);
            }
            self.names.add(path, source, leads);
        }
    }

    /// Returns what a path of a program stands for, if the line itself has made it of another program.
    pub(super) fn program_behind(&self, program: &Word) -> Option<Word> {
        if self.names.is_empty() || self.place != Place::Local {
            return None;
        }
        let path = absolute(program, self.state.cwd.as_deref());
        self.names.program(&path)
    }
}

fn has(reading: &Reading<'_>, names: &[&str]) -> bool {
    names.iter().any(|name| reading.options(name).next().is_some())
}

/// The most words of a run that are looked at.
const MOST_WORDS: usize = 32;

/// The sources of a run, and where each of them goes.
fn pairs<'w>(reading: &Reading<'w>) -> Vec<(&'w Word, Word)> {
    let mut operands: Vec<&Word> = reading.operands().collect();
    let named = reading.options("t").chain(reading.options("target-directory")).flatten().last();
    let (folder, sure) = match named {
        Some(folder) => (folder.clone(), true),
        None if operands.len() == 1 => (Word::text("."), true),
        None => match operands.pop() {
            Some(last) => (last.clone(), operands.len() > 1 || is_folder(last)),
            None => return Vec::new(),
        },
    };
    let whole = has(reading, &["T", "no-target-directory"]);
    let mut pairs = Vec::new();
    for source in operands.into_iter().take(MOST_WORDS) {
        if !sure {
            pairs.push((source, folder.clone()));
        }
        // Whether the last word is a folder that exists is not known: then the name lies in it.
        if !whole {
            pairs.push((source, inside(&folder, source)));
        }
    }
    pairs
}

fn is_folder(word: &Word) -> bool {
    let written = word.written();
    written.ends_with('/') || matches!(written.rsplit('/').next(), Some("." | ".."))
}

/// The name of a file in a folder.
fn inside(folder: &Word, file: &Word) -> Word {
    let mut path = folder.clone();
    path.push(WordPart::Text("/".to_owned()));
    let written = file
        .known()
        .map(|known| known.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned());
    match written {
        Some(name) => path.push(WordPart::Text(name)),
        None => file.parts.iter().for_each(|part| path.push(part.clone())),
    }
    path
}

/// The names of a program that takes sources and a destination.
fn between(run: &Run, leads: impl Fn(&Word) -> (Leads, bool)) -> Vec<Made> {
    let reading = read(run);
    let cwd = run.cwd.as_deref();
    let made = pairs(&reading).into_iter().flat_map(|(source, path)| {
        let path = absolute(&path, cwd);
        let all = places(run, source, cwd);
        let made = all.into_iter().map(|source| {
            let (leads, takes_links) = leads(&source);
            Made { path: path.clone(), source, leads, takes_links }
        });
        made.collect::<Vec<_>>()
    });
    made.collect()
}

/// The places that a word may name in a folder: the one of its text, and others where a `..` stands behind a
/// link, which leaves the folder that the link leads to.
fn places(run: &Run, word: &Word, folder: Option<&str>) -> Vec<Word> {
    let mut places = vec![absolute(word, folder)];
    let on_disk = climbing(word, folder).and_then(|whole| real(&whole, true));
    for other in run.files.climbed(word, folder).into_iter().chain(on_disk) {
        if !places.contains(&other) {
            places.push(other);
        }
    }
    places
}

fn linked(run: &Run) -> Vec<Made> {
    let reading = read(run);
    if !has(&reading, &["s", "symbolic"]) {
        return between(run, |_| (Leads::Same, false));
    }
    let relative = has(&reading, &["r", "relative"]);
    let cwd = run.cwd.as_deref();
    let made = pairs(&reading).into_iter().flat_map(|(target, path)| {
        let path = absolute(&path, cwd);
        // The text of a link counts from the folder that it lies in.
        let folder = path.known().and_then(|path| Some(path.rsplit_once('/')?.0.to_owned()));
        let all = match folder {
            Some(folder) if !relative => places(run, target, Some(folder.as_str())),
            None if !relative => vec![from_folder_of(&path, target)],
            _ => places(run, target, cwd),
        };
        let link =
            |source| Made { path: path.clone(), source, leads: Leads::Link, takes_links: false };
        all.into_iter().map(link).collect::<Vec<_>>()
    });
    made.collect()
}

/// A path as it is seen from the folder in which another one lies.
fn from_folder_of(path: &Word, target: &Word) -> Word {
    if target.known_prefix().starts_with('/') {
        return absolute(target, None);
    }
    let mut whole = path.clone();
    whole.push(WordPart::Text("/../".to_owned()));
    target.parts.iter().for_each(|part| whole.push(part.clone()));
    absolute(&whole, None)
}

fn copied(run: &Run) -> Vec<Made> {
    let reading = read(run);
    if has(&reading, &["s", "symbolic-link"]) {
        return between(run, |_| (Leads::Link, false));
    }
    if has(&reading, &["l", "link"]) {
        return between(run, |_| (Leads::Same, true));
    }
    let keeps = ["a", "archive", "d", "P", "no-dereference", "r", "R", "recursive", "preserve"];
    let keeps_links = has(&reading, &keeps) && !has(&reading, &["L", "dereference"]);
    between(run, |source| {
        // A copy of a link that is on the disk leads where that leads.
        let on_disk = source.known().filter(|_| keeps_links).is_some_and(|source| {
            std::fs::symlink_metadata(&*source).is_ok_and(|found| found.is_symlink())
        });
        (if on_disk { Leads::Moved } else { Leads::Copy }, keeps_links)
    })
}

fn mounted(run: &Run) -> Vec<Made> {
    let reading = read(run);
    let option = |value: &Word| {
        let written = value.written();
        written.split(',').any(|one| matches!(one, "bind" | "rbind" | "move"))
    };
    let binds = has(&reading, &["B", "bind", "R", "rbind", "M", "move"])
        || reading.options("o").chain(reading.options("options")).flatten().any(option);
    let mut operands = reading.operands();
    let (Some(source), Some(path), true) = (operands.next(), operands.next(), binds) else {
        return Vec::new();
    };
    let cwd = run.cwd.as_deref();
    let path = absolute(path, cwd);
    let mounted =
        |source| Made { path: path.clone(), source, leads: Leads::Mounted, takes_links: true };
    places(run, source, cwd).into_iter().map(mounted).collect()
}

/// `dd if=F of=G`
fn by_keys(run: &Run) -> Vec<Made> {
    let value = |key: &str| {
        run.args
            .iter()
            .rev()
            .find(|word| word.known_prefix().starts_with(key))
            .map(|word| absolute(&word.without_start(key.len()), run.cwd.as_deref()))
    };
    match (value("if="), value("of=")) {
        (Some(source), Some(path)) => {
            vec![Made { path, source, leads: Leads::Copy, takes_links: false }]
        }
        _ => Vec::new(),
    }
}

/// `cat F > G`
fn written(run: &Run) -> Vec<Made> {
    let reading = read(run);
    let read_there = run.redirects.iter().filter(|one| one.kind == RedirectKind::Read);
    let sources: Vec<&Word> = match reading.given.as_slice() {
        [Given::Operand { word, .. }] => vec![*word],
        [] => read_there.map(|one| &one.target).collect(),
        _ => Vec::new(),
    };
    let [source] = sources.as_slice() else { return Vec::new() };
    let source = absolute(source, run.cwd.as_deref());
    let targets = run.redirects.iter().filter(|one| one.kind == RedirectKind::Write);
    let made = targets.map(|one| Made {
        path: absolute(&one.target, run.cwd.as_deref()),
        source: source.clone(),
        leads: Leads::Copy,
        takes_links: false,
    });
    made.collect()
}
