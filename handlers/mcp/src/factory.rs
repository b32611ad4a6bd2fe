//! From the settings of a hook to its handler.

use std::sync::Arc;

use hookgate_command::server::{Declared, ServerProgram};
use hookgate_contract::settings::{Node, NodeValue, Settings};
use hookgate_contract::template::ValueTemplate;
use hookgate_contract::{BuildContext, BuiltHandler, Resource};
use hookgate_http::HttpFactory;

use crate::handler::{Asked, McpHandler, SharedHandler};
use crate::http::HttpServer;
use crate::interceptor::Interceptor;
use crate::server::Server;
use crate::stdio::StdioSession;
use crate::tool::Tool;

/// Builds a handler. No server is started or called.
pub(crate) fn build(
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
) -> Option<BuiltHandler> {
    let asked = read_asked(settings, context);
    let server = read_server(settings, context);
    let (asked, (server, declared)) = (asked?, server?);
    let handler = SharedHandler(Arc::new(McpHandler { server, asked }));
    let mut built = BuiltHandler::from_async(handler.clone()).probe(handler.clone()).external();
    built.resource = Some(match handler.0.server {
        Server::Service(_) => Resource::Request,
        Server::Process(_) => Resource::Process,
    });
    match (&handler.0.server, declared) {
        (Server::Service(server), _) => server.service.declare(&mut built),
        (Server::Process(_), declared) => {
            declared.into_iter().for_each(|declared| declared.declare(&mut built));
        }
    }
    Some(built)
}

/// Reads what of the server is asked.
fn read_asked(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<Asked> {
    let given = ["tool", "interceptor"].map(|key| settings.has(key));
    let tool = settings.text("tool").map(str::to_owned);
    let interceptor = settings.text("interceptor").map(str::to_owned);
    let arguments = read_table(settings, "arguments");
    let config = read_table(settings, "config");
    match given {
        [true, false] => {
            if config.is_some() {
                settings.invalid("config", "it goes with `interceptor`");
            }
            let template = arguments.map(|node| ValueTemplate::read(node, context.events));
            match template.transpose() {
                Ok(arguments) => Some(Asked::Tool(Tool { name: tool?, arguments })),
                Err(error) => {
                    settings.invalid("arguments", error.to_string());
                    None
                }
            }
        }
        [false, true] => {
            if arguments.is_some() {
                settings.invalid("arguments", "it goes with `tool`");
            }
            let config = config.map(Node::to_json);
            Some(Asked::Interceptor(Interceptor::new(interceptor?, config)))
        }
        [true, true] => {
            settings.invalid("interceptor", "`tool` is given too: one of the two");
            None
        }
        [false, false] => {
            settings.missing("tool");
            None
        }
    }
}

fn read_table<'a>(settings: &mut Settings<'a>, key: &'static str) -> Option<&'a Node> {
    let node = settings.node(key)?;
    if !matches!(node.value, NodeValue::Table(_)) {
        settings.invalid(key, format!("it must be a table, not {}", node.kind()));
        return None;
    }
    Some(node)
}

/// Reads `server`. A program comes with what its handler is to declare.
fn read_server(
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
) -> Option<(Server, Option<Declared>)> {
    if !settings.has("server") {
        settings.missing("server");
        settings.node("server");
        return None;
    }
    let mut inner = settings.table("server")?;
    let read = match ["command", "url"].map(|key| inner.has(key)) {
        [true, false] => {
            let program = ServerProgram::read(&mut inner, "command", context);
            program.map(|program| {
                let (pool, declared) = program.into_pool(StdioSession::default());
                (Server::Process(pool), Some(declared))
            })
        }
        [false, true] => {
            let service = HttpFactory::default().service(&mut inner, context);
            let server = service.map(|service| Box::new(HttpServer::new(service, context.output)));
            server.map(|server| (Server::Service(server), None))
        }
        [true, true] => {
            inner.node("command");
            inner.invalid("url", "`command` is given too: one of the two");
            None
        }
        [false, false] => {
            inner.missing("command");
            None
        }
    };
    settings.absorb(inner.finish());
    read
}
