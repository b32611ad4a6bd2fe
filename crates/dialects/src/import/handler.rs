//! What runs, as keys of hooks.toml.

use serde_json::Value;

use super::agent::Agent;
use super::report::Findings;
use super::script::Script;
use super::source::{Command, Handler, Line};
use super::variables::fill_variables;
use super::write::{inline, key, list, literal, table};

/// A handler in TOML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Written {
    /// A key with its table: `("command", [("shell", "…")])`.
    Table(&'static str, Vec<(&'static str, String)>),
    /// A key with its value.
    Value(&'static str, String),
    /// Nothing that runs: what it was, for a comment.
    Nothing(String),
}

/// Variables that every program gets, or that a shell has by itself.
const ALWAYS_THERE: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "TZ",
    "PWD",
    "OLDPWD",
    "IFS",
    "BASH_SOURCE",
    "BASH_REMATCH",
    "BASH_VERSION",
    "LINENO",
    "RANDOM",
    "SECONDS",
    "EUID",
    "UID",
    "PPID",
    "PIPESTATUS",
    "FUNCNAME",
    "OPTARG",
    "OPTIND",
    "REPLY",
    "ERR",
    "EXIT",
    "ARGUMENTS",
    "SHELL_SESSION_ID",
];

/// Variables that the dialect of an agent sets.
fn is_set_by_dialect(name: &str) -> bool {
    const PREFIXES: &[&str] = &[
        "CLAUDE_",
        "GEMINI_",
        "QWEN_",
        "CURSOR_",
        "CODEX_",
        "COPILOT_",
        "KIMI_",
        "DEFECT_",
        "HOOKGATE_",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || name == "CLAUDECODE"
}

/// What the handler of a hook is written with.
pub(super) struct Context<'a> {
    pub(super) agent: Agent,
    pub(super) at: usize,
    pub(super) script: &'a Script,
    /// The folder of the plugin that the file belongs to.
    pub(super) plugin: Option<&'a str>,
    /// Our first event.
    pub(super) event: &'a str,
    /// The event of the agent, where it is not the one that ours would be told as.
    pub(super) native: Option<&'a str>,
}

/// Writes a handler.
pub(super) fn write(handler: &Handler, context: &Context<'_>, findings: &mut Findings) -> Written {
    match handler {
        Handler::Command(command) => context.command(command, findings),
        Handler::Http { url, headers, allowed_env } => {
            context.http(url, headers, allowed_env, findings)
        }
        Handler::Prompt { prompt, model } => context.prompt(prompt, model.as_deref(), findings),
        Handler::Mcp { server, tool } => {
            findings.add(
                "not_imported",
                context.at,
                format!("the tool `{tool}` of the MCP server `{server}` answers: how to start the server is not \
                         in this file"),
                "write a handler of the kind `mcp` for it; the hook stands in the file as a comment",
            );
            Written::Nothing(format!("the tool {tool} of the MCP server {server}"))
        }
        Handler::Builtin { name, args } => context.builtin(name, args, findings),
        Handler::OfHost(name) => Written::Value("builtin", literal(name)),
        Handler::Unknown { kind, detail } => {
            Written::Nothing(format!("{kind} {detail}").trim().to_owned())
        }
    }
}

