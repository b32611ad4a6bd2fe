//! Opens the packs that configs extend: from a file, or from the cache. Nothing is fetched here.

use std::path::Path;

use hookgate::config::{Pack, PackProblem, PackReference, Packs};
use hookgate::contract::file;

use super::archive::Archive;
use super::cache::Cache;
use super::fetch::is_url;
use super::hash_of;

/// What opens packs.
#[derive(Debug)]
pub(crate) struct OpenPacks;

/// The same for every loader.
pub(crate) static OPEN: OpenPacks = OpenPacks;

impl Packs for OpenPacks {
    fn open(&self, pack: &PackReference, folder: &Path) -> Result<Pack, PackProblem> {
        let cache = Cache::of_user().map_err(|error| unopened(pack, &error.to_string(), None))?;
        let is_remote = is_url(pack.place());
        let path = if is_remote { cache.fetched(pack.hash()) } else { folder.join(pack.place()) };
        let bytes = match file::read(&path, file::LIMIT) {
            Ok(bytes) => bytes,
            Err(error) if is_remote && error.kind() == std::io::ErrorKind::NotFound => {
                return Err(PackProblem::NotFetched(pack.clone()));
            }
            Err(error) => return Err(unopened(pack, &format!("cannot be read: {error}"), None)),
        };
        let found = hash_of(&bytes);
        if found != pack.hash() {
            // A kept copy that was changed is as good as none.
            return Err(match is_remote {
                true => PackProblem::NotFetched(pack.clone()),
                false => unopened(
                    pack,
                    &format!("is another one: its hash is sha256:{found}"),
                    Some(
                        "if you have read it as it is now, pin that hash; else get the one back that you pinned",
                    ),
                ),
            });
        }
        let archive =
            Archive::read(&bytes).map_err(|error| unopened(pack, &error.to_string(), None))?;
        let unpacked = cache.unpack(&archive, pack.hash());
        let folder = unpacked.map_err(|error| unopened(pack, &error.to_string(), None))?;
        let config = folder.join(&archive.config);
        let text = archive.files.get(&archive.config).map(|file| file.content.clone());
        let text = String::from_utf8(text.unwrap_or_default())
            .map_err(|_| unopened(pack, "its config is not UTF-8", None))?;
        Ok(Pack { folder, config, text, file: Some(path) })
    }
}

fn unopened(pack: &PackReference, why: &str, help: Option<&str>) -> PackProblem {
    PackProblem::Unopened {
        why: format!("the pack `{}` {why}", pack.place()),
        help: help.map(str::to_owned),
    }
}
