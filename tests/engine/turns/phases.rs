//! Promise: the runtime has one typed result for each phase of a turn, and hooks of a later phase read what earlier ones
//! have given; a phase without hooks changes nothing.

use super::*;

/// A hook that says what it has read.
fn reading(id: &'static str, event: Event, keys: &'static [&'static str]) -> Hook {
    let read = move |call: Invocation<'_>| {
        let envelope = call.envelope.value()?;
        let seen = keys.iter().map(|key| format!("{key}={}", envelope[*key])).collect::<Vec<_>>();
        Ok(Verdict::none().contribute(AuditLine::new(seen.join(" "))))
    };
    Hook::new(id, "test", BuiltHandler::from_sync(read)).event(event)
}

#[tokio::test]
async fn later_phases_read_the_sets_of_earlier_ones() {
    let hooks = [
        giving("limits", Event::TurnPolicy, [setting(false)]),
        giving("memory", Event::PromptContext, [ContextPiece::new("likes", "tea")]),
        reading("r1", Event::PromptContext, &["policies", "contexts"]),
        reading("r2", Event::PromptContextPlanned, &["policies"]),
        giving("web", Event::ToolSelection, [bundle("web", &["Search"])]),
        Hook::new(
            "no-bash",
            "test",
            BuiltHandler::from_sync(|_: Invocation<'_>| {
                Ok(Verdict::none()
                    .patch("tool_names", json!(["Read"]))
                    .contribute(bundle("again", &["Bash"])))
            }),
        )
        .event(Event::ToolSelection)
        .role(Role::Rewrite),
        reading("r3", Event::PromptCompile, &["tool_names"]),
        giving("rules", Event::PromptCompile, [SectionText::new("tone", "Be brief.")]),
    ];
    let engine = engine(hooks);
    let mut turn = Turn::of(&engine);
    let context = context();
    assert_eq!(turn.policy(&engine, TurnPolicy(planning()), &context).await.entries.len(), 1);
    assert_eq!(turn.context(&engine, PromptContext(planning()), &context).await.entries.len(), 1);
    turn.planned_context(&engine, PromptContextPlanned(planning()), &context).await;
    let tools = turn.tools(&engine, ToolSelection(planning()), &context).await;
    assert_eq!(tools.names().collect::<Vec<_>>(), ["Read", "Search"]);
    assert_eq!(
        codes(&tools.notes),
        [NoteCode::ToolRemoved],
        "what a rewriter took away no bundle brings back"
    );
    let compile = PromptCompile(Planning::new("what is new?"));
    assert_eq!(turn.sections(&engine, compile, &context).await.sections.len(), 1);
    let seen: Vec<_> =
        turn.others().audit.iter().map(|one| one.given.event_kind.as_str()).collect();
    assert_eq!(
        seen,
        [
            r#"policies={"shell":{"network":false}} contexts=null"#,
            r#"policies={"shell":{"network":false}}"#,
            r#"tool_names=["Read","Search"]"#,
        ]
    );
    assert_eq!(turn.prompt().text(), "tea\n\nBe brief.");
}

#[tokio::test]
async fn a_phase_without_hooks_leaves_everything_as_it_is() {
    async fn run(engine: &dyn DynHookEngine) -> Turn {
        let (mut turn, context) = (Turn::new(ContributionLimits::new()), context());
        turn.policy(engine, TurnPolicy(planning()), &context).await;
        turn.context(engine, PromptContext(planning()), &context).await;
        let tools = turn.tools(engine, ToolSelection(planning()), &context).await;
        assert_eq!(tools.names().collect::<Vec<_>>(), ["Bash", "Read"]);
        turn
    }
    let without = Engine::without_hooks();
    for engine in [&without as &dyn DynHookEngine, &Noop] {
        assert!(run(engine).await.prompt().lines.is_empty());
    }
}
