//! Programs that run others elsewhere or through a subcommand: `ssh`, containers, task runners.

use super::super::builtins::joined;
use super::super::start::Launch;
use super::super::walk::Walker;
use super::runners::{self, Runner};
use crate::options::{OptionTable, read_options};
use crate::run::{CodeFrom, Origin};
use crate::word::Word;

const SSH: OptionTable<'static> = OptionTable {
    short_value: "BbcDEeFIiJLlmOopQRSWwP",
    short_flags: "46AaCfGgKkMNnqsTtVvXxYy",
    long_value: "ssh port",
    long_flags: "help version",
    stop_at_operand: true,
    ..OptionTable::NONE
};

impl Walker<'_> {
    pub(super) fn ssh(&mut self, name: &str, args: &[Word], by: usize) {
        let read = read_options(&SSH, args);
        for value in read.values("o") {
            self.ssh_option(value, by);
        }
        self.check_options(&read, args, name, by);
        let rest = args.get(read.rest..).unwrap_or_default();
        // Options may stand after the host as well.
        let after = rest.get(1..).unwrap_or_default();
        let more = read_options(&SSH, after);
        for value in more.values("o") {
            self.ssh_option(value, by);
        }
        let words = after.get(more.rest..).unwrap_or_default();
        if words.is_empty() && !read.has("N W O Q G V") && !more.has("N W") {
            // A shell there, which reads what this line gives to it.
            self.remotely(|walker| walker.fed_shell(name));
        } else if !words.is_empty() && !read.has("N") {
            let code = joined(words.iter());
            let go = |walker: &mut Self| {
                walker.run_by(name, |walker| walker.code_in_new_shell(&code, by, None, None, &[]));
            };
            // With another port it may be the way to a virtual machine.
            let is_here = is_this_machine(rest.first()) && !read.has("p port J o F");
            if is_here {
                let home = self.around.home.clone().map(Word::text);
                self.in_folder(home.as_ref(), go);
            } else {
                self.remotely(go);
            }
        }
    }

    /// `-o ProxyCommand=…` runs code on this machine.
    fn ssh_option(&mut self, value: &Word, by: usize) {
        let start = value.known_prefix().trim_start();
        let length = start.find(['=', ' ', '\t']).unwrap_or(start.len());
        let key = start.get(..length).unwrap_or_default().to_ascii_lowercase();
        if matches!(key.as_str(), "proxycommand" | "localcommand" | "knownhostscommand") {
            let skipped = value.known_prefix().len() - start.len() + length;
            let code = value.without_start(skipped);
            let blanks = code.known_prefix().len()
                - code.known_prefix().trim_start_matches(['=', ' ', '\t']).len();
            let code = code.without_start(blanks);
            if code.known().as_deref() != Some("none") {
                self.carried_code(&code, Some(by), "ssh -o");
            }
        }
    }

    /// A task runner or a container: after its subcommand a program follows.
    pub(super) fn runner(&mut self, name: &str, args: &[Word], by: usize) {
        for runner in runners::of(name) {
            if let Some(rest) = subcommand(runner, args) {
                self.run_runner(runner, name, rest, by);
                return;
            }
        }
    }

    fn run_runner(&mut self, runner: &Runner, name: &str, rest: &[Word], by: usize) {
        let read = read_options(&runner.options, rest);
        if read.has("help h version") && !runner.remote {
            return;
        }
        let is_login = runner.remote && !runner.after.is_empty();
        let everywhere = OptionTable { stop_at_operand: !is_login, ..runner.options };
        let codes: Vec<Word> =
            read_options(&everywhere, rest).values(runner.code).cloned().collect();
        let entry = read.value("entrypoint").cloned();
        let mut after = rest.get(read.rest..).unwrap_or_default();
        let is_after =
            |word: &Word| word.known().is_some_and(|word| runner.after.contains(&word.as_ref()));
        let before = rest.get(..read.rest).unwrap_or_default();
        if runner.after.is_empty() {
            after = after.get(runner.skip..).unwrap_or_default();
            if let [dashes, rest @ ..] = after
                && dashes.known().as_deref() == Some("--")
            {
                after = rest;
            }
        } else if !before.iter().any(is_after) {
            let place = after.iter().position(is_after);
            after = place.and_then(|at| after.get(at + 1..)).unwrap_or_default();
        }
        // `kubectl exec pod -n prod -- rm`: options stand after the operand.
        if runner.remote
            && name_has_dashes(runner)
            && let Some(at) = after.iter().position(|word| word.known().as_deref() == Some("--"))
        {
            after = after.get(at + 1..).unwrap_or_default();
        }
        if let Some(named) = runner.fetches
            && after.first().into_iter().chain(read.values(named)).any(is_place_of_code)
            && let Some(run) = self.runs.get_mut(by)
        {
            run.code_from = Some(CodeFrom::Network);
        }
        let program = Some(runner.program).filter(|program| !program.is_empty());
        let mut words: Vec<Word> = entry.into_iter().chain(program.map(Word::text)).collect();
        words.extend(after.iter().cloned());
        let mut launch = Launch::default();
        let words = super::take_assignments(&words, &mut launch.env).to_vec();
        let go = |walker: &mut Self| {
            if words.is_empty() && codes.is_empty() && runner.remote && runner.operand_code {
                walker.fed_shell(name);
            }
            for code in &codes {
                walker.run_by(name, |walker| walker.code_in_new_shell(code, by, None, None, &[]));
            }
            // Here several words are a program and its words; to another machine they go as one line.
            if runner.operand_code && (runner.remote || words.len() == 1) {
                let code = joined(words.iter());
                walker.run_by(name, |walker| walker.code_in_new_shell(&code, by, None, None, &[]));
            } else if !words.is_empty() {
                walker.start_by(name, &words, launch);
            }
        };
        if runner.remote {
            self.remotely(go);
        } else {
            let origin = std::mem::replace(&mut self.origin, Origin::Carried);
            self.in_subshell(go);
            self.origin = origin;
        }
    }
}

/// Whether a word names code by its place in the network and not by the name of a package: an address, a repository
/// (`github:a/b`, also as `a/b`).
fn is_place_of_code(word: &Word) -> bool {
    let text = word.known_prefix();
    let is_repository = !text.starts_with(['@', '.', '/', '~', '-']) && text.contains('/');
    is_repository
        || ["git+", "://", "git@", "github:", "gitlab:", "bitbucket:", "gist:"]
            .iter()
            .any(|place| text.contains(place))
}

/// Whether a host of `ssh` is this machine.
fn is_this_machine(host: Option<&Word>) -> bool {
    let host = host.and_then(Word::known).unwrap_or_default();
    matches!(host.rsplit('@').next(), Some("localhost" | "127.0.0.1" | "::1"))
}

fn name_has_dashes(runner: &Runner) -> bool {
    runner.words.starts_with("kubectl") || runner.words.starts_with("oc")
}

/// Returns the words after the subcommand; `None` if it does not stand there.
fn subcommand<'w>(runner: &Runner, args: &'w [Word]) -> Option<&'w [Word]> {
    let mut rest = args;
    for word in runner.words.split_ascii_whitespace().skip(1) {
        let read = read_options(&runner.options, rest);
        let (first, after) = rest.get(read.rest..)?.split_first()?;
        if first.known().as_deref() != Some(word) {
            return None;
        }
        rest = after;
    }
    Some(rest)
}
