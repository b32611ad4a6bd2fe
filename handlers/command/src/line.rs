//! What is run: a program and its arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hookgate_contract::settings::Settings;

use crate::program::{self, ProgramError};

/// Programs whose first argument is a script.
const INTERPRETERS: &[&str] =
    &["bash", "bun", "deno", "node", "perl", "python", "ruby", "sh", "zsh"];

/// What scripts are called.
const EXTENSIONS: &[&str] =
    &["bash", "cjs", "js", "mjs", "mts", "pl", "py", "rb", "sh", "ts", "zsh"];

/// Options of interpreters that take an argument or the place of a script.
const TAKING: &[&str] = &[
    "-",
    "-c",
    "-m",
    "-e",
    "-E",
    "-p",
    "-r",
    "-I",
    "-W",
    "-X",
    "-o",
    "-O",
    "--eval",
    "--print",
    "--require",
    "--import",
];

/// A program and its arguments, with the paths that were found when the table was built.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// The script of an interpreter.
    script: Option<PathBuf>,
}

impl Line {
    /// The script of an interpreter.
    pub(crate) const fn script(&self) -> Option<&PathBuf> {
        self.script.as_ref()
    }

    /// The program, and the script behind an interpreter.
    pub(crate) fn files(&self) -> Vec<&PathBuf> {
        std::iter::once(&self.program).chain(&self.script).collect()
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
            let (args, script) = with_script(&program, args, base)?;
            Ok(Self { program, args, script })
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
            Ok(program) => {
                Some(Self { program, args: vec!["-c".into(), text.into()], script: None })
            }
            Err(error) => {
                settings.invalid("shell_program", error.to_string());
                None
            }
        }
    }
}

/// The arguments, with the script of an interpreter found from the folder of the config, and that
/// script.
fn with_script(
    program: &Path,
    args: &[&str],
    base: &Path,
) -> Result<(Vec<OsString>, Option<PathBuf>), ProgramError> {
    let mut script_found = None;
    let mut found: Vec<OsString> = args.iter().map(OsString::from).collect();
    if let Some(interpreter) = interpreter(program)
        && let Some(index) = args.iter().position(|arg| !is_passed_over(interpreter, arg))
        && let (Some(script), Some(place)) = (args.get(index), found.get_mut(index))
        && !script.starts_with('-')
        && is_script(script, base)
    {
        let script = program::file(script, base)?;
        *place = script.clone().into();
        script_found = Some(script);
    }
    Ok((found, script_found))
}

/// Whether the script may still come after this argument.
fn is_passed_over(interpreter: &str, arg: &str) -> bool {
    if arg.starts_with('-') {
        !TAKING.contains(&arg)
    } else {
        arg == "run" && ["bun", "deno"].contains(&interpreter)
    }
}

/// The interpreter that this is, also with a version: `python3`, `python3.13`.
fn interpreter(program: &Path) -> Option<&str> {
    let name = program.file_name()?.to_str()?;
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name).then_some(name)
}

fn is_script(arg: &str, base: &Path) -> bool {
    let path = Path::new(arg);
    let extension = path.extension().and_then(|extension| extension.to_str());
    // A URL is a matter of the interpreter.
    !arg.contains("://")
        && (arg.contains('/')
            || extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
            || base.join(path).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(program: &str, args: &[&str], base: &Path) -> Result<Vec<OsString>, ProgramError> {
        with_script(Path::new(program), args, base).map(|(args, _)| args)
    }

    #[test]
    fn the_script_of_an_interpreter_stands_in_the_folder_of_the_config() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path();
        for name in ["guard.py", "plain"] {
            std::fs::write(base.join(name), "").unwrap();
        }
        let at = |name: &str| base.join(name).into_os_string();
        let lines: &[(&str, &[&str], usize)] = &[
            ("/usr/bin/python3", &["guard.py", "guard.py"], 0),
            ("/usr/bin/python3.13", &["-u", "./guard.py"], 1),
            ("/bin/sh", &["plain"], 0),
            ("/usr/bin/deno", &["run", "--allow-read", "guard.py"], 2),
        ];
        for (program, args, index) in lines {
            let mut expected: Vec<_> = args.iter().map(OsString::from).collect();
            expected[*index] = at(args[*index].trim_start_matches("./"));
            assert_eq!(resolved(program, args, base).unwrap(), expected, "{program} {args:?}");
        }
    }

    #[test]
    fn what_is_no_script_is_left_alone() {
        let base = Path::new("/nonexistent");
        let lines: &[(&str, &[&str])] = &[
            ("/bin/sh", &["-c", "./guard.sh"]),
            ("/usr/bin/python3", &["-m", "guard.py"]),
            ("/usr/bin/deno", &["run", "https://example.com/guard.ts"]),
            ("/usr/bin/grep", &["guard.py"]),
            ("/bin/sh", &["word"]),
            ("/bin/sh", &[]),
        ];
        for (program, args) in lines {
            let expected: Vec<_> = args.iter().map(OsString::from).collect();
            assert_eq!(resolved(program, args, base).unwrap(), expected, "{program} {args:?}");
        }
    }

    #[test]
    fn a_missing_script_is_an_error() {
        let base = Path::new("/nonexistent");
        for script in ["guard.py", "./guard", "/abs/guard", "hooks/guard"] {
            assert_eq!(
                resolved("/usr/bin/python3", &[script], base),
                Err(ProgramError::Missing(base.join(script).components().collect())),
            );
        }
    }
}
