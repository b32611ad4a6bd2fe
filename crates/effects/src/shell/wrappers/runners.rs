//! Task runners and the like: a subcommand of theirs runs a program.

use crate::options::OptionTable;

/// A program that runs another after a subcommand.
#[derive(Debug, Clone, Copy)]
pub(in crate::shell) struct Runner {
    /// The program and the words that must follow it, options of it in between skipped.
    pub(in crate::shell) words: &'static str,
    /// Options of the program itself and of its subcommand that take a value.
    pub(in crate::shell) options: OptionTable<'static>,
    /// Operands before the program.
    pub(in crate::shell) skip: usize,
    /// The program stands only after one of these words; if there are none, after the operands that are skipped.
    pub(in crate::shell) after: &'static [&'static str],
    /// Options whose value is shell code.
    pub(in crate::shell) code: &'static str,
    /// Whether the operands are shell code.
    pub(in crate::shell) operand_code: bool,
    /// The program that gets the rest as its words, if they do not begin with it.
    pub(in crate::shell) program: &'static str,
    /// Whether the program runs on another machine or in a container.
    pub(in crate::shell) remote: bool,
    /// Options whose value names what is fetched, if the program, too, is fetched where it is not installed.
    pub(in crate::shell) fetches: Option<&'static str>,
}

const fn options(short_value: &'static str, long_value: &'static str) -> OptionTable<'static> {
    OptionTable { short_value, long_value, stop_at_operand: true, ..OptionTable::NONE }
}

const fn runner(words: &'static str, options: OptionTable<'static>) -> Runner {
    Runner {
        words,
        options,
        skip: 0,
        after: &[],
        code: "",
        operand_code: false,
        program: "",
        remote: false,
        fetches: None,
    }
}

/// A runner of programs that it fetches.
const fn fetcher(words: &'static str, options: OptionTable<'static>) -> Runner {
    Runner { fetches: Some("p package from spec with"), ..runner(words, options) }
}

/// A login on another machine, whose name may stand before or behind the options; a program stands after `--`.
const fn login(code: &'static str, words: &'static str, options: OptionTable<'static>) -> Runner {
    Runner { code, after: DASHES, operand_code: true, remote: true, ..runner(words, options) }
}

/// A line of a shell in a window: `xterm -e 'ls; ls'`, `xterm -e ls -l`.
const fn in_terminal(words: &'static str) -> Runner {
    Runner {
        operand_code: true,
        after: &["-e", "-x"],
        code: "command",
        ..runner(words, OptionTable { dash_words: true, ..options("", "command") })
    }
}

/// A line of a shell on many machines.
const fn on_hosts(words: &'static str, options: OptionTable<'static>) -> Runner {
    Runner { operand_code: true, remote: true, ..runner(words, options) }
}

/// The words after which a program stands.
const DASHES: &[&str] = &["--"];
const COMMAND: &[&str] = &["--", "-c", "--command"];

const UV: OptionTable<'static> = options(
    "pPfiC",
    "python with with-editable with-requirements extra group only-group no-group package directory project env-file \
     index default-index index-url extra-index-url find-links from cache-dir config-file refresh-package",
);
const DOCKER: OptionTable<'static> = options(
    "aceghlmpuvwHf",
    "name volume env env-file publish user workdir network entrypoint mount label memory cpus hostname add-host device \
     cap-add cap-drop security-opt platform pull restart gpus ulimit tmpfs pid ipc log-driver log-opt dns shm-size \
     context config host log-level tlscacert tlscert tlskey file project-name project-directory profile \
     detach-keys index cgroupns cidfile expose group-add health-cmd init-path isolation ip link mac-address \
     memory-swap net net-alias network-alias oom-score-adj pids-limit runtime stop-signal stop-timeout storage-opt \
     sysctl userns uts volume-driver volumes-from dns-search blkio-weight cpu-shares cpuset-cpus annotation",
);
const KUBECTL: OptionTable<'static> = options(
    "ncsf",
    "namespace context kubeconfig server container filename as as-group cluster user token pod-running-timeout \
     request-timeout image restart overrides env labels limits requests serviceaccount",
);

