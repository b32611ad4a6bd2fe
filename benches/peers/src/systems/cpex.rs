//! CPEX: `PluginManager` of cpex-core, with routes.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::{Arc, LazyLock};

use arc_swap::ArcSwap;
use async_trait::async_trait;
use cpex_core::config::{
    CpexConfig, GlobalConfig, Pattern, PluginRouteRef, PluginSettings, PolicyGroup, RouteEntry,
    StringOrList,
};
use cpex_core::context::PluginContext;
use cpex_core::error::{PluginError, PluginViolation};
use cpex_core::executor::PipelineResult;
use cpex_core::factory::{PluginFactory, PluginFactoryRegistry, PluginInstance};
use cpex_core::hooks::adapter::TypedHandlerAdapter;
use cpex_core::hooks::payload::{Extensions, MetaExtension};
use cpex_core::hooks::{HookHandler, HookTypeDef, PluginResult};
use cpex_core::manager::PluginManager;
use cpex_core::plugin::{Plugin, PluginConfig};
use serde::Serialize;
use serde_json::{Value, json};

use crate::call::Calls;
use crate::hooks::{About, Act, HookSpec, Once, called, path_within};
use crate::system::{Adapter, Verdict};

/// The adapter of CPEX.
#[derive(Debug)]
pub(crate) struct Cpex;

/// A call. CPEX lets its host say what a payload is.
#[expect(unreachable_pub, reason = "the hook types that a macro of CPEX makes are public")]
#[derive(Debug, Clone, Serialize)]
pub struct ToolPayload {
    tool_name: String,
    arguments: Value,
}

cpex_core::impl_plugin_payload!(ToolPayload);

cpex_core::define_hook! {
    /// Before a tool runs.
    BeforeTool, "tool_pre_invoke" => {
        payload: ToolPayload,
        result: PluginResult<ToolPayload>,
    }
}

cpex_core::define_hook! {
    /// Another event.
    AfterTurn, "turn_end" => {
        payload: ToolPayload,
        result: PluginResult<ToolPayload>,
    }
}

impl Adapter for Cpex {
    const NAME: &'static str = "CPEX";
    const VERSION: &'static str = "0.2.3";
    const SWAPS_IN_PLACE: bool = false;
    /// A plugin of a name that is there already cannot be loaded again: a host that swaps all makes a new manager
    /// and holds a pointer to it, which it reads once per session.
    type Engine = ArcSwap<PluginManager>;
    type Step = (ToolPayload, Extensions);
    type Outcome = PipelineResult;

    fn engine(hooks: &[HookSpec]) -> Option<Self::Engine> {
        manager(hooks).map(ArcSwap::from_pointee)
    }

    #[inline(always)]
    fn step(calls: &Calls) -> (ToolPayload, Extensions) {
        let tool_name = calls.tool();
        let meta = MetaExtension {
            entity_type: Some("tool".to_owned()),
            entity_name: Some(tool_name.clone()),
            ..MetaExtension::default()
        };
        let extensions = Extensions { meta: Some(Arc::new(meta)), ..Extensions::default() };
        (ToolPayload { tool_name, arguments: calls.arguments() }, extensions)
    }

    async fn agent(
        host: &Self::Engine,
        step: impl Fn() -> Self::Step,
        done: impl Fn(PipelineResult),
        times: u64,
    ) {
        let manager = host.load_full();
        for _ in 0..times {
            let (payload, extensions) = step();
            let (result, _background) =
                manager.invoke::<BeforeTool>(payload, extensions, None).await;
            done(result);
        }
    }

    fn verdict(result: PipelineResult) -> Verdict {
        if result.is_denied() {
            return Verdict::Denied;
        }
        let payload = result.modified_payload.filter(|_| result.payload_modified);
        match payload.as_ref().and_then(|payload| payload.as_any().downcast_ref::<ToolPayload>()) {
            Some(payload) => Verdict::Rewritten(payload.arguments.clone()),
            None => Verdict::Allowed,
        }
    }

    fn swap(host: &Self::Engine, hooks: &[HookSpec]) -> bool {
        manager(hooks).map(|manager| host.store(Arc::new(manager))).is_some()
    }

    /// The plugin is replaced; the route that leads to it stays.
    fn replace(host: &Self::Engine, hooks: &[HookSpec], index: usize) -> bool {
        let (manager, spec) = (host.load(), &hooks[index]);
        let config = config(spec);
        let plugin = Arc::new(Acting { act: spec.act, config: config.clone() });
        manager.unregister(&spec.id).is_some()
            && manager.register_handler::<BeforeTool, _>(plugin, config).is_ok()
    }
}

/// What makes plugins of configs, one for each act.
static FACTORIES: LazyLock<PluginFactoryRegistry> = LazyLock::new(|| {
    let mut factories = PluginFactoryRegistry::new();
    for act in ACTS {
        factories.register(format!("{act:?}"), Box::new(Factory(act)));
    }
    factories
});

