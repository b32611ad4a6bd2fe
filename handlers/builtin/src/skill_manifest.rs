//! `skill_manifest`: the model learns which skills there are, and when a prompt is about one.

use std::env;
use std::path::{Path, PathBuf};

use hookgate_contract::payload::{UserPromptAccepted, UserPromptSubmit};
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Contract, Event, Invocation, Reply, Role, SyncHandler, Verdict,
};

use crate::char_boundary::at_or_before;
use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::folder::session_folder;
use crate::skills::{Skill, Skills};

const FOLDERS: &[&str] = &[".hookgate/skills", ".claude/skills", "~/.claude/skills"];

const MAX_BYTES: usize = 16 * 1024;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "skill_manifest",
    role: Role::Guard,
    about: "tells the model which skills there are, and which of them a prompt is about",
    supports: Some(lists_or_hints),
    settings: &[
        SettingDoc::optional(
            "folders",
            SettingType::OneOrMoreTexts,
            "where the skills are, each a folder with a `SKILL.md`",
        )
        .default(r#"[".hookgate/skills", ".claude/skills", "~/.claude/skills"]"#),
        SettingDoc::optional(
            "bodies",
            SettingType::Flag,
            "whether a prompt brings the text of the skills that it is about, and not only their names",
        )
        .default("false"),
        SettingDoc::optional(
            "max_bytes",
            SettingType::Size,
            "how much of the text of a skill is added; the rest is cut off",
        )
        .default("\"16KiB\""),
    ],
    example: r#"[[hook]]
id = "skills"
event = ["session_start", "user_prompt_submit"]
builtin = { name = "skill_manifest" }
"#,
    build: Build::Alone(build),
};

/// Tells the model which skills there are, and which of them a prompt is about.
///
/// A skill is a folder with a file `SKILL.md`. Its head says what it is for:
///
/// ```text
/// ---
/// name: deploy
/// description: How we deploy, and how we go back
/// triggers: [deploy, "roll out"]
/// paths: ["infra/**", "*.tf"]
/// always: false
/// ---
/// Ask first. Then …
/// ```
///
/// ```toml
/// [[hook]]
/// id = "skills"
/// event = ["session_start", "user_prompt_submit"]
/// builtin = { name = "skill_manifest" }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `folders` | string or array of strings, `[".hookgate/skills", ".claude/skills", "~/.claude/skills"]` | where the skills are; relative to the folder of the session, or below `~/` |
/// | `bodies` | boolean, `false` | whether a prompt brings the text of the skills that it is about, and not only their names |
/// | `max_bytes` | size, `16KiB` | how much of the text of a skill is added; the rest is cut off |
///
/// Where a session, a sub-agent or a turn begins, or a conversation was compacted, it lists all skills with their
/// files, and adds the text of those that are `always` on. At a prompt it names those that the prompt is about: it
/// mentions, as whole words in any case, the name of the skill or one of its `triggers`, or a path that one of its
/// `paths` matches. A skill that is always on is not named again.
///
/// It answers with `context` and without a decision. Of two skills of one name that of the earlier folder counts.
/// A `SKILL.md` that cannot be read, or whose head has one of these keys in another form, is no skill: a message tells
/// the user where a session begins. It reads 200 skills of a folder at most.
///
/// ```
/// use hookgate_builtin::SkillManifest;
///
/// let skills = SkillManifest::new(&["skills"]).bodies(true);
/// # drop(skills);
/// ```
#[derive(Debug, Clone)]
pub struct SkillManifest {
    folders: Vec<String>,
    bodies: bool,
    max_bytes: usize,
}

impl SkillManifest {
    /// Creates a handler for the skills of these folders.
    #[must_use]
    pub fn new(folders: &[&str]) -> Self {
        let folders = folders.iter().map(|folder| (*folder).to_owned()).collect();
        Self { folders, bodies: false, max_bytes: MAX_BYTES }
    }

    /// Sets whether a prompt brings the text of the skills that it is about.
    #[must_use]
    pub fn bodies(self, bodies: bool) -> Self {
        Self { bodies, ..self }
    }

    /// Sets how much of the text of a skill is added.
    #[must_use]
    pub fn max_bytes(self, max_bytes: usize) -> Self {
        Self { max_bytes, ..self }
    }

