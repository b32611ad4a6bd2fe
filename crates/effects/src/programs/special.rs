//! Words that the tables cannot describe.

use super::hosts;
use super::reading::Reading;
use super::sed_script::{SedCommand, sed_commands};
use super::sink::Sink;
use super::tar::inside;
use crate::effects::UnclearWhat;
use crate::word::{Word, WordPart};

/// `curl -O` gives the file the name that ends the address.
pub(super) fn curl(reading: &Reading<'_>, sink: &mut Sink<'_>) {
    let has = |name: &str| reading.options(name).next().is_some();
    if has("O") || has("remote-name") || has("remote-name-all") {
        let folder = reading.options("output-dir").flatten().last();
        for address in reading.operands() {
            named_file(folder, address, sink);
        }
    }
    // `-w '%output{FILE}'` writes what follows into a file.
    for format in reading.options("w").chain(reading.options("write-out")).flatten() {
        for part in format.written().split("%output{").skip(1) {
            let file = part.split('}').next().unwrap_or_default();
            sink.write(&Word::text(file.strip_prefix(">>").unwrap_or(file)), false);
        }
    }
}

/// `wget` does so unless `-O` names the file.
pub(super) fn wget(reading: &Reading<'_>, sink: &mut Sink<'_>) {
    let has = |name: &str| reading.options(name).next().is_some();
    if has("O") || has("output-document") || has("spider") {
        return;
    }
    let folder = reading.options("P").chain(reading.options("directory-prefix")).flatten().last();
    for address in reading.operands() {
        named_file(folder, address, sink);
    }
}

/// `ssh-keygen` makes the file of `-f`, unless it is asked about it. It shows a fingerprint or the public half, and
/// of a file of hosts the line of one; with `-R` and `-H` it changes that.
pub(super) fn keygen(reading: &Reading<'_>, sink: &mut Sink<'_>) {
    let has = |name: &str| reading.options(name).next().is_some();
    let asks = ["l", "y", "B", "L", "F", "e"].into_iter().any(has)
        && !["R", "H", "p"].into_iter().any(has);
    for file in reading.options("f").flatten() {
        if asks {
            sink.read_as(file, false, false);
        } else {
            sink.write(file, false);
        }
    }
}

fn named_file(folder: Option<&Word>, address: &Word, sink: &mut Sink<'_>) {
    let skip = hosts::scheme(address).map_or(0, |scheme| scheme.len() + 3);
    let path = hosts::until(&address.without_start(skip), &['?', '#']);
    let name = match path.known() {
        Some(known) => match known.split_once('/').and_then(|(_, path)| path.rsplit('/').next()) {
            Some(name) if !name.is_empty() => Word::text(name),
            _ => Word::text("index.html"),
        },
        None => {
            let mut name = Word::text("./");
            name.push(WordPart::Unknown {
                written: address.written(),
                splits: false,
                plain: false,
            });
            name
        }
    };
    sink.write(&inside(folder, &name), false);
}

/// The code of `awk` and `sed` can open files: `print > "f"`, `w f`, `r f`.
pub(super) fn editor(reading: &Reading<'_>, sink: &mut Sink<'_>) {
    let has = |name: &str| reading.options(name).next().is_some();
    let is_awk = sink.by.ends_with("awk");
    let first = reading.operands().next().filter(|_| !has("e") && !has("expression") && !has("f"));
    let mut libraries = reading.options("i").chain(reading.options("include")).flatten();
    if is_awk && libraries.any(|library| library.known().as_deref() == Some("inplace")) {
        for file in reading.operands().skip(usize::from(first.is_some())) {
            sink.write(file, false);
        }
    }
    let given = reading.options("e").chain(reading.options("expression")).flatten();
    for code in first.into_iter().chain(given) {
        let Some(code) = code.known() else { continue };
        let writes = if is_awk {
            code.contains("print") && code.contains('>') && code.contains('"')
        } else {
            false
        };
        for text in super::code::texts(&code) {
            if is_awk && (writes || code.contains("getline")) && text.contains(['/', '.']) {
                sink.mention(&Word::text(text));
            }
        }
        if is_awk {
            continue;
        }
        for command in sed_commands(&code) {
            match command {
                SedCommand::Reads(file) => sink.read(&Word::text(file), false),
                SedCommand::Writes(file) => sink.write(&Word::text(file), false),
                SedCommand::Runs(_) | SedCommand::RunsLine | SedCommand::RunsResult => {}
            }
        }
    }
}

