//! A view as one file that needs nothing else: no script, no font, no network.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use data_encoding::BASE64;
use hmac_sha256::Hash;
use jiff::Timestamp;
use serde::Serialize;

use super::{STYLE, VIEW, View, environment, render};
use crate::abort::Abort;

const NAME: &str = "report.html";
const TEMPLATE: &str = include_str!("report.html");

#[derive(Serialize)]
struct Page {
    style: &'static str,
    style_hash: String,
    version: &'static str,
    made: String,
    title: String,
    /// Made of a template.
    view: String,
}

/// Writes the file.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write(path: &Path, view: View) -> Result<(), Abort> {
    let environment = environment(&[(NAME, TEMPLATE), VIEW])?;
    let made = Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string();
    let style_hash = BASE64.encode(&Hash::hash(STYLE.as_bytes()));
    let version = env!("CARGO_PKG_VERSION");
    let title = view.title.clone();
    let view = render(&environment, VIEW.0, view)?;
    let page = Page { style: STYLE, style_hash, version, made, title, view };
    let text = render(&environment, NAME, page)?;
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    // It says what steps have said, so it is as closed as a journal.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| Abort::file("write", path, &error))
}
