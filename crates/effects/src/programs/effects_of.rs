//! The effects of one run.

use std::borrow::Cow;

use super::hosts;
use super::reading::{Reading, read};
use super::role::Role;
use super::sink::{Sink, folder_of_star, network_device};
use super::table::{Program, Special};
use super::trial::{Trial, trial};
use super::{code, environment, found_files, hosts_of_settings, special, tar};
use crate::effects::{Effects, Surroundings, UnclearWhat};
use crate::options::Given;
use crate::paths::join;
use crate::run::{Place, RedirectKind, Run};
use crate::word::{Word, WordPart};

/// Adds what a run reads, writes, deletes and connects to, its redirections included. `index` is its
/// place in [`Effects::runs`].
///
/// The runs before it should stand in [`Effects::runs`] already: what a search gives to this run as words
/// (`find -exec`, `xargs`) is known from the words of the search.
///
/// A run on another machine or in a container has no effects on paths and hosts of the session. A program
/// that the tables do not have may do anything with the paths in its words: they become
/// [`Effects::mentions`].
pub fn effects_of(run: &Run, index: usize, around: &Surroundings, out: &mut Effects) {
    let by = run.name().map_or_else(|| run.program.written(), Cow::into_owned);
    let home = around.home.as_deref();
    let mut sink = Sink { run, index, by, home, out, goes_below: false, tries: false };
    if run.place == Place::Remote {
        return;
    }
    for redirect in &run.redirects {
        if let Some(host) = network_device(&redirect.target) {
            sink.connect(Some(host));
            continue;
        }
        if redirect.kind != RedirectKind::Write {
            sink.read(&redirect.target, false);
        }
        if redirect.kind != RedirectKind::Read {
            sink.write(&redirect.target, false);
        }
    }
    match &run.script {
        Some(script) if hosts::scheme(script).is_some() => url(script, &mut sink),
        Some(script) => sink.read(script, false),
        None => {}
    }
    for (name, value) in &run.env {
        if matches!(name.to_ascii_lowercase().as_str(), "http_proxy" | "https_proxy" | "all_proxy")
        {
            sink.connect(hosts::of_url(value));
        }
    }
    for (name, value) in &run.env {
        let is_log = name.starts_with("GIT_TRACE") || name == "SSLKEYLOGFILE";
        // `GIT_TRACE=1` writes to standard error.
        let is_path = value.known_prefix().starts_with('/') || value.has_unknown();
        if is_log && is_path {
            sink.write(value, false);
        }
    }
    code::effects(&mut sink);
    if run.name().is_none() || run.is_cmdlet {
        return;
    }
    let reading = read(run);
    let elsewhere = in_its_folder(&reading, run);
    sink.run = elsewhere.as_ref().unwrap_or(run);
    match trial(&reading, run) {
        Trial::Tells => return,
        Trial::Tries => sink.tries = true,
        // A program that is not known may do as it likes with `--help` and `--dry-run`.
        Trial::MayTry | Trial::MayTell | Trial::No => {}
    }
    environment::shown(&reading, &mut sink);
    environment::build_folder(&reading, &mut sink);
    if hosts_of_settings::are_connected(&reading, run) {
        let why = format!("the settings of `{}` say which hosts it connects to", sink.by);
        sink.unclear(UnclearWhat::Connects, why);
    }
    match reading.program {
        Some(_) => known_program(&reading, &mut sink),
        None => unknown_program(&reading, &mut sink),
    }
}

/// Returns the run in the folder that an option makes it work in: `git -C FOLDER`, `patch -d FOLDER`.
fn in_its_folder(reading: &Reading<'_>, run: &Run) -> Option<Run> {
    let folders = values(reading, reading.program?).filter(|(_, role)| *role == Role::Folder);
    let mut moved: Option<Run> = None;
    for (folder, _) in folders {
        let moved = moved.get_or_insert_with(|| run.clone());
        moved.cwd = folder.known().and_then(|folder| join(moved.cwd.as_deref(), &folder));
    }
    moved
}