impl Context<'_> {
    fn command(&self, command: &Command, findings: &mut Findings) -> Written {
        let mut names: Vec<String> = self
            .script
            .variables()
            .into_iter()
            .filter(|name| !ALWAYS_THERE.contains(&&**name) && !is_set_by_dialect(name))
            .collect();
        let mut set: Vec<(String, String)> = Vec::new();
        let mut exports = String::new();
        for (name, value) in &command.env {
            names.retain(|known| known != name);
            if value.contains('$') {
                // The agent puts variables into the value, and here only a shell does.
                let value = value.replace("${env.", "${");
                exports.push_str(&format!("export {name}=\"{}\"; ", value.replace('"', "\\\"")));
                names.extend(Script::of_text(&value).variables());
            } else {
                set.push((name.clone(), value.clone()));
            }
        }
        if let Some(plugin) = self.plugin.filter(|_| command.line.text().contains("PLUGIN_ROOT")) {
            // The agent sets them, whatever the hook says.
            let mut set_root = |name: &str| {
                set.retain(|(known, _)| known != name);
                set.push((name.to_owned(), plugin.to_owned()));
            };
            set_root("CLAUDE_PLUGIN_ROOT");
            if command.line.text().contains("${PLUGIN_ROOT}") {
                set_root("PLUGIN_ROOT");
            }
            names.retain(|name| name != "PLUGIN_ROOT");
            findings.add(
                "plugin_path",
                self.at,
                "the program is a part of the plugin, and the agent says where that is",
                "`set_env` says where it is now; renew it when the plugin moves",
            );
        }
        let cd = command.cwd.as_deref().map_or_else(String::new, |cwd| {
            let cwd = cwd.replace("${env.", "${");
            // Between quotes no shell knows `~`.
            let home =
                cwd.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
            let cwd = home.map_or_else(|| cwd.clone(), |rest| format!("$HOME{rest}"));
            format!("cd \"{}\" || exit 1; ", cwd.replace('"', "\\\""))
        });
        let before = format!("{cd}{exports}");
        let mut keys = match &command.line {
            Line::Shell(program, text) => shell(program, format!("{before}{text}")),
            Line::Argv(words) if before.is_empty() => vec![("argv", list(words))],
            Line::Argv(words) => {
                let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                shell("sh", format!("{before}exec {}", words.join(" ")))
            }
        };
        names.sort();
        names.dedup();
        if !names.is_empty() {
            keys.push(("env", list(&names)));
        }
        if !set.is_empty() {
            keys.push(("set_env", table(&set)));
        }
        self.dialect(&mut keys);
        Written::Table("command", keys)
    }

    fn dialect(&self, keys: &mut Vec<(&'static str, String)>) {
        keys.push(("dialect", literal(self.agent.name())));
        if let Some(native) = self.native {
            keys.push(("dialect_event", literal(native)));
        }
    }

    fn http(
        &self,
        url: &str,
        headers: &[(String, String)],
        allowed: &[String],
        findings: &mut Findings,
    ) -> Written {
        let host = url.split_once("://").map_or("", |(_, rest)| rest);
        let host = host.split(['/', '?', '#']).next().unwrap_or_default();
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        let is_local = name == "localhost" || name.starts_with("127.") || name == "[::1]";
        if !url.starts_with("https://") && !is_local {
            findings.add(
                "not_imported",
                self.at,
                format!("`{url}` is no https:// address: anybody on the way could answer"),
                "use https://, or name the host in `allow_private`; the hook stands in the file as a comment",
            );
            return Written::Nothing(format!("a request to {url}"));
        }
        let mut keys = vec![("url", literal(url))];
        if is_local {
            let port = if host.contains(':') && !host.ends_with(']') {
                String::new()
            } else {
                if url.starts_with("https") { ":443" } else { ":80" }.to_owned()
            };
            keys.push(("allow_loopback", list(&[format!("{host}{port}")])));
        }
        let fill = |value: &str| {
            // A name that is not allowed leaves nothing.
            fill_variables(value, |name| {
                let is_allowed = allowed.iter().any(|known| known == name);
                Some(if is_allowed { format!("${{{name}}}") } else { String::new() })
            })
        };
        let filled: Vec<(String, String)> =
            headers.iter().map(|(name, value)| (name.clone(), fill(value))).collect();
        let is_used = |name: &&String| {
            let place = format!("${{{name}}}");
            filled.iter().any(|(_, value)| value.contains(&place))
        };
        let used: Vec<&String> = allowed.iter().filter(is_used).collect();
        if !filled.is_empty() {
            keys.push(("headers", table(&filled)));
        }
        if !used.is_empty() {
            keys.push(("env", list(&used)));
        }
        self.dialect(&mut keys);
        Written::Table("http", keys)
    }

    fn prompt(&self, prompt: &str, model: Option<&str>, findings: &mut Findings) -> Written {
        /// The model that is written where the agent has a model of its own.
        const MODEL: &str = "gpt-5-mini";
        if prompt.contains("{{") {
            findings.add(
                "not_imported",
                self.at,
                "the question has places to fill in that hookgate does not know",
                "write it as a rule: the judge sees the step by itself; the hook stands in the file as a comment",
            );
            return Written::Nothing(format!("a question to a model: {prompt}"));
        }
        let model = model.map(|model| model.rsplit_once('/').map_or(model, |(_, name)| name));
        let rule = prompt.replace("$ARGUMENTS", "").trim().to_owned();
        findings.add(
            "judge",
            self.at,
            "the agent asks a model of its own; here the model and its key must be named, and a judge that \
             cannot be asked counts as a deny where one is possible",
            "choose `model` and `base_url`, and set the key (docs/judges.md)",
        );
        Written::Table(
            "prompt",
            vec![("model", literal(model.unwrap_or(MODEL))), ("prompt", literal(&rule))],
        )
    }

    /// Builtins that hookgate has, too.
    fn builtin(&self, name: &str, args: &[String], findings: &mut Findings) -> Written {
        const CONTEXT: &[&str] = &[
            "add_date",
            "add_environment_info",
            "add_git_status",
            "add_git_diff",
            "add_user_info",
            "add_directory_listing",
            "add_recent_commits",
            "add_prompt_files",
        ];
        let value = |text: String| Written::Value("builtin", text);
        let takes_context =
            matches!(self.event, "session_start" | "turn_start" | "user_prompt_submit");
        let number = args.first().and_then(|arg| arg.parse::<u32>().ok());
        match (name, args) {
            (name, []) if CONTEXT.contains(&name) && takes_context => value(literal(name)),
            ("add_git_diff", [full]) if full == "full" && takes_context => {
                value("{ name = \"add_git_diff\", full = true }".to_owned())
            }
            ("add_recent_commits", _) if takes_context && number.is_some() => value(format!(
                "{{ name = \"add_recent_commits\", count = {} }}",
                number.unwrap_or(10)
            )),
            ("add_prompt_files", [depth, files @ ..])
                if takes_context
                    && !files.is_empty()
                    && !files.iter().any(|file| file.starts_with('-')) =>
            {
                let deep =
                    depth.strip_prefix("--depth=").and_then(|depth| depth.parse::<u8>().ok());
                match deep {
                    Some(deep) => value(format!(
                        "{{ name = \"add_prompt_files\", files = {}, depth = {} }}",
                        list(files),
                        deep.min(8)
                    )),
                    None => {
                        value(format!("{{ name = \"add_prompt_files\", files = {} }}", list(args)))
                    }
                }
            }
            ("add_prompt_files", files)
                if takes_context && !files.iter().any(|file| file.starts_with('-')) =>
            {
                value(format!("{{ name = \"add_prompt_files\", files = {} }}", list(files)))
            }
            ("max_iterations", _) if self.event == "pre_llm_request" && number.is_some() => {
                value(format!("{{ name = \"max_iterations\", limit = {} }}", number.unwrap_or(1)))
            }
            ("redact_secrets" | "redact-secrets", _) if self.event == "pre_tool_use" => {
                value("{ name = \"redact_secrets\", tool_input = true }".to_owned())
            }
            ("redact_secrets", _) => value(literal("redact_secrets")),
            ("limit_large_tool_results", []) if self.event == "post_tool_use" => {
                value(literal("limit_large_tool_results"))
            }
            ("elide_repeated_tool_results", []) if self.event == "post_tool_use" => {
                value(literal("elide_repeated_tool_results"))
            }
            ("safer_shell", []) if self.event == "pre_tool_use" => value(literal("safer_shell")),
            ("snapshot", []) if matches!(self.event, "turn_start" | "pre_tool_use") => {
                value(literal("snapshot"))
            }
            ("http_post", [url, body]) if posted(body).is_some() => value(format!(
                "{{ name = \"http_post\", url = {}, body = {} }}",
                inline(url),
                posted(body).unwrap_or_default()
            )),
            ("add_context", texts)
                if takes_context
                    && !texts.is_empty()
                    && !texts.iter().any(|text| text.contains("{{")) =>
            {
                value(format!("{{ name = \"add_context\", text = {} }}", inline(&texts.join("\n"))))
            }
            ("skill-manifest", _) if takes_context && self.event != "user_prompt_submit" => {
                value(literal("skill_manifest"))
            }
            ("skill-triggers", _) if self.event == "user_prompt_submit" => {
                value(literal("skill_manifest"))
            }
            ("tracing-audit", _) => value(literal("audit")),
            _ => {
                let args = if args.is_empty() {
                    String::new()
                } else {
                    format!(" with {}", args.join(", "))
                };
                findings.add(
                    "not_imported",
                    self.at,
                    format!("the builtin `{name}`{args} has no counterpart at this event"),
                    "see `hookgate builtins`; the hook stands in the file as a comment",
                );
                Written::Nothing(format!("the builtin {name}{args}"))
            }
        }
    }
}

