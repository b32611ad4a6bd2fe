//! What a matcher means in its agent, and how hooks.toml says it.

use regex::Regex;

use super::agent::Agent;
use super::names::{self, Name};
use super::pattern::{
    is_alternation, is_everything, list_of_names, names_between_anchors, permission_rule, words,
};
use super::report::Findings;
use super::source::Matcher;
use super::write::{list, literal};

/// What a matcher is tested against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// The name of the tool.
    Tool,
    /// The command line of a shell.
    CommandLine,
    /// The type of a sub-agent.
    AgentType,
    /// A field of the payload, as a pointer.
    Field(&'static str),
    /// Nothing: the agent ignores it.
    Nothing,
    /// Something that hooks.toml has no word for.
    Untranslatable,
}

/// How an agent reads a matcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// A list of names if it has these signs only, else a pattern that may fit a part.
    NamesOrPart { also: &'static str, separators: &'static [char], trims: bool },
    /// A pattern that may fit a part.
    Part,
    /// A pattern that must fit the whole.
    Whole,
    /// The text itself.
    Exact,
}

/// The style, and what means everything.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) style: Style,
    pub(super) all: &'static [&'static str],
    pub(super) trims: bool,
}

/// What a matcher means.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Meaning {
    All,
    Names(Vec<String>),
    Part(String),
    Whole(String),
}

/// Translates a matcher to conditions of hooks.toml.
///
/// What never holds in the agent is a mistake: then the conditions are what was meant, so that the hook
/// is not weaker than it seems.
///
/// With `every_agent` a tool is also meant by the names that other agents have for it.
pub(super) fn translate(
    agent: Agent,
    rules: Rules,
    subject: Subject,
    matcher: &Matcher,
    every_agent: bool,
    findings: &mut Findings,
) -> Vec<(String, String)> {
    let Some(written) = matcher.text.as_deref() else { return Vec::new() };
    let reader = Reader { agent, at: matcher.at, written, every_agent, findings };
    reader.translate(rules, subject)
}

struct Reader<'a> {
    agent: Agent,
    at: usize,
    written: &'a str,
    every_agent: bool,
    findings: &'a mut Findings,
}

