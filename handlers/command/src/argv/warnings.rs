//! Warnings about what the folder of the session may decide.
//!
//! A warning is for what may be right and cannot be told from outside: module names, program text, and
//! programs that take their rules from the project. The hook loads; `check` prints the sentence.

use std::path::Path;

use super::Resolver;
use super::code_text::{named_scripts, relative_path, relative_path_warning};

impl Resolver<'_> {
    /// Warns of `python3 -m module`, which never finds a file beside the config.
    pub(super) fn warn_of_python_module(&mut self, module: &str, isolated: bool) {
        let path = self.base.join(module.replace('.', "/"));
        if path.is_dir() || path.with_extension("py").is_file() {
            self.resolved.warnings.push(format!(
                "`-m {module}` does not find what is beside the config: write the path of the script"
            ));
        } else if !isolated {
            self.resolved.warnings.push(format!(
                "`-m {module}`: Python before 3.11 looks for it in the folder of the session \
                 first: write `-I -m {module}`, or the path of the script"
            ));
        }
    }

    /// Notes the scripts that program text names, and warns of a relative path in it.
    pub(super) fn read_code(&mut self, what: &str, text: &str) {
        for path in named_scripts(text, self.base) {
            if !self.resolved.scripts.contains(&path) {
                self.resolved.scripts.push(path);
            }
        }
        if let Some(path) = relative_path(text, self.base) {
            self.resolved.warnings.push(relative_path_warning(what, &path));
        }
    }

    /// Warns of an option or a verb that runs what the project says, as `node --run`.
    pub(super) fn warn_of_local(&mut self, program: &Path, what: &str) {
        self.resolved.warnings.push(format!(
            "`{} {what}` takes what it runs from the folder of the session, where the agent writes: \
             write the path of a script",
            program.display()
        ));
    }

    /// Warns of a program that runs what the project says, as `make`.
    pub(super) fn warn_of_local_program(&mut self, program: &Path) {
        self.resolved.warnings.push(format!(
            "`{}` takes what it runs from the folder of the session, where the agent writes: name a \
             program of your own",
            program.display()
        ));
    }
}
