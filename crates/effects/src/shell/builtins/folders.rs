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
        let is_found = |folder: &String| !unknown_start || folder.starts_with(['/', '.']);
        let relative = folder.filter(|folder| folder != "-" && is_found(folder));
        let cwd = relative.as_ref().and_then(|folder| join(self.state.cwd.as_deref(), folder));
        let state = self.change();
        state.cwd = cwd;
        // A relative folder is another one if a `cd` before has failed.
        for doubt in &mut state.doubtful {
            doubt.now = relative.as_ref().and_then(|folder| join(doubt.now.as_deref(), folder));
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