impl Reader<'_> {
    fn never(&mut self, why: &str, advice: &str) {
        let (agent, written) = (self.agent, self.written);
        let meaning = format!("the matcher `{written}` never holds in {agent}: {why}");
        self.findings.add("never_matches", self.at, meaning, advice);
    }

    fn translate(mut self, rules: Rules, subject: Subject) -> Vec<(String, String)> {
        if rules.all.contains(&self.written) {
            return Vec::new();
        }
        match subject {
            Subject::Nothing => {
                if !is_everything(self.written) {
                    self.findings.add(
                        "ignored_matcher",
                        self.at,
                        format!(
                            "{} ignores the matcher `{}` at this event: the hook always runs",
                            self.agent, self.written
                        ),
                        "the hook is imported without it; add a condition on `payload` if it is needed",
                    );
                }
                return Vec::new();
            }
            Subject::Untranslatable => {
                if !is_everything(self.written) {
                    self.findings.add(
                        "untranslated_matcher",
                        self.at,
                        format!("the matcher `{}` has no counterpart here", self.written),
                        "the hook is imported without it, so it runs more often than before",
                    );
                }
                return Vec::new();
            }
            _ => {}
        }
        let meaning = self.meaning(rules, subject);
        let meaning = match subject {
            Subject::Tool => {
                let own = self.tools(meaning);
                if self.every_agent { of_every_agent(self.agent, own) } else { own }
            }
            _ => meaning,
        };
        self.conditions(meaning, subject)
    }

    /// Reads the matcher as the agent does; if that never holds, as it was meant.
    fn meaning(&mut self, rules: Rules, subject: Subject) -> Meaning {
        let text = if rules.trims { self.written.trim() } else { self.written };
        if matches!(text, "" | "*") || (text.trim().is_empty() && subject == Subject::Tool) {
            self.never(
                "it is no pattern that fits a name",
                "the hook is imported for everything, which is what it seems to mean",
            );
            return Meaning::All;
        }
        if let Some(tool) = permission_rule(text).filter(|_| subject == Subject::Tool) {
            self.never(
                "it is a rule of permissions, and a matcher is compared with the name of the tool",
                "it is imported for the tool alone; add a condition such as `runs` for the rest",
            );
            return Meaning::Names(vec![tool.to_owned()]);
        }
        match rules.style {
            Style::NamesOrPart { also, separators, trims } => {
                let is_name =
                    |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '|' || also.contains(c);
                if !text.chars().all(is_name) {
                    return self.pattern(text, false, subject);
                }
                let names = text.split(separators);
                Meaning::Names(
                    names.map(|name| if trims { name.trim() } else { name }.to_owned()).collect(),
                )
            }
            Style::Part => self.pattern(text, false, subject),
            Style::Whole => self.pattern(text, true, subject),
            Style::Exact => {
                if text.contains('|') {
                    self.never(
                        "it is compared as a whole with one value",
                        "it is imported as the list that it seems to mean",
                    );
                }
                Meaning::Names(text.split('|').map(|name| name.trim().to_owned()).collect())
            }
        }
    }

    fn pattern(&mut self, text: &str, whole: bool, subject: Subject) -> Meaning {
        let valid = regress::Regex::new(text).is_ok() || Regex::new(text).is_ok();
        if valid && is_everything(text) {
            return Meaning::All;
        }
        // A command line may well have a blank or a comma.
        let is_name = subject != Subject::CommandLine;
        if let Some(names) = list_of_names(text).filter(|_| is_name) {
            self.never(
                "a comma or a blank is part of the pattern",
                "it is imported as the list that it seems to mean; write `A|B`",
            );
            return Meaning::Names(names);
        }
        if !valid {
            self.never(
                "it is no regular expression",
                "it is imported for the names in it, or for everything; write what is meant",
            );
            let words = words(text);
            return if words.is_empty() { Meaning::All } else { Meaning::Names(words) };
        }
        match (whole, names_between_anchors(text)) {
            (_, Some(names)) => Meaning::Names(names),
            (true, None) if is_alternation(text) => {
                Meaning::Names(text.split('|').map(str::to_owned).collect())
            }
            (true, None) => Meaning::Whole(text.to_owned()),
            (false, None) => Meaning::Part(text.to_owned()),
        }
    }

    /// Replaces names of tools that the agent never reports by those that it does.
    fn tools(&mut self, meaning: Meaning) -> Meaning {
        match meaning {
            Meaning::Names(written) => {
                let mut all: Vec<String> = Vec::new();
                for name in written.iter().filter(|name| !name.is_empty()) {
                    let more = self.foreign(name);
                    let names = names::reported(self.agent, name).into_iter().chain(more);
                    for name in names {
                        if !all.contains(&name) {
                            all.push(name);
                        }
                    }
                }
                if all.is_empty() {
                    self.never(
                        "it names no tool",
                        "the hook is imported for everything, which is what it seems to mean",
                    );
                    return Meaning::All;
                }
                Meaning::Names(all)
            }
            Meaning::Part(text) | Meaning::Whole(text) if is_alternation(&text) => {
                // Names between bars, which may fit a part: what is missing is added.
                let mut all = text.clone();
                for name in text.split('|') {
                    let own = names::reported(self.agent, name).into_iter().skip(1);
                    // What fits a part of a name is no mistake.
                    let fits = |own: &&str| own.contains(name);
                    let is_part = names::all_of(self.agent).iter().any(fits);
                    let foreign = if is_part { None } else { self.foreign(name) };
                    let more: Vec<String> = own.chain(foreign).collect();
                    for name in more {
                        all = format!("{all}|{name}");
                    }
                }
                Meaning::Part(all)
            }
            Meaning::Part(text) => self.tried(text, false),
            Meaning::Whole(text) => self.tried(text, true),
            Meaning::All => Meaning::All,
        }
    }

    /// Returns the own name for a tool that is called as another agent calls it.
    fn foreign(&mut self, name: &str) -> Option<String> {
        if let Some(why) = names::mcp_mistake(self.agent, name) {
            let agent = self.agent;
            self.findings.add(
                "never_matches",
                self.at,
                format!("`{name}` in the matcher is no tool of {agent}: {why}"),
                "correct the name",
            );
            return (name.split("__").count() == 2).then(|| format!("{name}__*"));
        }
        let agent = self.agent;
        let Some(meant) = names::meant(agent, name) else {
            self.tell_nothing_like(name);
            return None;
        };
        let own = meant.own;
        let (code, what) = match meant.name {
            Name::OtherCase => {
                ("never_matches", "written in other letters than the name".to_owned())
            }
            Name::Inner => ("foreign_tool", "an inner name".to_owned()),
            Name::Of(whose) => ("foreign_tool", format!("{whose}'s name")),
        };
        self.findings.add(
            code,
            self.at,
            format!(
                "`{name}` in the matcher is {what} of a tool; {agent} calls it `{own}`, so the hook \
                 never runs for it"
            ),
            format!("`{own}` is added here; take `{name}` out if the hook is for {agent} alone"),
        );
        Some(own.to_owned())
    }

    /// Tells of a tool of another agent for which this one has nothing.
    fn tell_nothing_like(&mut self, name: &str) {
        let agent = self.agent;
        if let Some(whose) = names::nothing_like(agent, name) {
            self.findings.add(
                "foreign_tool",
                self.at,
                format!(
                    "`{name}` in the matcher is a tool of {whose}; {agent} has none that does the same, so \
                     the hook never runs for it"
                ),
                "name the tool that is meant",
            );
        }
    }

    /// Tries a pattern on the names of tools that are known. If it fits none of the agent's own, and fits some
    /// in other letters, or fits those of other agents, the own ones are added.
    fn tried(&mut self, text: String, whole: bool) -> Meaning {
        let agent = self.agent;
        let unchanged =
            |text: String| if whole { Meaning::Whole(text) } else { Meaning::Part(text) };
        let anchored = |source: &str| {
            if whole { format!("^(?:{source})$") } else { format!("(?:{source})") }
        };
        // Names of MCP servers are anybody's.
        let Ok(regex) = Regex::new(&anchored(&text)) else { return unchanged(text) };
        let own = names::all_of(agent);
        if text.contains("mcp") || own.iter().any(|name| regex.is_match(name)) {
            return unchanged(text);
        }
        let other_case = Regex::new(&format!("(?i){}", anchored(&text)));
        let in_letters = |name: &&&str| other_case.as_ref().is_ok_and(|regex| regex.is_match(name));
        let mut added: Vec<&str> = own.iter().filter(in_letters).copied().collect();
        let (code, what) = if added.is_empty() {
            let others = Agent::ALL.into_iter().flat_map(names::all_of);
            let fits = others.filter(|name| regex.is_match(name));
            added.extend(fits.filter_map(|name| names::meant(agent, name)).map(|meant| meant.own));
            ("foreign_tool", "it fits names of tools of other agents only")
        } else {
            ("never_matches", "it fits names of tools in other letters only")
        };
        added.sort_unstable();
        added.dedup();
        if added.is_empty() {
            return unchanged(text);
        }
        let added = added.join("|");
        self.findings.add(
            code,
            self.at,
            format!("the matcher `{text}` never holds for a tool of {agent}: {what}"),
            format!("`{added}` is added here; correct the matcher"),
        );
        Meaning::Part(format!("{}|^(?:{added})$", anchored(&text)))
    }

    fn conditions(&mut self, meaning: Meaning, subject: Subject) -> Vec<(String, String)> {
        let key = |name: &str, value: String| vec![(name.to_owned(), value)];
        let regex = match &meaning {
            Meaning::All => return Vec::new(),
            Meaning::Names(names) => match subject {
                Subject::Tool => return key("tool", one_or_list(names)),
                Subject::AgentType => return key("agent", one_or_list(names)),
                Subject::Field(pointer) => {
                    let names: Vec<String> = names.clone();
                    let test = match names.as_slice() {
                        [one] => format!("{{ equals = {} }}", literal(one)),
                        _ => format!("{{ one_of = {} }}", list(&names)),
                    };
                    return key("payload", format!("{{ {} = {test} }}", literal(pointer)));
                }
                _ => names.iter().map(|name| regex::escape(name)).collect::<Vec<_>>().join("|"),
            },
            Meaning::Part(text) => text.clone(),
            Meaning::Whole(text) => format!("^(?:{text})$"),
        };
        // The type of an agent is a name, or a pattern with `*`.
        let glob = (subject == Subject::AgentType && is_alternation(&regex))
            .then(|| regex.split('|').map(|part| format!("*{part}*")).collect::<Vec<_>>());
        if let Some(parts) = glob {
            return key("agent", one_or_list(&parts));
        }
        if Regex::new(&regex).is_err() || subject == Subject::AgentType {
            self.findings.add(
                "untranslated_matcher",
                self.at,
                format!("the matcher `{}` uses what patterns here do not have", self.written),
                "the hook is imported without it, so it runs more often than before",
            );
            return Vec::new();
        }
        match (subject, meaning) {
            (Subject::Tool, Meaning::Whole(text)) => key("tool_regex", literal(&text)),
            (Subject::Tool, _) => vec![
                ("tool_regex".to_owned(), literal(&regex)),
                ("regex_search".to_owned(), "true".to_owned()),
            ],
            (Subject::CommandLine, _) => {
                key("input", format!("{{ \"/command\" = {{ regex = {} }} }}", literal(&regex)))
            }
            (Subject::Field(pointer), _) => key(
                "payload",
                format!("{{ {} = {{ regex = {} }} }}", literal(pointer), literal(&regex)),
            ),
            (Subject::AgentType | Subject::Nothing | Subject::Untranslatable, _) => Vec::new(),
        }
    }
}

/// Adds the names that other agents have for the tools that are named.
fn of_every_agent(agent: Agent, meaning: Meaning) -> Meaning {
    let elsewhere = |own: &[String]| {
        let mut more: Vec<String> = Vec::new();
        for name in own.iter().flat_map(|name| names::elsewhere(agent, name)) {
            if !own.contains(&name) && !more.contains(&name) {
                more.push(name);
            }
        }
        more
    };
    match meaning {
        Meaning::Names(mut own) => {
            let more = elsewhere(&own);
            own.extend(more);
            Meaning::Names(own)
        }
        Meaning::Part(text) if is_alternation(&text) => {
            let own: Vec<String> = text.split('|').map(str::to_owned).collect();
            let more = elsewhere(&own);
            if more.is_empty() {
                return Meaning::Part(text);
            }
            Meaning::Part(format!("{text}|^(?:{})$", more.join("|")))
        }
        other => other,
    }
}

/// `"Edit|Write"`, or a list where a name has signs that mean something there.
fn one_or_list(names: &[String]) -> String {
    literal(&names.join("|"))
}
