//! Variables by which programs run or load code.

use super::super::walk::Walker;
use crate::effects::UnclearWhat;
use crate::word::Word;

/// Variables whose value is code that some program runs later.
const CODE_VARIABLES: &str = "GIT_SSH_COMMAND GIT_SSH GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF \
    GIT_ASKPASS GIT_PROXY_COMMAND SSH_ASKPASS SUDO_ASKPASS PAGER MANPAGER SYSTEMD_PAGER AWS_PAGER GH_PAGER BAT_PAGER \
    EDITOR VISUAL KUBE_EDITOR SUDO_EDITOR FCEDIT LESSOPEN LESSCLOSE PROMPT_COMMAND RSYNC_RSH CVS_RSH RUSTC_WRAPPER \
    RUSTC_WORKSPACE_WRAPPER BROWSER NPM_CONFIG_SCRIPT_SHELL npm_config_script_shell GIT_TEMPLATE_COMMAND CARGO_BUILD_RUSTC_WRAPPER";

/// Variables by which code is loaded that is not seen.
const LOADING_VARIABLES: &str = "LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH BASH_ENV \
    ENV PYTHONSTARTUP PERL5DB GCONV_PATH GIT_EXEC_PATH GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT \
    GIT_CONFIG_PARAMETERS GIT_TEMPLATE_DIR ZDOTDIR INPUTRC PYTHONHOME";

/// Variables with options of a program, and what in them runs code.
const OPTION_VARIABLES: &[(&str, &[&str])] = &[
    (
        "NODE_OPTIONS",
        &["--require", "-r ", "--import", "--loader", "--eval", "-e ", "--experimental-loader"],
    ),
    ("PERL5OPT", &["-M", "-m", "-I"]),
    ("PERL5LIB", &["/"]),
    ("RUBYOPT", &["-r", "-I"]),
    ("RUBYLIB", &["/"]),
    ("PYTHONPATH", &["/tmp", "/dev", "/var"]),
    ("NODE_PATH", &["/tmp", "/dev", "/var"]),
    ("JAVA_TOOL_OPTIONS", &["-agent", "-javaagent", "-XX:OnError", "-Xrun", "@"]),
    ("_JAVA_OPTIONS", &["-agent", "-javaagent", "-XX:OnError", "-Xrun", "@"]),
    ("JDK_JAVA_OPTIONS", &["-agent", "-javaagent", "-XX:OnError", "-Xrun", "@"]),
    ("MAKEFLAGS", &["SHELL", "--eval", "-f"]),
    ("TAR_OPTIONS", &["command", "exec", "program", "-I", "-F", "--info-script"]),
    ("RUSTFLAGS", &["linker"]),
    ("PS4", &["$(", "`"]),
    ("PS1", &["$(", "`"]),
];

impl Walker<'_> {
    /// A variable is set, for one run or for the shell: its value may be code.
    pub(in crate::shell) fn variable_is_set(
        &mut self,
        name: &str,
        value: &Word,
        by: Option<usize>,
    ) {
        // Nearly all variables begin with none of the letters below or are short.
        let has = |list: &str| list.split_ascii_whitespace().any(|known| known == name);
        if name == "PATH" {
            if by.is_none() {
                self.change().own_path = Self::begins_elsewhere(value);
                if self.changes_path(value) {
                    self.change().all_renamed = true;
                }
            }
            return;
        }
        if name == "GLOBIGNORE" && by.is_none() {
            // A star takes names that begin with a dot, too.
            self.change().dot_names = true;
        }
        if name.starts_with("BASH_FUNC_") {
            // A function that the next shell has: its text begins with `()`.
            let mut code = Word::text("f ");
            value.parts.iter().for_each(|part| code.push(part.clone()));
            code.push(crate::word::WordPart::Text("; f".to_owned()));
            self.carried_code(&code, by, name);
        } else if has(CODE_VARIABLES) {
            if value.known().as_deref() != Some("0") {
                self.carried_code(value, by, name);
            }
        } else if has(LOADING_VARIABLES) {
            if value.known().as_deref() != Some("")
                && !matches!(value.known().as_deref(), Some("/dev/null"))
            {
                self.loads(name, value, by);
            }
        } else if let Some((_, signs)) = OPTION_VARIABLES.iter().find(|(known, _)| *known == name) {
            let written = value.written();
            let is_unknown = name == "TAR_OPTIONS" && value.has_unknown();
            if is_unknown || signs.iter().any(|sign| written.contains(sign)) {
                self.loads(name, value, by);
            }
        }
    }

    fn loads(&mut self, name: &str, value: &Word, by: Option<usize>) {
        let why = format!("`{name}={}` may load code that is not seen", value.written());
        self.unclear(UnclearWhat::Program, why, by);
    }
}
