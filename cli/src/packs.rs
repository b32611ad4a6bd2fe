//! Shared packs of hooks: one file with a config and all that its hooks name, known by its hash.
//!
//! A config extends one (`extends = "guards.pack@sha256:…"`). A pack is opened in these steps, and each of them
//! refuses what is not right: its bytes are compared with the hash; they are read; the files in them are
//! compared with those that stand unpacked in the cache of the user, and written anew if a single one is
//! another. So what is used is what was pinned, whoever has changed the cache since.

mod archive;
mod cache;
mod fetch;
mod open;

pub(crate) use archive::{Archive, ArchiveError, PackedFile};
pub(crate) use cache::packs_folder;
pub(crate) use fetch::fetch;
pub(crate) use open::OPEN;

use hmac_sha256::Hash;

/// How the name of a pack ends.
pub(crate) const ENDING: &str = "pack";

/// Returns the hash of a pack, as an `extends` names it: 64 hexadecimal digits.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    Hash::hash(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
