//! What is run: `argv`, or `shell` and `shell_program`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hookgate_contract::settings::Settings;

use crate::argv;
use crate::program;

/// A program and its arguments, with the paths that were found when the table was built.
///
/// INVARIANT: the program is an absolute path, and no argument that the program opens is relative
/// (but for program text, which is warned of).
#[derive(Debug, Default)]
pub(crate) struct CommandLine {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// The programs that the first one runs, as `env` does.
    pub(crate) programs: Vec<PathBuf>,
    /// The scripts and libraries that they run.
    pub(crate) scripts: Vec<PathBuf>,
    /// Whatever else of the config's folder is named.
    pub(crate) others: Vec<PathBuf>,
    pub(crate) warnings: Vec<String>,
}

impl CommandLine {
    /// Returns all files that are run, the program first.
    pub(crate) fn run_files(&self) -> Vec<&PathBuf> {
        self.all_programs().chain(&self.scripts).collect()
    }

    /// Returns all files that are named, run or not.
    pub(crate) fn named_files(&self) -> Vec<&PathBuf> {
        self.run_files().into_iter().chain(&self.others).collect()
    }

    /// Returns the files that the hook brings along: its scripts, and its programs beside the config.
    ///
    /// Programs of the system are known by name only, so that the same files are the same hook on
    /// every machine.
    pub(crate) fn hook_files(&self, base: &Path) -> Vec<&PathBuf> {
        let programs = self.all_programs().filter(|program| program.starts_with(base));
        programs.chain(&self.scripts).collect()
    }

    fn all_programs(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.program).chain(&self.programs)
    }

    /// Returns the folder in which a script in Python looks for its modules.
    pub(crate) fn python_folder(&self) -> Option<PathBuf> {
        let is_python = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("python") || name.starts_with("pypy")
        };
        let by_python = self.all_programs().any(|program| is_python(program));
        let files = self.scripts.iter().chain(self.all_programs());
        let script = files.filter(|path| !is_python(path)).find(|path| {
            path.extension().is_some_and(|extension| extension == "py")
                || argv::first_line(path).is_some_and(|line| line.contains("python"))
                || by_python && self.scripts.contains(path)
        })?;
        Some(script.canonicalize().ok()?.parent()?.to_owned())
    }

    /// Reads `argv`, or `shell` and `shell_program`. If it returns `None`, the settings hold an error.
    pub(crate) fn read(settings: &mut Settings<'_>, base: &Path) -> Option<Self> {
        let given = ["argv", "shell", "shell_program"].map(|key| settings.has(key));
        let argv = settings.list("argv");
        let shell = settings.text("shell");
        let shell_program = settings.text("shell_program");
        match given {
            [true, false, false] => Self::from_argv(settings, "argv", &argv?, base),
            [false, true, _] => Self::from_shell_text(settings, shell?, shell_program, base),
            [true, true, _] => {
                settings.invalid("shell", "`argv` is given too: one of the two");
                None
            }
            [true, false, true] => {
                settings.invalid("shell_program", "it goes with `shell`; name it in `argv`");
                None
            }
            [false, false, _] => {
                settings.missing("argv");
                None
            }
        }
    }

    /// Finds the program and the files of a command line, which is the value of a setting.
    pub(crate) fn from_argv(
        settings: &mut Settings<'_>,
        key: &str,
        argv: &[&str],
        base: &Path,
    ) -> Option<Self> {
        let Some((name, args)) = argv.split_first().filter(|(name, _)| !name.is_empty()) else {
            settings.invalid(key, "it names no program");
            return None;
        };
        let found = program::find_program(name, base).and_then(|program| {
            let resolved = argv::resolve(&program, args, base)?;
            Ok(Self {
                args: resolved.args.into_iter().map(OsString::from).collect(),
                programs: resolved.programs,
                scripts: resolved.scripts,
                others: resolved.others,
                warnings: resolved.warnings,
                program,
            })
        });
        found.map_err(|error| settings.invalid(key, error.to_string())).ok()
    }

    fn from_shell_text(
        settings: &mut Settings<'_>,
        text: &str,
        shell: Option<&str>,
        base: &Path,
    ) -> Option<Self> {
        if text.trim().is_empty() {
            settings.invalid("shell", "it is empty");
            return None;
        }
        match program::find_program(shell.unwrap_or("sh"), base) {
            Ok(program) => {
                let path = argv::relative_path(text, base);
                let warning = path.map(|path| argv::relative_path_warning("shell", &path));
                Some(Self {
                    program,
                    args: vec!["-c".into(), text.into()],
                    scripts: argv::named_scripts(text, base),
                    warnings: warning.into_iter().collect(),
                    ..Self::default()
                })
            }
            Err(error) => {
                settings.invalid("shell_program", error.to_string());
                None
            }
        }
    }
}
