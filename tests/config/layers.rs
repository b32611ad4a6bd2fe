//! Promise: a layer can only tighten what the layers above it say, and is told what it does not get.

use std::path::PathBuf;

use hookgate::config::{ConfigErrors, Loaded, Loader};
use hookgate::table::Layer;
use hookgate::{Engine, HookEngine, Mode, Outcome, Registry, StepContext, ToolUse};
use tempfile::TempDir;

/// Files of layers, in a folder of their own.
pub(crate) struct Files {
    folder: TempDir,
    files: Vec<(Layer, PathBuf)>,
}

impl Files {
    pub(crate) fn new(texts: &[(Layer, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |(index, (layer, text)): (usize, &(Layer, &str))| {
            let file = folder.path().join(format!("{layer}-{index}.toml"));
            std::fs::write(&file, text).unwrap();
            (*layer, file)
        };
        let files = texts.iter().enumerate().map(write).collect();
        Self { folder, files }
    }

    pub(crate) fn load(&self) -> Result<Loaded, ConfigErrors> {
        let registry = Registry::from_iter([hookgate::builtin::kind()]);
        Loader::new(&registry).load_layers(&self.files)
    }

    /// The text, with files named as they are without their folder.
    fn short(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.folder.path().display()), "")
    }

    fn warnings(&self) -> Vec<String> {
        let loaded = self.load().unwrap();
        let text = |warning: &hookgate::config::ConfigError| {
            format!("{}:{}:{}: {warning}", warning.file(), warning.line(), warning.column())
        };
        loaded.warnings.iter().map(|warning| self.short(&text(warning))).collect()
    }

    fn ids(&self) -> Vec<String> {
        let table = self.load().unwrap_or_else(|errors| panic!("{errors}")).table;
        table.listing().map(|hook| hook.id().to_string()).collect()
    }

    async fn outcome(&self) -> Outcome {
        let engine = Engine::new(self.load().unwrap().table);
        let step = ToolUse::propose("Bash", r#"{"command": "ls"}"#).unwrap();
        let gate = engine.dispatch(step, &StepContext::new("s")).await;
        gate.decision().map_or(Outcome::Allow, |decision| decision.outcome)
    }
}

pub(crate) fn rule(id: &str, does: &str, more: &str) -> String {
    let builtin = format!("{{ name = \"{does}\", reason = \"{id} says so\" }}");
    format!("[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\nbuiltin = {builtin}\n{more}\n")
}

#[test]
fn hooks_of_all_layers_are_in_the_order_of_the_layers() {
    let files = Files::new(&[
        (Layer::Local, &rule("local", "ask", "priority = 1")),
        (Layer::Project, &(rule("p2", "ask", "priority = 7") + &rule("p1", "ask", "priority = 3"))),
        (Layer::User, &rule("user", "ask", "priority = 50")),
        (Layer::Managed, &rule("managed", "ask", "")),
    ]);
    // Each after those above, and in its own order among those beside.
    assert_eq!(files.ids(), ["managed", "user", "p1", "p2", "local"]);
    let table = files.load().unwrap().table;
    let layers: Vec<_> = table.specs().map(|spec| spec.origin().layer()).collect();
    assert_eq!(layers[0], Layer::Managed);
}

#[test]
fn a_hook_that_is_there_twice_counts_once() {
    let text = rule("same", "deny", "");
    let files =
        Files::new(&[(Layer::User, &text), (Layer::Project, &text), (Layer::Project, &text)]);
    assert_eq!(files.ids(), ["same"]);
    assert_eq!(files.load().unwrap().table.specs().next().unwrap().origin().layer(), Layer::User);
}

#[test]
fn a_guard_that_is_written_alike_and_means_another_folder_is_not_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let text = rule("frozen", "deny", "input = { \"/file\" = { glob = \"$config/**\" } }");
    let write = |name: &str| {
        let file = folder.path().join(name).join("hooks.toml");
        std::fs::create_dir(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &text).unwrap();
        file
    };
    let files = [(Layer::User, write("a")), (Layer::Project, write("b"))];
    let registry = Registry::from_iter([hookgate::builtin::kind()]);
    let errors = Loader::new(&registry).load_layers(&files).unwrap_err().to_string();
    assert!(errors.contains("b/hooks.toml:2:"), "{errors}");
}

/// A hook without its id in what it says.
fn same(id: &str, does: &str, more: &str) -> String {
    rule(id, does, more).replace(&format!("{id} says so"), "no")
}

/// Row E9: what does the same under two ids is called once, and one is told which.
#[test]
fn identical_hooks_of_several_files_are_called_once() {
    let files = Files::new(&[
        (Layer::User, &same("mine", "deny", "tool = \"Bash\"")),
        (Layer::Project, &(same("theirs", "deny", "tool = \"Bash\"") + &same("more", "ask", ""))),
    ]);
    assert_eq!(files.ids(), ["mine", "more"]);
    assert_eq!(
        files.warnings(),
        [
            "project-1.toml:2:1: `theirs` does the same as `mine` of `user-0.toml`, which comes first: \
          it is called once, as `mine`"
        ]
    );
}

