//! A config that is loaded again while the engine runs: what is right is in force, and what is not is told.
use hookgate::{Registry, Reloader, table::Layer};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join(format!("hookgate-example-{}.toml", std::process::id()));
    let guard = "[[hook]]\nid = 'no-shell'\nevent = 'pre_tool_use'\ntool = 'Bash'\n\
                 builtin = { name = 'deny', reason = 'no shell here' }\n";
    let log = "[[hook]]\nid = 'log'\nevent = 'stop'\nbuiltin = 'audit'\n";
    std::fs::write(&path, guard)?;

    let registry = Registry::from_iter([hookgate::builtin::kind()]);
    let reloader = Reloader::of_files(registry, [(Layer::Project, path.clone())])?;
    let engine = reloader.engine(); // Sessions share it, and dispatch to it all the time.

    // An operator edits the file; the host reloads on a signal, on request, or every second.
    for edit in
        [format!("{guard}{log}"), guard.replace("tool", "tol"), String::new(), log.to_owned()]
    {
        std::fs::write(&path, edit)?;
        match reloader.reload().await {
            Ok(reloaded) => println!("reloaded: {reloaded}"),
            Err(_) => println!("refused: generation {} stays", reloader.status().generation),
        }
    }
    let status = reloader.status();
    println!("{} hook in force, {} reloads have failed", engine.table().len(), status.failed);
    Ok(std::fs::remove_file(path)?)
}
