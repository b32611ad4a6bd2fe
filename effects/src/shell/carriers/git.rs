//! How git runs code: settings, hooks and some of its subcommands.

use super::super::builtins::joined;
use super::super::walk::Walker;
use super::values_of;
use crate::effects::UnclearWhat;
use crate::options::{OptionTable, read_options};
use crate::word::Word;

pub(in crate::shell) const GIT: OptionTable<'static> = OptionTable {
    short_value: "Cc",
    short_optional: "",
    short_flags: "pPhv",
    long_value: "git-dir work-tree namespace super-prefix config-env attr-source",
    long_optional: "exec-path",
    long_flags: "paginate no-pager bare no-replace-objects literal-pathspecs no-optional-locks html-path man-path version help",
    abbreviations: false,
    dash_words: false,
    numbers: false,
    plus: false,
    stop_at_operand: true,
};

impl Walker<'_> {
    pub(super) fn git(&mut self, args: &[Word], by: usize) {
        let read = read_options(&GIT, args);
        let rest = args.get(read.rest..).unwrap_or_default();
        let subcommand = rest.first().and_then(Word::known);
        for setting in read.values("c config-env") {
            self.git_setting(setting, rest, by);
        }
        if read.value("exec-path").is_some() {
            self.unclear(
                UnclearWhat::Program,
                "`git --exec-path` runs the programs of a folder",
                Some(by),
            );
        }
        let Some(subcommand) = subcommand else {
            if let Some(word) = rest.first() {
                let why =
                    format!("`{}`, what git is to do, is not known before it runs", word.written());
                self.unclear(UnclearWhat::Program, why, Some(by));
            }
            return;
        };
        let after = rest.get(1..).unwrap_or_default();
        let options: &[&str] = match subcommand.as_ref() {
            "fetch" | "clone" | "ls-remote" | "pull" => &["--upload-pack", "-u"],
            "push" => &["--receive-pack", "--exec"],
            "difftool" => &["-x", "--extcmd"],
            "rebase" => &["-x", "--exec"],
            "archive" => &["--exec"],
            "grep" => &["-O", "--open-files-in-pager"],
            "filter-branch" => &[
                "--env-filter",
                "--tree-filter",
                "--index-filter",
                "--parent-filter",
                "--msg-filter",
                "--commit-filter",
                "--tag-name-filter",
            ],
            _ => &[],
        };
        for option in options {
            // `push -u` and `pull -u` are something else.
            if *option == "-u" && subcommand != "clone" {
                continue;
            }
            let codes: Vec<Word> = values_of(after, option).collect();
            for code in codes {
                self.carried_code(&code, Some(by), &format!("git {subcommand} {option}"));
            }
        }
        match subcommand.as_ref() {
            "submodule" => self.foreach(after, by),
            "config" => self.git_config(after, by),
            "bisect" if after.first().and_then(Word::known).as_deref() == Some("run") => {
                self.carried_program(after.get(1..).unwrap_or_default(), "git bisect run");
            }
            _ => {}
        }
        if after.iter().any(|word| word.known_prefix().starts_with("ext::")) {
            self.unclear(UnclearWhat::Program, "an address with `ext::` runs code", Some(by));
        }
    }

    fn foreach(&mut self, args: &[Word], by: usize) {
        let Some(at) = args.iter().position(|word| word.known().as_deref() == Some("foreach"))
        else {
            return;
        };
        let rest = args.get(at + 1..).unwrap_or_default();
        let start = rest
            .iter()
            .position(|word| !word.known_prefix().starts_with('-'))
            .unwrap_or(rest.len());
        let code = joined(rest.get(start..).unwrap_or_default().iter());
        self.carried_code(&code, Some(by), "git submodule foreach");
    }

    /// `config KEY VALUE`: what it sets may be run by the next command.
    fn git_config(&mut self, args: &[Word], by: usize) {
        let is_option = |word: &&Word| word.known_prefix().starts_with('-');
        let mut operands = args.iter().filter(|word| !is_option(word));
        let mut key = operands.next();
        if key.and_then(Word::known).as_deref() == Some("set") {
            key = operands.next();
        }
        let (Some(key), Some(value)) = (key, operands.next()) else { return };
        let name = key.known_prefix().split_once('.').map_or("", |(_, name)| name).to_owned();
        let mut setting = key.clone();
        setting.push(crate::word::WordPart::Text("=".to_owned()));
        value.parts.iter().for_each(|part| setting.push(part.clone()));
        // An alias is taken as used.
        self.git_setting(&setting, &[Word::text(name)], by);
    }

    /// `-c key=value`
    fn git_setting(&mut self, setting: &Word, rest: &[Word], by: usize) {
        let start = setting.known_prefix();
        let Some((key, _)) = start.split_once('=') else {
            if setting.has_unknown() {
                let why = format!("the setting `{}` of git may run programs", setting.written());
                self.unclear(UnclearWhat::Program, why, Some(by));
            }
            return;
        };
        let value = setting.without_start(key.len() + 1);
        let key = key.to_ascii_lowercase();
        let what = format!("git -c {key}");
        let known = value.known().unwrap_or_default().into_owned();
        if let Some(alias) = key.strip_prefix("alias.") {
            let is_used = rest
                .first()
                .and_then(Word::known)
                .is_some_and(|word| word.eq_ignore_ascii_case(alias));
            if !is_used {
                return;
            }
            let after = rest.get(1..).unwrap_or_default();
            if let Some(code) = known.strip_prefix('!') {
                let mut code = Word::text(code);
                code.parts.push(crate::word::WordPart::Text(" ".to_owned()));
                joined(after.iter()).parts.into_iter().for_each(|part| code.push(part));
                self.carried_code(&joined(std::iter::once(&code)), Some(by), &what);
            } else if value.known().is_none() {
                self.carried_code(&value, Some(by), &what);
            } else {
                let mut words = vec![Word::text("git")];
                words.extend(known.split_ascii_whitespace().map(Word::text));
                words.extend(after.iter().cloned());
                self.carried_program(&words, "git");
            }
            return;
        }
        let is_code = matches!(
            key.as_str(),
            "core.sshcommand"
                | "core.pager"
                | "core.editor"
                | "core.gitproxy"
                | "core.askpass"
                | "diff.external"
                | "sequence.editor"
                | "gpg.program"
                | "gpg.ssh.program"
                | "core.alternaterefscommand"
                | "uploadpack.packobjectshook"
                | "interactive.difffilter"
                | "sendemail.sendmailcmd"
        ) || (key.starts_with("pager.")
            && !matches!(known.as_str(), "true" | "false"))
            || ((key.starts_with("filter.")
                || key.starts_with("difftool.")
                || key.starts_with("mergetool.")
                || key.starts_with("merge."))
                && [".clean", ".smudge", ".process", ".cmd", ".driver"]
                    .iter()
                    .any(|end| key.ends_with(end)))
            || (key.starts_with("diff.")
                && (key.ends_with(".textconv") || key.ends_with(".command")))
            || (key.starts_with("trailer.")
                && (key.ends_with(".cmd") || key.ends_with(".command")))
            || (key.starts_with("remote.")
                && (key.ends_with(".uploadpack") || key.ends_with(".receivepack")));
        let is_switch = matches!(
            known.to_ascii_lowercase().as_str(),
            "true" | "false" | "" | "1" | "0" | "yes" | "no"
        );
        if is_code || (key == "core.fsmonitor" && !is_switch) {
            self.carried_code(&value, Some(by), &what);
        } else if key.starts_with("credential.") && key.ends_with("helper") && !known.is_empty() {
            match known.strip_prefix('!') {
                Some(code) => self.carried_code(&Word::text(code), Some(by), &what),
                None if known.contains('/') || value.known().is_none() => {
                    self.carried_code(&value, Some(by), &what)
                }
                None => {}
            }
        } else if (key == "core.hookspath"
            || key == "include.path"
            || key.starts_with("includeif."))
            && !matches!(known.as_str(), "/dev/null" | "")
        {
            let why = format!("`{what}` may run code that is not seen");
            self.unclear(UnclearWhat::Program, why, Some(by));
        }
    }
}
