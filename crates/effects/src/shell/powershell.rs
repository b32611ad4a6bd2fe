//! Reads PowerShell: the text is read once (`syntax`), then gone through in its order (`session`). What its
//! commands do is told by the programs that do the same ([`commands`]): `Remove-Item -Recurse x` removes what
//! `rm -r x` removes, so a rule about one holds for the other. Letter case does not matter, parameters may be
//! cut, and paths of Windows are read as `paths` says.

mod bind;
mod call;
pub(super) mod commands;
pub(super) mod paths;
mod session;
mod syntax;
pub(super) mod template;
mod tree;
mod values;

#[cfg(test)]
mod tests;
