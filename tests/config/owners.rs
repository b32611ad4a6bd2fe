//! Promise: a reload takes away only what a load has brought. What the host has put in force stays, or the reload is
//! refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use hookgate::config::Loader;
use hookgate::contract::{Contract, EventKind};
use hookgate::reload::{ReloadError, Reloader};
use hookgate::table::{HandlerTable, TableBuilder};
use hookgate::{Event, Hook, HookEngine, Outcome, Registry, Verdict};

use crate::reloader::{Config, decide, guard};

const OBSERVER: &str = "[[hook]]\nid = \"log\"\nevent = \"stop\"\nbuiltin = \"audit\"\n";

static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate);

fn freeze(id: &str) -> Hook {
    Hook::sync(id, |_| Ok(Verdict::deny("frozen"))).event(Event::PreToolUse)
}

fn ids(reloader: &Reloader) -> Vec<String> {
    reloader.engine().table().specs().map(|spec| spec.id().to_string()).collect()
}

fn edit(reloader: &Reloader, change: impl Fn(&mut TableBuilder)) {
    reloader.engine().edit(|table| change(table)).unwrap();
}

#[test]
fn a_guard_of_the_host_stays_when_a_file_is_loaded_again() {
    let config = Config::new(OBSERVER);
    let reloader = config.reloader();
    edit(&reloader, |table| {
        table.insert(freeze("freeze"));
    });
    // The same file: nothing new is put in force, so approvals stay as well.
    let reloaded = reloader.blocking_reload().unwrap();
    assert_eq!((reloaded.swapped, reloaded.generation.get()), (false, 2));
    assert_eq!(decide(reloader.engine()), (Outcome::Deny, Some("frozen".to_owned())));
    // Others of it.
    config.write(OBSERVER.to_owned() + &OBSERVER.replace("\"log\"", "\"log-2\""));
    let reloaded = reloader.blocking_reload().unwrap();
    assert_eq!(reloaded.to_string(), "generation 3, 3 hooks (added log-2)");
    assert_eq!(decide(reloader.engine()).0, Outcome::Deny);
    // It is the host's to take out.
    edit(&reloader, |table| {
        assert!(table.remove("freeze"));
    });
    reloader.blocking_reload().unwrap();
    assert_eq!(ids(&reloader), ["log", "log-2"]);
    assert_eq!(decide(reloader.engine()).0, Outcome::Allow);
}

#[test]
fn a_hook_that_the_host_has_put_in_the_place_of_one_of_the_file_stays_there() {
    let config = Config::new(&(guard("of the file") + OBSERVER));
    let reloader = config.reloader();
    edit(&reloader, |table| {
        table.replace(freeze("g"));
    });
    for text in [guard("of the file") + OBSERVER, guard("of the file, anew") + OBSERVER] {
        config.write(text);
        let reloaded = reloader.blocking_reload().unwrap();
        assert!(!reloaded.swapped);
        assert_eq!(decide(reloader.engine()), (Outcome::Deny, Some("frozen".to_owned())));
        assert_eq!(ids(&reloader), ["g", "log"]);
    }
    // A hook of the file that the host has only taken out is the file's: it comes back.
    edit(&reloader, |table| {
        assert!(table.remove("g"));
    });
    reloader.blocking_reload().unwrap();
    assert_eq!(decide(reloader.engine()).1.as_deref(), Some("of the file, anew"));
}