/// Row E9: every difference keeps both, and so does whatever else makes the second one needed.
#[test]
fn a_hook_that_differs_in_anything_but_its_id_is_called() {
    let first = same("mine", "deny", "tool = \"Bash\"");
    let differing = [
        same("theirs", "ask", "tool = \"Bash\""),
        same("theirs", "deny", "tool = \"Bash|Read\""),
        same("theirs", "deny", ""),
        same("theirs", "deny", "tool = \"Bash\"\non_failure = \"ask\""),
        same("theirs", "deny", "tool = \"Bash\"\non_panic = \"ask\""),
        same("theirs", "deny", "tool = \"Bash\"\nmode = \"warn\""),
        same("theirs", "deny", "tool = \"Bash\"\ntimeout = \"1s\""),
        same("theirs", "deny", "tool = \"Bash\"\npriority = 7"),
        same("theirs", "deny", "tool = \"Bash\"\ntags = [\"x\"]"),
        same("theirs", "deny", "tool = \"Bash\"").replace("\"no\"", "\"no!\""),
        same("theirs", "deny", "tool = \"Bash\"")
            .replace("\"pre_tool_use\"", "[\"pre_tool_use\", \"permission_request\"]"),
        // Something else names it.
        same("theirs", "deny", "tool = \"Bash\"") + &same("more", "ask", "after = [\"theirs\"]"),
        same("theirs", "deny", "tool = \"Bash\"") + "[require]\nhooks = [\"theirs\"]\n",
    ];
    for text in differing {
        let files = Files::new(&[(Layer::User, &first), (Layer::Project, &text)]);
        let ids = files.ids();
        assert!(ids.iter().any(|id| id == "theirs"), "{text}: {ids:?}");
    }
    // The one above is switched off, so the one below is not.
    let off = format!("{first}[[disable]]\nid = \"mine\"\nreason = \"not here\"\n");
    let files = Files::new(&[
        (Layer::User, &off),
        (Layer::Project, &same("theirs", "deny", "tool = \"Bash\"")),
    ]);
    let table = files.load().unwrap().table;
    let called = table.specs().filter(|spec| spec.mode() != Mode::Off);
    assert_eq!(called.map(|spec| spec.id().to_string()).collect::<Vec<_>>(), ["theirs"]);
}

#[test]
fn an_id_of_a_layer_above_is_taken() {
    let files = Files::new(&[
        (Layer::User, &rule("guard", "deny", "")),
        (Layer::Project, &rule("guard", "ask", "mode = \"shadow\"")),
    ]);
    let errors = files.load().unwrap_err();
    let text = files.short(&errors.to_string());
    assert_eq!(
        text,
        "project-1.toml:2:1: hook `guard`: the id is used twice; every hook needs one of its own"
    );
}

#[test]
fn nobody_comes_before_a_layer_above() {
    let files = Files::new(&[
        (Layer::User, &rule("guard", "ask", "")),
        (
            Layer::Project,
            &(rule("guard", "ask", "")
                + &rule("first", "ask", "priority = -9\nbefore = \"guard\"")),
        ),
    ]);
    assert_eq!(files.ids(), ["guard", "first"]);
}

#[test]
fn a_layer_switches_off_what_is_its_own_or_below() {
    let disable = |id: &str| format!("[[disable]]\nid = \"{id}\"\nreason = \"not here\"\n");
    let files = Files::new(&[
        (
            Layer::User,
            &(rule("guard", "deny", "tool = \"Read\"") + &disable("lint") + &disable("gone")),
        ),
        (
            Layer::Project,
            &(rule("lint", "deny", "")
                + &rule("style", "ask", "after = \"lint\"")
                + &disable("guard")),
        ),
        (Layer::Local, &disable("style")),
    ]);
    let table = files.load().unwrap().table;
    let modes: Vec<_> = table.specs().map(|spec| (spec.id().as_str(), spec.mode())).collect();
    assert_eq!(modes, [("guard", Mode::Enforce), ("lint", Mode::Off), ("style", Mode::Enforce)]);
    assert_eq!(
        files.warnings(),
        [
            "user-0.toml:10:6: no hook of these files has the id `gone`, so nothing is switched off",
            "project-1.toml:12:6: `guard` is a hook of the layer `user`, which binds more than this one: it stays in force",
            "local-2.toml:2:6: `style` is a hook of the layer `project`, which binds more than this one: it stays in force",
        ]
    );
}

#[test]
fn files_that_switch_everything_off_are_refused() {
    let files = Files::new(&[(Layer::User, "[[disable]]\nid = \"x\"\n")]);
    assert!(files.load().unwrap_err().to_string().contains("nothing would be enforced"));
}

