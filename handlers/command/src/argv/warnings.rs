//! Warnings of what the folder of the session may decide.

use std::path::Path;

use super::{Reader, relative_path, text};

impl Reader<'_> {
    pub(super) fn python_module(&mut self, module: &str, isolated: bool) {
        let path = self.base.join(module.replace('.', "/"));
        if path.is_dir() || path.with_extension("py").is_file() {
            self.resolved.warnings.push(format!(
                "`-m {module}` does not find what stands beside the config: write the path of the \
                 script"
            ));
        } else if !isolated {
            self.resolved.warnings.push(format!(
                "`-m {module}`: Python before 3.11 looks for it in the folder of the session \
                 first: write `-I -m {module}`, or the path of the script"
            ));
        }
    }

    pub(super) fn code(&mut self, what: &str, text: &str) {
        if let Some(path) = relative_path(text, self.base) {
            self.resolved.warnings.push(text::warning(what, &path));
        }
    }

    pub(super) fn local(&mut self, program: &Path, what: String) {
        self.resolved.warnings.push(format!(
            "`{} {what}` takes what it runs from the folder of the session, where the judged party \
             writes: write the path of a script",
            program.display()
        ));
    }
}