/// A host may declare its own hooks as text, too.
#[test]
fn hooks_of_a_text_of_the_host_stay() {
    let config = Config::new(OBSERVER);
    let reloader = config.reloader();
    let registry = Registry::from_iter([hookgate::builtin::kind()]);
    let own = |text: &str| {
        let loaded = Loader::new(&registry).parse("embedded", text, ".".as_ref()).unwrap();
        Arc::new(loaded.table)
    };
    let put_in = |table: &Arc<HandlerTable>, id: &str| {
        edit(&reloader, |builder| {
            builder.insert(table.specs().find(|spec| *spec.id() == *id).unwrap().clone());
        });
    };
    put_in(&own(&guard("embedded")), "g");
    let frozen = (Outcome::Deny, Some("embedded".to_owned()));
    for text in [OBSERVER.to_owned(), OBSERVER.replace("\"log\"", "\"log-2\"")] {
        config.write(text);
        reloader.blocking_reload().unwrap();
        assert_eq!(decide(reloader.engine()), frozen);
    }
    assert_eq!(ids(&reloader), ["log-2", "g"]);
    // Two guards of one id.
    config.write(OBSERVER.to_owned() + &guard("of the file"));
    let refused = reloader.blocking_reload().unwrap_err();
    assert!(refused.to_string().contains("the id is used twice"), "{refused}");
    assert_eq!(decide(reloader.engine()), frozen);
    // What the host puts in of a file of the config goes with it.
    edit(&reloader, |table| {
        assert!(table.remove("g"));
    });
    let name =
        reloader.engine().table().specs().next().unwrap().origin().file_name().unwrap().to_owned();
    let loaded =
        Loader::new(&registry).parse(&name, &guard("of the config"), ".".as_ref()).unwrap();
    put_in(&Arc::new(loaded.table), "g");
    config.write(OBSERVER);
    reloader.blocking_reload().unwrap();
    assert_eq!(ids(&reloader), ["log"]);
}

#[test]
fn a_hook_of_the_file_under_the_id_of_one_of_the_host_is_refused() {
    let config = Config::new(OBSERVER);
    let reloader = config.reloader();
    edit(&reloader, |table| {
        table.insert(freeze("g"));
    });
    config.write(OBSERVER.to_owned() + &guard("of the file"));
    let refused = reloader.blocking_reload().unwrap_err();
    assert!(matches!(refused, ReloadError::Build(_)), "{refused}");
    assert!(refused.to_string().contains("the id is used twice"), "{refused}");
    assert_eq!(reloader.status().failure.unwrap().error, refused);
    assert_eq!(decide(reloader.engine()), (Outcome::Deny, Some("frozen".to_owned())));
    // Under another id both are in force.
    config.write(OBSERVER.to_owned() + &guard("of the file").replace("\"g\"", "\"other\""));
    assert_eq!(reloader.blocking_reload().unwrap().hooks, 3);
}

#[test]
fn a_contract_of_the_host_stays_with_its_hook() {
    let config = Config::new(OBSERVER);
    let reloader = config.reloader();
    edit(&reloader, |table| {
        let hook = Hook::sync("deploys", |_| Ok(Verdict::deny("no"))).custom_event("x.deploy");
        table.contract(&DEPLOY).insert(hook);
    });
    config.write(guard("of the file"));
    assert_eq!(reloader.blocking_reload().unwrap().hooks, 2);
    assert!(reloader.engine().armed(Event::Custom));
}

#[test]
fn hooks_that_the_loader_itself_brings_go_with_it() {
    let brings = Arc::new(AtomicBool::new(true));
    let (config, flag) = (Config::new(&guard("of the file")), Arc::clone(&brings));
    let reloader = config.reloader_with(move |table| {
        if flag.load(Ordering::Relaxed) {
            table.insert(freeze("own"));
        }
    });
    reloader.blocking_reload().unwrap();
    assert_eq!(ids(&reloader), ["g", "own"]);
    brings.store(false, Ordering::Relaxed);
    assert_eq!(
        reloader.blocking_reload().unwrap().to_string(),
        "generation 3, 1 hook, 1 fewer (removed own)"
    );
}

#[test]
fn no_edit_is_lost_while_files_are_loaded() {
    const EDITS: usize = 100;
    let config = Config::new(OBSERVER);
    let reloader = config.reloader();
    let editor = {
        let reloader = reloader.clone();
        thread::spawn(move || {
            for n in 0..EDITS {
                edit(&reloader, |table| {
                    table.insert(freeze(&format!("freeze-{n}")));
                });
            }
        })
    };
    let mut reloads = 0;
    while !editor.is_finished() || reloads < 20 {
        config.write(OBSERVER.replace("\"log\"", &format!("\"log-{reloads}\"")));
        reloader.blocking_reload().unwrap();
        reloads += 1;
    }
    editor.join().unwrap();
    assert_eq!(reloader.engine().table().len(), EDITS + 1);
}