const ACTS: [Act; 9] = [
    Act::Silent,
    Act::Ready,
    Act::Waits,
    Act::Deny,
    Act::Allow,
    Act::Rewrite,
    Act::Typed,
    Act::Json,
    Act::Value,
];

/// Hooks for all tools are in the group of all calls; those for some tools have a route each.
fn manager(hooks: &[HookSpec]) -> Option<PluginManager> {
    if hooks.iter().any(|spec| event(&spec.about).is_none()) {
        return None;
    }
    let named = |spec: &HookSpec| PluginRouteRef::Name(spec.id.clone());
    let mut all = PolicyGroup::default();
    let mut routes = Vec::new();
    for spec in hooks {
        match &spec.about {
            About::Every | About::OtherEvent | About::NumberedEvent(_) => {
                all.plugins.push(named(spec))
            }
            About::Tool(tool) | About::Glob(tool) => routes.push(RouteEntry {
                tool: Some(StringOrList::Single(Pattern::new(tool.as_str()))),
                plugins: vec![named(spec)],
                ..RouteEntry::default()
            }),
        }
    }
    let policies = HashMap::from([("all".to_owned(), all)]);
    let config = CpexConfig {
        global: GlobalConfig { policies, ..GlobalConfig::default() },
        plugins: hooks.iter().map(config).collect(),
        routes,
        plugin_settings: PluginSettings { routing_enabled: true, ..PluginSettings::default() },
        ..CpexConfig::default()
    };
    PluginManager::from_config(config, &FACTORIES).ok()
}

/// Which event a hook is about. CPEX lets its host say which events there are: as many as hookgate has.
fn event(about: &About) -> Option<&'static str> {
    match about {
        About::Every | About::Tool(_) | About::Glob(_) => Some(BeforeTool::NAME),
        About::OtherEvent => Some(AfterTurn::NAME),
        About::NumberedEvent(number) => {
            let mut others = ::hookgate::Event::NAMED.into_iter().skip(1);
            others.nth(usize::try_from(*number).ok()?).map(::hookgate::Event::name)
        }
    }
}

fn config(spec: &HookSpec) -> PluginConfig {
    let event = event(&spec.about).unwrap_or(AfterTurn::NAME);
    PluginConfig {
        name: spec.id.clone(),
        kind: format!("{:?}", spec.act),
        hooks: vec![event.to_owned()],
        ..PluginConfig::default()
    }
}

struct Factory(Act);

impl PluginFactory for Factory {
    fn create(&self, config: &PluginConfig) -> Result<PluginInstance, Box<PluginError>> {
        let plugin = Arc::new(Acting { act: self.0, config: config.clone() });
        let handler: (_, Arc<dyn cpex_core::registry::AnyHookHandler>) =
            if config.hooks.iter().any(|event| event == BeforeTool::NAME) {
                let adapter = TypedHandlerAdapter::<BeforeTool, _>::new(Arc::clone(&plugin));
                (BeforeTool::NAME, Arc::new(adapter))
            } else {
                let adapter = TypedHandlerAdapter::<AfterTurn, _>::new(Arc::clone(&plugin));
                let mut events = ::hookgate::Event::NAMED.into_iter().map(::hookgate::Event::name);
                let event = events.find(|event| config.hooks.iter().any(|name| name == event));
                (event.unwrap_or(AfterTurn::NAME), Arc::new(adapter))
            };
        Ok(PluginInstance { plugin, handlers: vec![handler] })
    }
}

struct Acting {
    act: Act,
    config: PluginConfig,
}

#[async_trait]
impl Plugin for Acting {
    fn config(&self) -> &PluginConfig {
        &self.config
    }
}

impl HookHandler<BeforeTool> for Acting {
    async fn handle(
        &self,
        payload: &ToolPayload,
        _extensions: &Extensions,
        _context: &mut PluginContext,
    ) -> PluginResult<ToolPayload> {
        self.act(payload).await
    }
}

impl HookHandler<AfterTurn> for Acting {
    async fn handle(
        &self,
        payload: &ToolPayload,
        _extensions: &Extensions,
        _context: &mut PluginContext,
    ) -> PluginResult<ToolPayload> {
        self.act(payload).await
    }
}

impl Acting {
    async fn act(&self, payload: &ToolPayload) -> PluginResult<ToolPayload> {
        called();
        match self.act {
            Act::Silent | Act::Ready | Act::Allow => {
                black_box(payload);
            }
            Act::Waits => Once::default().await,
            Act::Deny => return PluginResult::deny(PluginViolation::new("policy", "no")),
            Act::Rewrite => {
                return PluginResult::modify_payload(ToolPayload {
                    tool_name: payload.tool_name.clone(),
                    arguments: json!({ "path": "/tmp/x" }),
                });
            }
            Act::Typed => {
                black_box(payload.arguments.get("path"));
            }
            Act::Json => {
                black_box(serde_json::to_vec(payload).map_or(0, |bytes| bytes.len()));
            }
            Act::Value => {
                let value = serde_json::to_value(payload).unwrap_or_default();
                black_box(path_within(&value, "arguments"));
            }
        }
        PluginResult::allow()
    }
}
