//! Programs that write code which makes a shell ready for them: `eval "$(ssh-agent -s)"`, `source <(kubectl completion bash)`.
//!
//! What they write is part of the program, as what it does itself is, so nobody has to see it before it runs.

use super::walk::Walker;
use crate::run::{Origin, Output, Run};
use crate::word::{Word, WordPart};

/// Programs, and the first words with which they write such code; none for any.
const PRINTERS: &[(&str, &str)] = &[
    (
        "ssh-agent gpg-agent keychain dircolors lesspipe lesspipe.sh register-python-argcomplete resize thefuck",
        "",
    ),
    ("brew", "shellenv"),
    ("direnv", "hook export"),
    (
        "pyenv rbenv nodenv jenv goenv phpenv plenv starship zoxide atuin mcfly navi oh-my-posh",
        "init virtualenv-init",
    ),
    ("fnm opam", "env"),
    ("mise rtx", "activate env hook-env"),
    ("conda mamba micromamba pixi", "shell.bash shell.zsh shell shell-hook"),
    ("minikube", "docker-env podman-env"),
    ("docker-machine", "env"),
    ("fzf", "--bash --zsh"),
    ("luarocks", "path"),
];

/// The words with which many a program writes what completes its words in a shell.
const COMPLETION: [&str; 3] = ["completion", "completions", "generate-shell-completion"];

/// Programs for which that is known.
const COMPLETES: &str = "kubectl oc helm gh glab eksctl kind k3d minikube flux argocd istioctl rustup deno poetry uv \
    hugo npm pnpm volta stern skaffold velero docker podman nerdctl terraform tofu vault consul nomad doctl hcloud just task \
    zellij atuin starship rg bat delta cargo cosign crane kubeadm cilium linkerd tkn kn ng composer symfony yq pip";

impl Walker<'_> {
    /// Notes an expansion if the one run since `first` writes code that makes a shell ready.
    pub(super) fn note_shell_setup(&mut self, first: usize, written: &str) {
        if let [run] = self.runs.get(first..).unwrap_or_default()
            && run.origin == Origin::Text
            && writes_setup(run)
        {
            self.setups.insert(written.to_owned());
        }
    }

    /// Whether code is nothing but such an expansion.
    pub(super) fn is_shell_setup(&self, code: &Word) -> bool {
        let [WordPart::Unknown { written, .. }] = code.parts.as_slice() else { return false };
        self.setups.contains(written)
    }

    /// Forgets the variables that such code may have set. It leaves the folder as it is.
    pub(super) fn set_up_shell(&mut self, by: usize) {
        // The shell takes what the program before writes, and shows it to nobody.
        let printer = by.checked_sub(1).and_then(|before| self.runs.get_mut(before));
        if let Some(run) = printer.filter(|run| writes_setup(run)) {
            run.output = Output::Nowhere;
        }
        self.complete = false;
        let cwd = self.state.cwd.clone();
        self.change().forget_all();
        self.change().cwd = cwd;
    }
}

fn writes_setup(run: &Run) -> bool {
    // A file of the project, or of anywhere else by its path, may be anything.
    let Some(program) = run.program.known().filter(|program| !program.contains('/')) else {
        return false;
    };
    // Many of them write their words into the code as they are: `thefuck --alias 'x; rm -rf ~'`.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+".contains(c);
    let is_known =
        run.args.iter().all(|word| word.known().is_some_and(|word| word.chars().all(is_plain)));
    let first = run.args.first().and_then(Word::known).unwrap_or_default();
    let has = |list: &str, name: &str| list.split_ascii_whitespace().any(|one| one == name);
    let prints = |(programs, words): &(&str, &str)| {
        has(programs, &program) && (words.is_empty() || has(words, &first))
    };
    let completes = COMPLETION.contains(&&*first) && has(COMPLETES, &program);
    is_known && run.redirects.is_empty() && (completes || PRINTERS.iter().any(prints))
}