fn known_program(reading: &Reading<'_>, sink: &mut Sink<'_>) {
    let Some(program) = reading.program else { return };
    // A folder that takes the operands is given them below.
    for (value, role) in values(reading, program).filter(|(_, role)| *role != Role::Destination) {
        word_with_role(value, role, sink);
    }
    match program.special {
        Some(Special::Tar) => return tar::effects(sink),
        Some(Special::Curl) => special::curl(reading, sink),
        Some(Special::Wget) => special::wget(reading, sink),
        Some(Special::Editor) => special::editor(reading, sink),
        Some(Special::Keygen) => special::keygen(reading, sink),
        Some(Special::Find) => found_files::find(sink),
        None => {}
    }
    sink.goes_below = reading.has(&program.below);
    operands(reading, sink);
}

/// The values of the options, each with its role.
fn values<'r>(
    reading: &'r Reading<'_>,
    program: &'r Program,
) -> impl Iterator<Item = (&'r Word, Role)> {
    reading.given.iter().enumerate().filter_map(move |(at, given)| {
        let Given::Option { name, value: Some(value), .. } = given else { return None };
        let option = reading.program_at(at).unwrap_or(program).option(name)?;
        Some((value, option.role))
    })
}

/// Gives every operand to its role.
fn operands(reading: &Reading<'_>, sink: &mut Sink<'_>) {
    let Some(program) = reading.program else { return };
    let is_end = |names: &[String]| names.iter().any(|name| name == "--");
    let roles = program.roles(|names| reading.has(names));
    let before_end = program.roles(|names| !is_end(names) && reading.has(names));
    // Where `--` says that paths follow, what stands before it is none: `git checkout HEAD -- FILE`.
    let skipped = if std::ptr::eq(roles, before_end) { 0 } else { reading.operands_before_end() };
    let mut words: Vec<&Word> = reading.operands().skip(skipped).collect();
    let none = Word::default();
    let fallback;
    if let Some(default) = roles.default_operand().or(program.default.as_deref())
        && let Some(first) = roles.first_of_note().filter(|first| *first >= words.len())
        && !sink.run.more_args
    {
        fallback = Word::text(default);
        words.resize(first, &none);
        words.push(&fallback);
    }
    let count = words.len() + usize::from(sink.run.more_args);
    let found =
        found_files::given_to(sink.run, sink.out.runs.get(..sink.index).unwrap_or_default());
    let copies = (0..count).any(|at| roles.of(at, count) == Role::Destination);
    let mut sources = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let starred = if copies { folder_of_star(word) } else { None };
        match (roles.of(at, count), starred) {
            // What is copied by a star is what the copy of its folder would have in it.
            (Role::Path(path), Some(folder)) if path.reads => {
                sources.push(*word);
                sink.read(&folder, true);
                // What is moved is not lost.
                if path.deletes {
                    sink.delete(word, path.below);
                }
            }
            (Role::Destination, _) => destination(word, &sources, sink),
            (Role::Port, _) => port(word, sink),
            (role @ (Role::CopyDestination | Role::Mirror), _) if !is_elsewhere(word) => {
                if role == Role::Mirror {
                    sink.delete(word, true);
                }
                if is_all_unknown(word) {
                    let why = format!("`{}` may name a host", word.written());
                    sink.unclear(UnclearWhat::Connects, why);
                }
                destination(word, &sources, sink);
            }
            (Role::Path(path), _)
                if found.is_some() && found_files::stands_for_found(word, sink.run) =>
            {
                if let Some(found) = &found {
                    found.done(path, sink);
                }
            }
            (role, _) => {
                sources.push(*word);
                word_with_role(word, role, sink);
            }
        }
    }
    // The folder that an option names: `cp -t FOLDER FILE`.
    for (value, _) in values(reading, program).filter(|(_, role)| *role == Role::Destination) {
        let mut folder = value.clone();
        folder.push(WordPart::Text("/".into()));
        destination(&folder, &sources, sink);
    }
    if sink.run.more_args {
        match (roles.of(words.len(), count), found) {
            (Role::Path(path), Some(found)) => found.done(path, sink),
            (role, _) => {
                word_with_role(&Word::unknown("words from standard input", true), role, sink);
            }
        }
    }
}

