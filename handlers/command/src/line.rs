//! What is run: a program and its arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hookgate_contract::settings::Settings;

use crate::argv;
use crate::program;

/// A program and its arguments, with the paths that were found when the table was built.
#[derive(Debug)]
pub(crate) struct Line {
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

impl Line {
    /// All files that are run, the program first.
    pub(crate) fn files(&self) -> Vec<&PathBuf> {
        std::iter::once(&self.program).chain(&self.programs).chain(&self.scripts).collect()
    }

    /// All files that are named.
    pub(crate) fn all(&self) -> Vec<&PathBuf> {
        self.files().into_iter().chain(&self.others).collect()
    }

    /// What the hook brings along: its scripts and its own programs. Programs of the system are
    /// known by name only, so that the same files are the same hook on every machine.
    pub(crate) fn own(&self, base: &Path) -> Vec<&PathBuf> {
        let programs = std::iter::once(&self.program).chain(&self.programs);
        programs.filter(|program| program.starts_with(base)).chain(&self.scripts).collect()
    }

    /// The folder in which a script in Python looks for its modules.
    pub(crate) fn python_folder(&self) -> Option<PathBuf> {
        let is_python = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("python") || name.starts_with("pypy")
        };
        let by_python =
            std::iter::once(&self.program).chain(&self.programs).any(|it| is_python(it));
        let all = self.scripts.iter().chain(std::iter::once(&self.program)).chain(&self.programs);
        let script = all.filter(|path| !is_python(path)).find(|path| {
            path.extension().is_some_and(|extension| extension == "py")
                || argv::first_line(path).is_some_and(|line| line.contains("python"))
                || by_python && self.scripts.contains(path)
        })?;
        Some(script.canonicalize().ok()?.parent()?.to_owned())
    }

    /// Reads `argv`, or `shell` and `shell_program`.
    pub(crate) fn read(settings: &mut Settings<'_>, base: &Path) -> Option<Self> {
        let has = |key: &str| settings.entries().iter().any(|entry| entry.key == key);
        let given = (has("argv"), has("shell"), has("shell_program"));
        let argv = settings.list("argv");
        let shell = settings.text("shell");
        let shell_program = settings.text("shell_program");
        match given {
            (true, false, false) => Self::of_argv(settings, &argv?, base),
            (false, true, _) => Self::of_shell(settings, shell?, shell_program, base),
            (true, true, _) => {
                settings.invalid("shell", "`argv` is given too: one of the two");
                None
            }
            (true, false, true) => {
                settings.invalid("shell_program", "it goes with `shell`; name it in `argv`");
                None
            }
            (false, false, _) => {
                settings.missing("argv");
                None
            }
        }
    }

    fn of_argv(settings: &mut Settings<'_>, argv: &[&str], base: &Path) -> Option<Self> {
        let Some((name, args)) = argv.split_first().filter(|(name, _)| !name.is_empty()) else {
            settings.invalid("argv", "it names no program");
            return None;
        };
        let found = program::find(name, base).and_then(|program| {
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
        found.map_err(|error| settings.invalid("argv", error.to_string())).ok()
    }

    fn of_shell(
        settings: &mut Settings<'_>,
        text: &str,
        program: Option<&str>,
        base: &Path,
    ) -> Option<Self> {
        if text.trim().is_empty() {
            settings.invalid("shell", "it is empty");
            return None;
        }
        match program::find(program.unwrap_or("sh"), base) {
            Ok(program) => Some(Self {
                program,
                args: vec!["-c".into(), text.into()],
                programs: Vec::new(),
                scripts: Vec::new(),
                others: Vec::new(),
                warnings: argv::relative_path(text, base)
                    .map(|path| argv::warning("shell", &path))
                    .into_iter()
                    .collect(),
            }),
            Err(error) => {
                settings.invalid("shell_program", error.to_string());
                None
            }
        }
    }
}
