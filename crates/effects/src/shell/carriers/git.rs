//! How git runs code: settings, hooks and some of its subcommands.

use super::super::builtins::joined;
use super::super::walk::Walker;
use super::values_of;
use crate::effects::UnclearWhat;
use crate::git_words::GIT;
use crate::options::read_options;
use crate::paths::absolute;
use crate::run::RedirectKind;
use crate::word::{Word, WordPart};

/// What runs a push that a setting decides.
const BY_SETTINGS: &str = "git remote.*";

/// The most settings that are remembered.
const MOST_SETTINGS: usize = 32;

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
        if subcommand == "clone" {
            for setting in ["-c", "--config"].into_iter().flat_map(|name| values_of(after, name)) {
                self.git_setting(&setting, rest, by);
            }
        }
        if matches!(subcommand.as_ref(), "apply" | "am") {
            self.patched(by);
        }
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
            "remote" => self.remote_added(after),
            "push" => self.push_by_settings(after),
            "send-pack" | "http-push" => {
                let words: Vec<Word> = ["git", "push"]
                    .into_iter()
                    .map(Word::text)
                    .chain(after.iter().cloned())
                    .collect();
                self.carried_program(&words, "git send-pack");
            }
            "init" | "clone" => self.hooks_of_template(&subcommand, after),
            "show" | "cat-file" => self.shown_over(after, by),
            "bisect" if after.first().and_then(Word::known).as_deref() == Some("run") => {
                self.carried_program(after.get(1..).unwrap_or_default(), "git bisect run");
            }
            _ => {}
        }
        if after.iter().any(|word| word.known_prefix().starts_with("ext::")) {
            self.unclear(UnclearWhat::Program, "an address with `ext::` runs code", Some(by));
        }
    }

    /// `remote add NAME ADDRESS`: a push to that name goes to that address. A repository gets its `origin` so when it
    /// is new.
    fn remote_added(&mut self, after: &[Word]) {
        let is_option = |word: &&Word| word.known_prefix().starts_with('-');
        let operands: Vec<&Word> = after.iter().filter(|word| !is_option(word)).collect();
        if let [add, name, .., address] = operands.as_slice()
            && add.known().as_deref() == Some("add")
            && let Some(name) = name.known().filter(|name| name != "origin")
            && self.git_settings.len() < MOST_SETTINGS
        {
            self.git_settings.push((format!("remote.{name}.url"), (*address).clone()));
        }
    }

    /// What a push does because of settings of the line: `remote.origin.push=+main`, `remote.origin.mirror`.
    fn push_by_settings(&mut self, after: &[Word]) {
        // What is carried so has its remote and its branches.
        if self.via.last().is_some_and(|by| by == BY_SETTINGS) {
            return;
        }
        let is_option = |word: &&Word| word.known_prefix().starts_with('-');
        let operands: Vec<&Word> = after.iter().filter(|word| !is_option(word)).collect();
        for (key, value) in self.git_settings.clone() {
            let Some((remote, what)) =
                key.strip_prefix("remote.").and_then(|rest| rest.rsplit_once('.'))
            else {
                continue;
            };
            let is_meant =
                operands.first().and_then(|word| word.known()).is_none_or(|first| first == remote);
            let mut words: Vec<Word> = after.iter().filter(is_option).cloned().collect();
            match what {
                "push" if operands.len() < 2 => words.extend([Word::text(remote), value]),
                "mirror" if value.known().as_deref() != Some("false") => {
                    words.extend([Word::text("--mirror"), Word::text(remote)]);
                }
                "url" if !operands.is_empty() => {
                    words.push(value);
                    words.extend(operands.iter().skip(1).map(|word| (*word).clone()));
                }
                _ => continue,
            }
            if is_meant {
                let git = ["git", "push"].into_iter().map(Word::text);
                let words: Vec<Word> = git.chain(words).collect();
                self.carried_program(&words, BY_SETTINGS);
            }
        }
    }

    /// `init --template=T` and `clone --template=T` copy the hooks that are in a folder.
    fn hooks_of_template(&mut self, subcommand: &str, after: &[Word]) {
        let given = values_of(after, "--template").last();
        let is_key = |(key, _): &&(String, Word)| key == "init.templatedir";
        let set = || self.git_settings.iter().rev().find(is_key).map(|(_, value)| value.clone());
        let Some(mut template) = given.or_else(set) else { return };
        if template.known().as_deref() == Some("") {
            return;
        }
        let is_option = |word: &&Word| word.known_prefix().starts_with('-');
        let operands: Vec<&Word> = after.iter().filter(|word| !is_option(word)).collect();
        let mut folder = match (subcommand, operands.as_slice()) {
            ("init", [.., last]) | ("clone", [_, .., last]) => (*last).clone(),
            ("clone", _) => Word::text("*"),
            _ => Word::text("."),
        };
        folder.push(WordPart::Text("/.git/hooks".to_owned()));
        template.push(WordPart::Text("/hooks/.".to_owned()));
        let words = [Word::text("cp"), Word::text("-r"), template, folder];
        self.carried_program(&words, "git --template");
    }

    /// `git show HEAD:f > f` puts back what was committed, as `git restore` does.
    fn shown_over(&mut self, after: &[Word], by: usize) {
        let Some(run) = self.runs.get(by) else { return };
        let shown = after.iter().filter_map(Word::known);
        let shown: Vec<String> = shown
            .filter_map(|word| Some(word.split_once(':')?.1.trim_start_matches("./").to_owned()))
            .collect();
        let cwd = run.cwd.as_deref();
        let targets = run.redirects.iter().filter(|one| one.kind == RedirectKind::Write);
        let over = targets.map(|one| &one.target).find(|target| {
            let path = absolute(target, cwd);
            let path = path.known().unwrap_or_default().into_owned();
            cwd.is_some_and(|cwd| path.starts_with(cwd))
                && shown.iter().any(|shown| path.ends_with(&format!("/{shown}")))
        });
        if let Some(file) = over.cloned() {
            let words = [Word::text("git"), Word::text("restore"), file];
            self.carried_program(&words, "git show");
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
        setting.push(WordPart::Text("=".to_owned()));
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
        let is_kept = key.starts_with("remote.") || key == "init.templatedir";
        if is_kept && self.git_settings.len() < MOST_SETTINGS {
            self.git_settings.push((key.clone(), value.clone()));
        }
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
                code.parts.push(WordPart::Text(" ".to_owned()));
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
            && !value.known().is_some_and(|value| {
                matches!(&*value, "/dev/null" | "") || is_folder_of_project(&key, &value)
            })
        {
            let why = format!("`{what}` may run code that is not seen");
            self.unclear(UnclearWhat::Program, why, Some(by));
        }
    }
}

/// Whether hooks are only looked for in another folder of the project (`.husky`): what these run is code of the
/// project, as a hook in `.git/hooks` is.
fn is_folder_of_project(key: &str, value: &str) -> bool {
    let is_outside =
        value.starts_with(['/', '~', '$', '%']) || value.split('/').any(|part| part == "..");
    key == "core.hookspath" && !is_outside
}
