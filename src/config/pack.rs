//! `extends`: shared packs of hooks, each known by its hash.
//!
//! ```toml
//! extends = "packs/shell.pack@sha256:9f86…"     # or a list; an https URL as well
//! ```
//!
//! The hooks of a pack count as if they stood before those of the file that extends it, in the same layer. What
//! a pack is made of, and where it comes from, is for the host to know: the engine opens no pack and talks to no
//! network. A pack that cannot be opened refuses the file, since a guard of it may be missing.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use super::Loader;
use super::include::{Belonging, FileEntry, Trail, identity};
use super::loaded_file::{Included, OfPack};
use super::pack_problem::PackProblem;
use super::pack_reference::PackReference;
use super::problem::ConfigProblem;
use super::reader::Reader;

/// The key at the top of the file.
pub(super) const EXTENDS: &str = "extends";

/// A pack that was opened: its files are on disk, as they are in the pack.
#[derive(Debug, Clone)]
pub struct Pack {
    /// The folder of its files. What it includes is in there.
    pub folder: PathBuf,
    /// Its config.
    pub config: PathBuf,
    /// The text of the config.
    pub text: String,
    /// The file of the pack itself, if there is one that may change.
    pub file: Option<PathBuf>,
}

/// Opens the packs that configs extend.
pub trait Packs: Debug + Sync {
    /// Opens a pack. A relative path begins at `folder`, that of the file that extends it. Nothing of the pack
    /// may be used before its content was compared with the hash.
    ///
    /// # Errors
    /// It is not there, or is not what the hash says.
    fn open(&self, pack: &PackReference, folder: &Path) -> Result<Pack, PackProblem>;
}

impl Loader<'_> {
    /// Reads the packs that a file extends. A mistake of an entry is reported where it is written.
    pub(super) fn read_packs(
        &self,
        reader: &mut Reader<'_>,
        extends: &[FileEntry],
        folder: &Path,
        trail: &mut Trail,
    ) -> Belonging {
        let mut found = Belonging::default();
        for FileEntry { written, span } in extends {
            let opened = self.open_pack(written, folder, trail);
            let (reference, pack) = match opened {
                Ok(opened) => opened,
                Err(problem) => {
                    reader.error(span.clone(), ConfigProblem::Pack(problem));
                    continue;
                }
            };
            // Each counts once.
            if !trail.known.insert(identity(&pack.config)) {
                continue;
            }
            trail.above.push(identity(&pack.config));
            trail.pack = Some(identity(&pack.folder));
            let read = self.read_text_of(&pack.config, &pack.text, trail);
            trail.pack = None;
            trail.above.pop();
            let of = OfPack { reference, file: pack.file };
            match read {
                Ok(file) => {
                    found.files.push(Included { path: pack.config, file, pack: Some(of) });
                }
                Err(errors) => found.errors.extend(errors.into_errors()),
            }
        }
        found
    }

    fn open_pack(
        &self,
        written: &str,
        folder: &Path,
        trail: &Trail,
    ) -> Result<(PackReference, Pack), PackProblem> {
        if trail.pack.is_some() {
            return Err(PackProblem::Nested);
        }
        let named = PackReference::read(written);
        let reference = named.ok_or_else(|| PackProblem::NoHash(written.to_owned()))?;
        let packs = self.packs.ok_or_else(|| PackProblem::Unsupported(written.to_owned()))?;
        let pack = packs.open(&reference, folder)?;
        Ok((reference, pack))
    }
}