/// `[registry/]name[:tag]`: the first part is a registry if it has a dot or a port, or is `localhost`.
pub(super) fn image(word: &Word, sink: &mut Sink<'_>) {
    let first = hosts::until(word, &['/']);
    if &first == word {
        return;
    }
    match first.known() {
        Some(known) if known.contains(['.', ':']) || known == "localhost" => {
            sink.connect(hosts::of_authority(&first, Some(443)));
        }
        Some(_) => {}
        None => sink.connect(hosts::of_authority(&first, None)),
    }
}

/// `HOST:CONTAINER[:ro]`: what is in the container can change what lies below the path, unless it ends with
/// `ro`. A name without a slash is a volume.
pub(super) fn mount(word: &Word, sink: &mut Sink<'_>) {
    let path = hosts::until(word, &[':']);
    if &path == word || !is_path(&path) {
        return;
    }
    let read_only = word.known().is_some_and(|known| known.ends_with(":ro"));
    mounted(&path, read_only, sink);
}

/// `type=bind,source=PATH,target=…[,readonly]`
pub(super) fn mount_spec(word: &Word, sink: &mut Sink<'_>) {
    let Some(known) = word.known() else {
        sink.unclear(UnclearWhat::Writes, format!("`{}` may mount any path", word.written()));
        return;
    };
    let read_only =
        known.split(',').any(|part| matches!(part, "ro" | "readonly" | "readonly=true"));
    for part in known.split(',') {
        if let Some(("source" | "src", path)) = part.split_once('=')
            && is_path(&Word::text(path))
        {
            mounted(&Word::text(path), read_only, sink);
        }
    }
}

fn is_path(word: &Word) -> bool {
    word.known().is_none_or(|known| known.starts_with(['/', '.', '~']) || known.contains('/'))
}

fn mounted(path: &Word, read_only: bool, sink: &mut Sink<'_>) {
    sink.read(path, true);
    if !read_only {
        sink.write(path, true);
    }
}

/// `@server` and names of dig and its kin.
pub(super) fn dns(word: &Word, sink: &mut Sink<'_>) {
    let prefix = word.known_prefix();
    if let Some(server) = prefix.strip_prefix('@') {
        let skip = prefix.len() - server.len();
        sink.connect(hosts::of_authority(&word.without_start(skip), Some(53)));
    } else if !prefix.starts_with('+')
        && (prefix.contains('.') || !word.parts.is_empty() && word.known().is_none())
    {
        sink.connect(hosts::of_authority(word, None));
    }
}

/// One address of socat: `TCP:host:port`, `OPENSSL:…`, `OPEN:path`, `EXEC:…`.
pub(super) fn socat(word: &Word, sink: &mut Sink<'_>) {
    let start = hosts::until(word, &[',']);
    let kind = hosts::until(&start, &[':']);
    let Some(kind) = kind.known().map(|kind| kind.to_ascii_uppercase()) else { return };
    let Some(rest) = hosts::after(&start, ':') else {
        if kind.contains('/') || kind.contains('.') {
            sink.path(
                &start,
                super::role::PathRole { reads: true, writes: true, ..Default::default() },
            );
        }
        return;
    };
    match kind.as_str() {
        "TCP" | "TCP4" | "TCP6" | "TCP-CONNECT" | "TCP4-CONNECT" | "TCP6-CONNECT" | "SSL"
        | "OPENSSL" | "OPENSSL-CONNECT" | "UDP" | "UDP4" | "UDP6" | "UDP-SENDTO"
        | "UDP4-SENDTO" | "UDP-CONNECT" | "UDP-DATAGRAM" | "SCTP" | "SOCKS4" | "SOCKS4A"
        | "SOCKS5" | "PROXY" | "DCCP" => {
            sink.connect(hosts::of_authority(&rest, None));
        }
        "OPEN" | "FILE" | "GOPEN" => sink.read(&rest, false),
        "CREATE" | "CREAT" => sink.write(&rest, false),
        _ => {}
    }
}

/// `if=FILE` and `of=FILE` of dd.
pub(super) fn dd(word: &Word, sink: &mut Sink<'_>) {
    match word.known_prefix().split('=').next() {
        Some("if") => sink.read(&word.without_start(3), false),
        Some("of") => sink.write(&word.without_start(3), false),
        _ => {}
    }
}

/// `ssh -o HostName=…`, `-o ProxyJump=…`, `-o IdentityFile=…`.
pub(super) fn ssh_option(word: &Word, sink: &mut Sink<'_>) {
    let key = word.known_prefix().split(['=', ' ']).next().unwrap_or_default();
    let value = word.without_start(key.len() + 1);
    match key.to_ascii_lowercase().as_str() {
        "hostname" | "proxyjump" => sink.connect(hosts::of_host(&value)),
        "identityfile" | "certificatefile" => sink.read(&value, false),
        "userknownhostsfile" => sink.mention(&value),
        _ => {}
    }
}
