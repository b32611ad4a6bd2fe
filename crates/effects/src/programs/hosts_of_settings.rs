//! Programs that connect to hosts which no word names: a registry, a cloud, what their settings say.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::reading::Reading;
use crate::options::Given;
use crate::run::Run;
use crate::word::Word;

/// Programs, and the words with which they connect: `*` is any word, `-` none at all, `a:b` two of them.
///
/// What a build, a test or a script does is not known, here as everywhere.
const CONNECTING: &[(&str, &str)] = &[
    (
        "npm pnpm bun",
        "install i in ci add update up upgrade exec x dlx create publish unpublish deprecate dist-tag \
         dist-tags audit outdated view info search login adduser whoami owner team access token ping",
    ),
    ("yarn", "- install add up upgrade dlx create publish npm audit outdated info login"),
    ("npx pnpx bunx uvx", "*"),
    ("corepack", "enable prepare install use up yarn yarnpkg pnpm pnpx npm npx"),
    ("deno", "install i add cache update outdated upgrade publish"),
    (
        "pip pipx uv-pip",
        "install download wheel index search run upgrade upgrade-all inject reinstall",
    ),
    ("uv", "add sync lock pip tool publish run"),
    ("poetry pipenv flit twine pdm rye hatch", "install add update lock sync publish upload"),
    ("conda mamba micromamba pixi", "install update create add search"),
    (
        "cargo",
        "add install update fetch publish yank owner search login vendor generate-lockfile info",
    ),
    ("rustup", "update install toolchain component target self"),
    ("go", "get install mod"),
    ("gem bundle bundler", "install update push outdated fetch add"),
    ("composer", "install update require create-project outdated search"),
    ("cpan cpanm", "*"),
    ("cabal stack opam", "install update get upload"),
    ("mix", "deps.get deps.update hex.publish local.hex"),
    ("dotnet nuget", "restore add install push tool"),
    ("flutter dart pub", "pub:get pub:add pub:upgrade pub:publish get add upgrade"),
    ("pod", "install update repo"),
    ("elm", "install publish"),
    ("brew", "install upgrade update tap fetch search reinstall"),
    (
        "apt apt-get aptitude dnf yum zypper apk snap flatpak",
        "install update upgrade full-upgrade dist-upgrade add download source refresh search",
    ),
    ("pacman yay paru", "*"),
    ("nix nix-shell nix-env nix-build", "*"),
    ("git", "submodule:update submodule:add remote:update lfs:pull lfs:push lfs:fetch lfs:clone"),
    ("svn", "checkout co update up commit ci switch export import list ls log"),
    ("hg", "pull push clone incoming outgoing"),
    // What a container does is not seen, and it has a network unless its options take that away.
    (
        "docker podman nerdctl",
        "pull push login search run create build buildx compose image:pull image:push image:build \
         container:run container:create",
    ),
    ("docker-compose podman-compose", "up pull push build run"),
    ("vagrant", "up box"),
    ("ansible ansible-playbook ansible-galaxy ansible-pull", "*"),
    ("kubectl oc k kubecolor helm", "*"),
    ("gh glab hub tea", "*"),
    ("aws gcloud gcloud-beta az bq doctl flyctl heroku vercel netlify wrangler firebase", "*"),
    ("gsutil s3cmd s4cmd s5cmd mc azcopy b2 gdrive dropbox rclone", "*"),
    ("terraform tofu terragrunt pulumi", "init apply plan destroy import refresh get up preview"),
    ("mail mailx sendmail mutt smbclient ntpdate", "*"),
];

/// Options with which a program stays offline.
const OFFLINE: &[&str] = &["--offline", "--no-index", "--network=none", "--net=none"];

/// The words of each program of [`CONNECTING`].
static WORDS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let words_of = |(names, words): &(&'static str, &'static str)| {
        let words: Vec<&str> = words.split_ascii_whitespace().collect();
        names.split_ascii_whitespace().map(move |name| (name, words.clone()))
    };
    CONNECTING.iter().flat_map(words_of).collect()
});

/// Returns whether a run connects to hosts that its settings name.
pub(super) fn are_connected(reading: &Reading<'_>, run: &Run) -> bool {
    let Some(name) = run.name() else { return false };
    // `pip3.11` is `pip`, and so is `python -m pip`.
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let module = reading.given.iter().find_map(|given| match given {
        Given::Option { name: option, value: Some(value), .. } if option == "m" => value.known(),
        _ => None,
    });
    let is_python = matches!(name, "python" | "pypy" | "py");
    let name = module.as_deref().filter(|_| is_python).unwrap_or(name);
    let Some(words) = WORDS.get(name) else { return false };
    if run.args.iter().filter_map(|word| word.known()).any(|word| OFFLINE.contains(&&*word)) {
        return false;
    }
    // `cargo +nightly` names a toolchain.
    let mut given = reading.words().skip_while(|word| word.known_prefix().starts_with('+'));
    let (first, second) = (given.next(), given.next().and_then(Word::known));
    let Some(first) = first else { return run.more_args || words.contains(&"-") };
    // A word that is not known may be any.
    let Some(first) = first.known() else { return true };
    words.iter().any(|word| match word.split_once(':') {
        Some(both) => both.0 == first && second.as_deref() == Some(both.1),
        None => *word == "*" || *word == first,
    })
}