/// All runners. Longer ones stand before shorter ones of the same program.
pub(in crate::shell) const RUNNERS: &[Runner] = &[
    runner("uv run", UV),
    fetcher("uv tool run", UV),
    fetcher("uvx", UV),
    runner("poetry run", options("CP", "directory project")),
    runner("pipenv run", options("", "python")),
    runner("pdm run", options("p", "project")),
    runner("hatch run", options("", "")),
    runner("rye run", options("", "")),
    runner("conda run", options("np", "name prefix cwd")),
    runner("mamba run", options("np", "name prefix cwd")),
    fetcher("pipx run", options("", "spec python index-url pip-args")),
    runner("bundle exec", options("", "gemfile")),
    runner("rbenv exec", options("", "")),
    runner("pyenv exec", options("", "")),
    Runner { after: DASHES, ..runner("mise exec", options("C", "cd")) },
    Runner { after: DASHES, ..runner("mise x", options("C", "cd")) },
    runner("asdf exec", options("", "")),
    Runner { skip: 1, ..runner("direnv exec", options("", "")) },
    runner("op run", options("", "env-file account session environment")),
    Runner { skip: 1, ..runner("aws-vault exec", options("dn", "duration region mfa-token")) },
    Runner {
        code: "command",
        ..runner("doppler run", options("pct", "project config token command scope"))
    },
    runner("infisical run", options("", "env path token projectId command")),
    runner("dotenv", options("ef", "file env override")),
    runner("dotenv run", options("ef", "file env override")),
    runner("dotenvx run", options("fe", "env-file env")),
    runner("chamber exec", options("", "")),
    runner("teller run", options("c", "config")),
    Runner { code: "c call", ..fetcher("npx", options("pwc", "package workspace call")) },
    Runner {
        code: "c call",
        ..fetcher("npm exec", options("pwc", "package workspace call prefix"))
    },
    Runner { code: "c call", ..fetcher("npm x", options("pwc", "package workspace call prefix")) },
    fetcher("bunx", options("", "package")),
    fetcher("bun x", options("", "package")),
    Runner { code: "c shell-mode", ..runner("pnpm exec", options("C", "filter dir")) },
    fetcher("pnpm dlx", options("", "package")),
    runner("yarn exec", options("", "cwd")),
    fetcher("yarn dlx", options("p", "package")),
    Runner {
        code: "run command",
        after: DASHES,
        ..runner("nix-shell", options("pIA", "run command attr argstr arg packages"))
    },
    runner("devbox run", options("ce", "config env")),
    Runner {
        after: COMMAND,
        ..runner("nix develop", options("kI", "override-input include keep profile"))
    },
    Runner {
        after: COMMAND,
        ..runner("nix shell", options("kI", "override-input include keep profile"))
    },
    Runner { after: DASHES, ..runner("flox activate", options("dr", "dir remote")) },
    runner("fnm exec", options("", "using fnm-dir")),
    Runner { skip: 1, ..runner("nvm exec", options("", "")) },
    runner("volta run", options("", "node npm yarn")),
    runner("pixi run", options("e", "environment manifest-path")),
    runner("foreman run", options("edf", "env root procfile")),
    runner("honcho run", options("edf", "env app-root procfile")),
    Runner { after: DASHES, ..runner("lerna exec", options("", "scope ignore since concurrency")) },
    Runner { skip: 1, ..runner("envdir", options("", "")) },
    runner("toolbox run", options("crd", "container release distro")),
    Runner { after: DASHES, ..runner("distrobox enter", options("na", "name additional-flags")) },
    runner("flatpak-spawn", options("", "directory env forward-fd watch-bus sandbox-expose")),
    runner("podman unshare", options("", "")),
    Runner { skip: 1, operand_code: true, ..runner("sops exec-env", options("", "")) },
    Runner { skip: 1, operand_code: true, ..runner("sops exec-file", options("", "filename")) },
    Runner { program: "kubectl", ..runner("minikube kubectl", options("p", "profile")) },
    Runner { program: "kubectl", ..runner("k3s kubectl", options("", "")) },
    Runner { program: "kubectl", ..runner("microk8s kubectl", options("", "")) },
    Runner { skip: 1, ..runner("rustup run", options("", "")) },
    Runner {
        after: DASHES,
        ..runner("cargo flamegraph", options("oF", "output freq bin package"))
    },
    Runner { code: "s shell", ..runner("cargo watch", options("xsweiBdE", "exec shell watch")) },
    Runner { program: "npm", ..runner("corepack npm", options("", "")) },
    Runner { program: "pnpm", ..runner("corepack pnpm", options("", "")) },
    Runner { program: "yarn", ..runner("corepack yarn", options("", "")) },
    runner("cross-env", options("", "")),
    runner("cross-env-shell", options("", "")),
    Runner { skip: 1, remote: true, ..runner("docker compose exec", DOCKER) },
    Runner { skip: 1, remote: true, ..runner("docker compose run", DOCKER) },
    Runner { skip: 1, remote: true, ..runner("docker-compose exec", DOCKER) },
    Runner { skip: 1, remote: true, ..runner("docker-compose run", DOCKER) },
    Runner { skip: 1, remote: true, ..runner("docker container exec", DOCKER) },
    Runner { skip: 1, remote: true, ..runner("docker container run", DOCKER) },
    Runner { skip: 1, remote: true, ..runner("docker exec", DOCKER) },
    Runner { skip: 1, remote: true, ..runner("docker run", DOCKER) },
    Runner { skip: 1, remote: true, ..runner("podman container exec", DOCKER) },
    Runner { skip: 1, remote: true, ..runner("podman container run", DOCKER) },
    Runner { skip: 1, remote: true, ..runner("podman exec", DOCKER) },
    Runner { skip: 1, remote: true, ..runner("podman run", DOCKER) },
    Runner { skip: 1, remote: true, ..runner("nerdctl exec", DOCKER) },
    Runner { skip: 1, remote: true, ..runner("nerdctl run", DOCKER) },
    Runner { skip: 1, remote: true, ..runner("kubectl exec", KUBECTL) },
    Runner { skip: 1, remote: true, after: DASHES, ..runner("kubectl run", KUBECTL) },
    Runner { skip: 1, remote: true, after: DASHES, ..runner("kubectl debug", KUBECTL) },
    Runner { skip: 1, remote: true, ..runner("oc exec", KUBECTL) },
    Runner { skip: 1, remote: true, ..runner("lxc exec", options("", "cwd env mode user group")) },
    Runner {
        skip: 1,
        remote: true,
        ..runner("incus exec", options("", "cwd env mode user group"))
    },
    login(
        "command",
        "gcloud compute ssh",
        options("", "command zone project ssh-flag ssh-key-file"),
    ),
    login(
        "command",
        "gcloud beta compute ssh",
        options("", "command zone project ssh-flag ssh-key-file"),
    ),
    login(
        "ssh-command",
        "doctl compute ssh",
        options("", "ssh-command ssh-key-path ssh-port ssh-user"),
    ),
    login("c command", "vagrant ssh", options("cp", "command plain")),
    login("C command", "fly ssh console", options("Cas", "command app select user")),
    login("C command", "flyctl ssh console", options("Cas", "command app select user")),
    on_hosts("gh codespace ssh", options("cR", "codespace config profile repo server-port")),
    on_hosts("gh cs ssh", options("cR", "codespace config profile repo server-port")),
    on_hosts("pdsh", options("wxglutfRFS", "")),
    on_hosts("clush", options("wgxXltfRo", "group exclude hostfile user")),
    on_hosts("pssh", options("HhlptoexXOA", "host hosts user par timeout outdir errdir option")),
    on_hosts(
        "parallel-ssh",
        options("HhlptoexXOA", "host hosts user par timeout outdir errdir option"),
    ),
    in_terminal("xterm"),
    in_terminal("urxvt"),
    in_terminal("rxvt"),
    in_terminal("lxterminal"),
    in_terminal("xfce4-terminal"),
    on_hosts("minikube ssh", options("np", "node profile")),
    Runner { remote: true, ..runner("heroku run", options("as", "app size env remote")) },
];

/// The names of all programs with a runner.
pub(in crate::shell) fn names() -> impl Iterator<Item = &'static str> {
    RUNNERS.iter().filter_map(|runner| runner.words.split_ascii_whitespace().next())
}

/// Returns the runners of a program.
pub(in crate::shell) fn of(name: &str) -> impl Iterator<Item = &'static Runner> {
    let is_ours = move |runner: &&Runner| {
        let rest = runner.words.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    RUNNERS.iter().filter(is_ours)
}
