//! Files that are followed: what they say is in force soon after it is written.
//!
//! [`Builder`] takes files, each of a layer, and what the host adds; [`Builder::start`] loads them, makes an engine of
//! them and follows them until it is [stopped](Watching::stop) or dropped:
//!
//! ```
//! # #[cfg(feature = "builtin")] {
//! use hookgate::watch::{self, WatchEvent};
//! use hookgate::{Event, Hook, Registry, Verdict, table::Layer};
//!
//! # tokio::runtime::Builder::new_multi_thread().enable_time().build().unwrap().block_on(async {
//! # let folder = std::env::temp_dir().join(format!("hookgate-watch-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let (of_user, of_project) = (folder.join("user.toml"), folder.join("hooks.toml"));
//! # let guard = "[[hook]]\nid = 'no-shell'\nevent = 'pre_tool_use'\ntool = 'Bash'\nbuiltin = { name = 'deny', reason = 'no' }\n";
//! # std::fs::write(&of_project, guard).unwrap();
//! let freeze = Hook::sync("freeze", |_| Ok(Verdict::deny("not today"))).event(Event::PreCompact);
//! let watching = watch::Builder::new(Registry::from_iter([hookgate::builtin::kind()]))
//!     .optional_file(Layer::User, &of_user)
//!     .file(Layer::Project, &of_project)
//!     .hooks_of_host([freeze])
//!     .start()
//!     .await?;
//! let engine = watching.engine();             // Sessions share it, and dispatch to it all the time.
//! # std::fs::write(&of_project, guard.replace("Bash", "Read")).unwrap();
//! while let Some(event) = watching.events().next().await {
//!     println!("{event}");                    // reloaded: generation 2, 2 hooks (changed no-shell)
//! #   assert_eq!(event.to_string(), "reloaded: generation 2, 2 hooks (changed no-shell)");
//! #   break;
//! }
//! # let _ = engine;
//! watching.stop().await;
//! # std::fs::remove_dir_all(folder).unwrap();
//! # Ok::<(), hookgate::reload::ReloadError>(()) }).unwrap(); }
//! # Ok::<(), hookgate::reload::ReloadError>(())
//! ```
//!
//! # What is promised
//!
//! * **The last good table stays**, as with every [`Reloader`](crate::Reloader): a file with a mistake, without hooks or
//!   that is gone changes nothing but the [status](Watching::status), and is told as an event.
//! * Within two seconds the table in force is that of the files on disk, or events say again and again why it is not.
//!   Notices of the system make it quick, but they get lost: at links to a file, at folders that are moved or made
//!   again, on file systems that send none. So correctness rests on looking at the files themselves, twice a second.
//! * What the hooks are made of is followed as well: files that are included, packs, scripts of workers, rules of
//!   judges, certificates.
//! * A file that is being written is waited for: it is loaded once it has not changed for 0.1 s, and one that
//!   became shorter for 0.7 s. Who writes a new file and renames it is safe at any speed.
//! * A guard that is not followed any more is not silent: if the task ends without being told to, as it does with its
//!   tokio runtime, the last event is [`WatchEvent::Ended`].
//!
//! A host that loads its configs in its own way implements [`Source`] and [follows](follow) it. This module is there on
//! Unix only: what tells two versions of a file from each other are inodes and times of change.

use std::time::Duration;

mod builder;
mod event;
mod events;
mod failing;
mod files;
mod folders;
mod follower;
mod listener;
mod requests;
mod source;
mod stamps;
mod watching;

pub use builder::Builder;
pub use event::WatchEvent;
pub use events::Events;
pub use folders::folders_of;
pub use source::{Places, Source};
pub use stamps::Stamps;
pub use watching::{Watching, follow};

/// How often the files are looked at, with or without a notice of the system.
pub const LOOK_EVERY: Duration = Duration::from_millis(500);
