//! `cd` and `pushd`.

use super::super::walk::Walker;
use crate::paths::join;
use crate::word::Word;

impl Walker<'_> {
    pub(super) fn cd(&mut self, args: &[Word]) {
        let target = args.iter().find(|word| {
            !matches!(word.known().as_deref(), Some("-P" | "-L" | "-e" | "-@" | "--" | "-LP"))
        });
        let unknown_start = self.state.variables.contains_key("CDPATH");
        let folder = match target {
            None => self.home().and_then(|home| home.known().map(std::borrow::Cow::into_owned)),
            Some(word) => word.known().map(std::borrow::Cow::into_owned),
        };
        let cwd = match folder {
            Some(folder) if folder == "-" => None,
            Some(folder) if unknown_start && !folder.starts_with(['/', '.']) => None,
            Some(folder) => join(self.state.cwd.as_deref(), &folder),
            None => None,
        };
        let is_absolute = target.is_some_and(|word| word.known_prefix().starts_with('/'));
        let state = self.change();
        state.cwd = cwd;
        // A relative folder is another one if the `cd` before has failed.
        if is_absolute {
            state.doubtful.clear();
        }
    }

    pub(super) fn pushd(&mut self, args: &[Word]) {
        let old = self.state.cwd.clone();
        self.change().folders.push(old);
        if args.is_empty() || args.iter().any(|word| word.known_prefix().starts_with(['+', '-'])) {
            self.change().cwd = None;
        } else {
            self.cd(args);
        }
    }
}