/// One word in its role.
fn word_with_role(word: &Word, role: Role, sink: &mut Sink<'_>) {
    match role {
        Role::Text | Role::Port | Role::Folder => {}
        Role::Path(path) => sink.path(word, path),
        Role::Destination => sink.write(word, false),
        Role::Url => url(word, sink),
        Role::Remote => remote(word, sink),
        Role::MaybeUrl => {
            let is_copy =
                word.known_prefix().split(':').next().is_some_and(|host| host.contains('@'));
            if hosts::scheme(word).is_some() || is_copy {
                sink.connect(hosts::of_copy(word).or_else(|| hosts::of_url(word)));
            }
        }
        Role::UrlOrRead => match hosts::scheme(word) {
            Some(_) => url(word, sink),
            None => sink.read(word, false),
        },
        Role::Host => sink.connect(hosts::of_host(word)),
        // A trial run says only which files it would take.
        Role::CopySource if !is_elsewhere(word) => sink.read_as(word, false, !sink.tries),
        Role::MoveSource if !is_elsewhere(word) => {
            sink.read_as(word, false, !sink.tries);
            sink.delete(word, true);
        }
        Role::CopySource | Role::MoveSource => sink.connect(hosts::of_copy(word)),
        Role::CopyDestination | Role::Mirror | Role::Elsewhere => {
            sink.connect(hosts::of_copy(word))
        }
        Role::GitObject => {
            if let Some(path) = hosts::after(word, ':') {
                sink.read(&path, false);
            }
        }
        Role::GitFile => match hosts::after(word, ':') {
            Some(path) => sink.read(&path, false),
            None if is_commit(word) => {}
            None => sink.read(word, true),
        },
        Role::Mention => mentioned(word, sink),
        Role::Image => special::image(word, sink),
        Role::Mount => special::mount(word, sink),
        Role::MountSpec => special::mount_spec(word, sink),
        Role::AtFile => {
            if word.known_prefix().starts_with('@') {
                sink.read(&word.without_start(1), false);
            }
        }
        Role::FormFile => {
            if let Some(value) = hosts::after(word, '=')
                && value.known_prefix().starts_with(['@', '<'])
            {
                sink.read(&hosts::until(&value.without_start(1), &[';']), false);
            }
        }
        Role::HttpItem => http_item(word, sink),
        Role::EncodedFile => {
            let name = word.known_prefix();
            let at =
                name.find('@').filter(|at| name.get(..*at).is_some_and(|name| !name.contains('=')));
            if let Some(at) = at {
                sink.read(&word.without_start(at + 1), false);
            }
        }
        Role::Dns => special::dns(word, sink),
        Role::Socat => special::socat(word, sink),
        Role::Dd => special::dd(word, sink),
        Role::KeyFile => {
            if let Some(value) = hosts::after(word, '=') {
                sink.read(&value, false);
            }
        }
        Role::SshOption => special::ssh_option(word, sink),
    }
}

fn url(word: &Word, sink: &mut Sink<'_>) {
    if hosts::scheme(word).as_deref() == Some("file") {
        sink.read(&word.without_start("file://".len()), false);
    } else {
        sink.connect(hosts::of_url(word));
    }
}

/// What git fetches from or pushes to. A name stands for an address in the settings of the repository.
fn remote(word: &Word, sink: &mut Sink<'_>) {
    if hosts::scheme(word).as_deref() == Some("file") {
        return;
    }
    let known = word.known();
    if known.as_deref().is_some_and(|known| known.starts_with(['.', '/'])) {
        return;
    }
    match hosts::of_copy(word) {
        Some(host) => sink.connect(Some(host)),
        None => {
            let name = word.written();
            let why = format!("the settings of the repository say where `{name}` is");
            sink.unclear(UnclearWhat::Connects, why);
        }
    }
}

fn port(word: &Word, sink: &mut Sink<'_>) {
    let index = sink.index;
    if let Some(last) = sink.out.connects.last_mut().filter(|last| last.run == Some(index)) {
        last.port = word.known().and_then(|known| known.parse().ok()).or(last.port);
    }
}