/// Writes the JSON that is posted as a table of TOML; `None` if it is no object, or has what would mean something
/// else here.
fn posted(body: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    body.as_object()?;
    written(&body)
}

fn written(value: &Value) -> Option<String> {
    match value {
        // TOML has no null, and a text with `{{` is a template here.
        Value::Null => None,
        Value::String(text) => (!text.contains("{{")).then(|| inline(text)),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(written).collect();
            Some(format!("[{}]", items?.join(", ")))
        }
        Value::Object(entries) => {
            let entry = |(name, value): (&String, &Value)| {
                Some(format!("{} = {}", key(name), written(value)?))
            };
            let entries: Option<Vec<String>> = entries.iter().map(entry).collect();
            Some(format!("{{ {} }}", entries?.join(", ")))
        }
    }
}

fn shell(program: &str, text: String) -> Vec<(&'static str, String)> {
    let mut keys = vec![("shell", literal(&text))];
    if program != "sh" {
        keys.push(("shell_program", inline(program)));
    }
    keys
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./=:@%+,".contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

impl Written {
    /// Writes the handler: on one line if it is short, else as a section of its own.
    pub(super) fn to_toml(&self) -> String {
        /// How long a line may be.
        const WIDTH: usize = 110;
        match self {
            Self::Nothing(_) => String::new(),
            Self::Value(name, value) => format!("{name} = {value}\n"),
            Self::Table(name, keys) => {
                let pairs: Vec<String> =
                    keys.iter().map(|(name, value)| format!("{} = {value}", key(name))).collect();
                let line = format!("{name} = {{ {} }}\n", pairs.join(", "));
                if line.len() <= WIDTH && !line.trim_end().contains('\n') {
                    return line;
                }
                format!("[hook.{name}]\n{}\n", pairs.join("\n"))
            }
        }
    }
}