#[tokio::test]
async fn an_allow_of_a_lower_layer_approves_nothing() {
    let allow = "[[hook]]\nid = \"yes\"\nevent = \"permission_request\"\nmay_allow = true\nbuiltin = \"audit\"\n";
    let alone = Files::new(&[(Layer::Project, allow)]);
    assert!(alone.load().unwrap().table.specs().all(|spec| spec.may_allow()));
    let below = Files::new(&[(Layer::User, &rule("guard", "deny", "")), (Layer::Project, allow)]);
    let table = below.load().unwrap().table;
    assert!(table.specs().all(|spec| !spec.may_allow()));
    assert_eq!(
        below.warnings(),
        [
            "project-1.toml:4:1: `may_allow` of `yes` does not count: there is a layer above, and a layer can only tighten"
        ]
    );
    assert_eq!(below.outcome().await, Outcome::Deny);
}

#[test]
fn limits_are_those_of_the_first_file() {
    let with = |limits: &str, id: &str| format!("[limits]\n{limits}\n{}", rule(id, "ask", ""));
    let files = Files::new(&[
        (Layer::User, &rule("user", "ask", "")),
        (Layer::Project, &with("dispatch_deadline = \"1ms\"", "project")),
    ]);
    assert_eq!(files.load().unwrap().table.limits(), &hookgate::table::Limits::default());
    assert_eq!(
        files.warnings(),
        [
            "project-1.toml:1:1: the limits of this file do not count: those of `user-0.toml` do, which binds more or comes first"
        ]
    );
}

#[test]
fn mistakes_of_all_files_are_reported() {
    let files = Files::new(&[
        (Layer::Project, "[[hook]]\nid = \"a\"\nevent = \"stop\"\nbuiltin = \"denny\"\n"),
        (Layer::User, "verison = 1\n"),
    ]);
    let text = files.short(&files.load().unwrap_err().to_string());
    assert!(text.starts_with("user-1.toml:1:1: "), "{text}");
    assert!(text.contains("\nproject-0.toml:4:11: "), "{text}");
}

/// Of a section that is a table the layer that binds most is heard; lists of all layers are joined.
#[test]
fn of_a_section_the_layer_that_binds_most_is_kept() {
    use hookgate::contract::ConfigSection;

    let rule = |id| rule(id, "ask", "");
    let files = Files::new(&[
        (Layer::User, &format!("[strict]\nafter = 2\n[[names]]\nis = 'a'\n{}", rule("u"))),
        (Layer::Project, &format!("[strict]\nafter = 9\n[[names]]\nis = 'b'\n{}", rule("p"))),
    ]);
    let registry = Registry::from_iter([hookgate::builtin::kind()]);
    for name in ["strict", "names"] {
        registry.add_section(ConfigSection::new(name, |_, _| Some(()))).unwrap();
    }
    let table = Loader::new(&registry).load_layers(&files.files).unwrap().table;
    assert_eq!(table.section("strict"), Some(&serde_json::json!({"after": 2})));
    assert_eq!(table.section("names"), Some(&serde_json::json!([{"is": "a"}, {"is": "b"}])));
}

/// A section that stands for hooks gives them the layer of its file, so those below can only tighten.
#[tokio::test]
async fn a_section_that_stands_for_hooks_is_in_force_for_each_layer() {
    use hookgate::contract::ConfigSection;
    use serde_json::json;

    let files = Files::new(&[
        (Layer::User, "[freeze]\ndoes = 'ask'\n"),
        (Layer::Project, "[freeze]\ndoes = 'deny'\n"),
    ]);
    let registry = Registry::from_iter([hookgate::builtin::kind()]);
    let section = ConfigSection::new("freeze", |_, _| Some(())).hooks(|written, layer| {
        let builtin = json!({"name": written["does"], "reason": layer.name()});
        vec![json!({"id": format!("freeze-{layer}"), "event": "pre_tool_use", "builtin": builtin})]
    });
    registry.add_section(section).unwrap();
    let table = Loader::new(&registry).load_layers(&files.files).unwrap().table;
    let ids: Vec<_> = table.listing().map(|hook| hook.id().to_string()).collect();
    assert_eq!(ids, ["freeze-user", "freeze-project"]);
    let engine = Engine::new(table);
    let step = ToolUse::propose("Bash", "{}").unwrap();
    let gate = engine.dispatch(step, &StepContext::new("s")).await;
    assert_eq!(gate.decision().unwrap().outcome, Outcome::Deny);
    // What is wrong with such a hook is told at the section.
    let wrong = Files::new(&[(Layer::User, "# a\n[freeze]\ndoes = 'nothing'\n")]);
    let errors = Loader::new(&registry).load_layers(&wrong.files).unwrap_err();
    let error = &errors.errors()[0];
    assert_eq!((error.line(), error.column()), (2, 2));
}