    fn skills(&self, session: &Path) -> Skills {
        let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let place = |folder: &String| match folder.strip_prefix("~/") {
            Some(rest) => home.as_ref().map(|home| home.join(rest)),
            None => Some(session.join(folder)),
        };
        let places: Vec<PathBuf> = self.folders.iter().filter_map(place).collect();
        Skills::of_folders(places.iter().map(PathBuf::as_path))
    }

    fn text<'s>(&self, skill: &'s Skill) -> (&'s str, &'static str) {
        let end = at_or_before(&skill.body, self.max_bytes);
        let cut = if end < skill.body.len() { "\n[the rest of the skill is left out]" } else { "" };
        (skill.body.get(..end).unwrap_or_default(), cut)
    }

    /// Lists all skills.
    fn manifest(&self, skills: &Skills) -> Verdict {
        let mut verdict = Verdict::none();
        let line = |skill: &Skill| match skill.about.as_str() {
            "" => format!("- {} ({})", skill.name, skill.file.display()),
            about => format!("- {}: {about} ({})", skill.name, skill.file.display()),
        };
        let lines: Vec<String> =
            skills.found.iter().filter(|skill| !skill.is_always_on).map(line).collect();
        if !lines.is_empty() {
            verdict = verdict.context(format!(
                "There are skills for this work. Read the file of one before you do what it is for:\n{}",
                lines.join("\n")
            ));
        }
        for skill in skills.found.iter().filter(|skill| skill.is_always_on) {
            let (text, cut) = self.text(skill);
            let text = format!("The skill `{}`, which always holds:\n{text}{cut}", skill.name);
            verdict = verdict.context(text);
        }
        match skills.unreadable.as_slice() {
            [] => verdict,
            [problem] => verdict.message(format!("a skill cannot be read: {problem}")),
            problems => verdict.message(format!("skills cannot be read: {}", problems.join("; "))),
        }
    }

    /// Names the skills that a prompt is about.
    fn hints(&self, skills: &Skills, prompt: &str) -> Verdict {
        let meant = skills.found.iter().filter(|skill| !skill.is_always_on);
        let meant = meant.filter(|skill| skill.is_meant_by(prompt));
        meant.fold(Verdict::none(), |verdict, skill| {
            let (name, file) = (&skill.name, skill.file.display());
            verdict.context(if self.bodies {
                let (text, cut) = self.text(skill);
                format!("The skill `{name}` is for this prompt ({file}):\n{text}{cut}")
            } else {
                format!("The skill `{name}` is for this prompt: read {file} before you begin.")
            })
        })
    }
}

impl SyncHandler for SkillManifest {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let Some(folder) = session_folder(&invocation) else { return Ok(Verdict::none()) };
        let skills = self.skills(folder);
        Ok(match prompt_of(&invocation) {
            Some(prompt) => self.hints(&skills, prompt),
            None => self.manifest(&skills),
        })
    }
}

fn prompt_of<'a>(invocation: &Invocation<'a>) -> Option<&'a str> {
    let payload = invocation.payload().as_any();
    if let Some(submitted) = payload.downcast_ref::<UserPromptSubmit>() {
        return Some(&submitted.prompt);
    }
    payload.downcast_ref::<UserPromptAccepted>().map(|accepted| accepted.prompt.as_str())
}

/// Accepts events at which skills are listed, or named for a prompt.
fn lists_or_hints(contract: &Contract) -> Result<(), &'static str> {
    match contract.event {
        Event::SessionStart
        | Event::SubagentStart
        | Event::TurnStart
        | Event::PostCompact
        | Event::UserPromptSubmit
        | Event::UserPromptAccepted => Ok(()),
        _ => Err("skills are told where a session, a turn or a prompt begins"),
    }
}

impl From<SkillManifest> for BuiltHandler {
    fn from(handler: SkillManifest) -> Self {
        Self::from_sync(handler).role(Role::Guard).supports(lists_or_hints)
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let folders = settings.one_or_more("folders").unwrap_or_else(|| FOLDERS.to_vec());
    let bodies = settings.flag("bodies").unwrap_or(false);
    let max_bytes = settings.size("max_bytes").unwrap_or(MAX_BYTES);
    if let Some(folder) = folders.iter().find(|folder| folder.trim().is_empty()) {
        settings.invalid("folders", format!("`{folder}` is no folder"));
        return None;
    }
    Some(SkillManifest::new(&folders).bodies(bodies).max_bytes(max_bytes).into())
}
