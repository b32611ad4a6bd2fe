//! The effects of a patch in the form of `apply_patch`.

use super::Call;
use crate::effects::UnclearWhat;
use crate::manifests::ArgumentKind;
use crate::patch_text::read_patch;

impl Call<'_> {
    /// Adds the files of a patch that is applied in a folder.
    pub(super) fn patch(&mut self, text: &str, folder: Option<&str>) {
        let files = read_patch(text);
        for path in &files.writes {
            let path = self.absolute(path, folder);
            self.add_effect(ArgumentKind::Writes, path, false, true);
        }
        for path in &files.deletes {
            let path = self.absolute(path, folder);
            self.add_effect(ArgumentKind::Deletes, path, false, true);
        }
        if let Some(why) = files.unclear {
            self.unclear(UnclearWhat::Writes, why.to_owned());
            self.unclear(UnclearWhat::Deletes, why.to_owned());
        }
    }
}