/// Where files are copied to: a file of that name, or a folder in which they get their own names.
fn destination(word: &Word, sources: &[&Word], sink: &mut Sink<'_>) {
    let goes_below = std::mem::take(&mut sink.goes_below);
    sink.write(word, goes_below);
    let known = word.known();
    let is_folder = sources.len() > 1
        || known.as_deref().is_some_and(|known| {
            known.ends_with('/') || matches!(known.rsplit('/').next(), Some("." | ".."))
        });
    for source in sources {
        let Some(source) = source.known() else { continue };
        let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if name.is_empty() || matches!(name, "." | "..") {
            continue;
        }
        let mut inside = word.clone();
        inside.push(WordPart::Text(format!("/{name}")));
        if is_folder {
            sink.write(&inside, goes_below);
        } else {
            sink.mention(&inside);
        }
    }
    sink.goes_below = goes_below;
}

/// Returns whether a word names something on another machine: `host:path`, `s3://bucket/x`.
fn is_elsewhere(word: &Word) -> bool {
    hosts::scheme(word).is_some() || hosts::of_copy(word).is_some()
}

fn is_all_unknown(word: &Word) -> bool {
    matches!(word.parts.as_slice(), [WordPart::Unknown { .. }])
}

fn unknown_program(reading: &Reading<'_>, sink: &mut Sink<'_>) {
    for given in &reading.given {
        match given {
            Given::Operand { word, .. } => mentioned(word, sink),
            Given::Option { value: Some(value), .. } => mentioned(value, sink),
            Given::Option { .. } | Given::Unknown { .. } => {}
        }
    }
}

/// A word of a program that is not known: it may be a path, and what it does with an address is to
/// connect. A word that is unknown or a glob says something only if it begins as a path does.
fn mentioned(word: &Word, sink: &mut Sink<'_>) {
    let prefix = word.known_prefix();
    if prefix.is_empty()
        || (word.known().is_none() && !prefix.contains('/') && !prefix.starts_with('.'))
    {
        return;
    }
    match hosts::scheme(word) {
        Some(_) => url(word, sink),
        None => sink.mention(word),
    }
}

/// A method, an address, or a part of a request of HTTPie: `file@PATH`, `field=@PATH`, `header:value`.
fn http_item(word: &Word, sink: &mut Sink<'_>) {
    let item = word.known_prefix();
    let scheme = item.split_once("://").map(|(scheme, _)| scheme);
    let is_address = scheme.is_some_and(|scheme| scheme.bytes().all(|c| c.is_ascii_alphanumeric()));
    // What stands before the first `@`, wherever it is, without `\=`.
    let at = word
        .parts
        .iter()
        .position(|part| matches!(part, WordPart::Text(text) if text.contains('@')));
    let name = at.and_then(|at| match word.parts.get(at) {
        Some(WordPart::Text(text)) => text.split_once('@').map(|(name, _)| name.replace("\\=", "")),
        _ => None,
    });
    let has_file = name.is_some_and(|name| !name.contains('=') || name.ends_with('='));
    let is_header = item
        .split_once(':')
        .is_some_and(|(_, value)| !value.starts_with(|sign: char| sign.is_ascii_digit()));
    let is_method = !item.is_empty() && item.bytes().all(|sign| sign.is_ascii_uppercase());
    if is_address {
        url(word, sink);
    } else if has_file {
        if let Some(file) = hosts::after(word, '@') {
            sink.read(&hosts::until(&file, &[';']), false);
        }
    } else if item.starts_with(':') {
        let mut address = Word::text("http://localhost");
        word.parts.iter().for_each(|part| address.push(part.clone()));
        url(&address, sink);
    } else if !is_method && !item.contains('=') && !is_header {
        url(word, sink);
    }
}

/// Whether a word certainly names a commit, or a range of them: `$(git merge-base A B)..HEAD`, `main..."$BRANCH"`.
fn is_commit(word: &Word) -> bool {
    match word.parts.as_slice() {
        [name] => name.is_plain_name(),
        [name, WordPart::Text(rest)] if name.is_plain_name() => rest.starts_with(['.', '~', '^']),
        parts => parts.iter().enumerate().any(|(at, part)| {
            matches!(part, WordPart::Text(text) if is_range(text) && (at > 0 || !text.starts_with("..")))
        }),
    }
}

/// Whether dots stand between two revisions here; those of a path have a slash beside them.
fn is_range(text: &str) -> bool {
    text.split_once("..").is_some_and(|(from, to)| {
        let to = to.strip_prefix('.').unwrap_or(to);
        !from.ends_with('/') && !to.starts_with(['/', '.']) && !to.contains("..")
    })
}
