//! `hookgate config sources`: where configs are looked for, and what is there.

use std::path::{Path, PathBuf};

use hookgate::config::join;
use hookgate::table::Layer;
use serde_json::{Value, json};

use crate::abort::Abort;
use crate::config::{ConfigArgs, Configs, registry};
use crate::exit_code::Exit;
use crate::sources::Place;
use crate::terminal::stdout::OutputArgs;
use crate::terminal::table::{To, cell, dim};
use crate::terminal::{stdout, table};

/// Show every place where a config is looked for, and what is there
///
/// Those that bind most come first. A file with mistakes counts as found, and its mistakes are counted:
/// `hookgate check` shows them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate config sources
  hookgate config sources --json | jq -r 'select(.state == \"in_force\") | .path'")]
pub(super) struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// What a place has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A config that is in force.
    InForce,
    /// A config with mistakes: nothing is in force.
    Broken,
    /// A config of which another one takes the place.
    NotUsed,
    /// A folder of further configs.
    Folder,
    /// Nothing.
    NotFound,
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            Self::InForce => "in_force",
            Self::Broken => "broken",
            Self::NotUsed => "not_used",
            Self::Folder => "folder",
            Self::NotFound => "not_found",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::InForce => "in force",
            Self::Broken => "has mistakes",
            Self::NotUsed => "not used: a nearer one is",
            Self::Folder => "a folder",
            Self::NotFound => "not there",
        }
    }
}

/// A row.
struct Found {
    layer: Layer,
    path: PathBuf,
    state: State,
    /// The file that includes it.
    by: Option<PathBuf>,
    hooks: usize,
    warnings: usize,
    errors: usize,
}

impl Found {
    fn empty(place: &Place, state: State) -> Self {
        let (layer, path) = (place.layer, place.path.clone());
        Self { layer, path, state, by: None, hooks: 0, warnings: 0, errors: 0 }
    }

    fn to_json(&self) -> Value {
        json!({
            "layer": self.layer,
            "path": self.path.display().to_string(),
            "state": self.state.name(),
            "included_by": self.by.as_ref().map(|by| by.display().to_string()),
            "hooks": self.hooks,
            "warnings": self.warnings,
            "errors": self.errors,
        })
    }
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Result<Exit, Abort> {
    // Without any, all places are shown as empty.
    let configs = args.config.find().unwrap_or_default();
    let search = args.config.search();
    let mut rows = Vec::new();
    let mut left_out = 0;
    for place in search.places() {
        let near = search.near_place(&place);
        let in_force = in_force(&configs, &near);
        if !in_force.is_empty() {
            rows.extend(in_force);
        } else if place.path.exists() {
            let state = if place.is_folder { State::Folder } else { State::NotUsed };
            rows.push(Found::empty(&near, state));
        } else if search.is_above(&place) && !args.output.wants_json() {
            left_out += 1;
        } else {
            rows.push(Found::empty(&near, State::NotFound));
        }
    }
    if args.output.wants_json() {
        for row in &rows {
            stdout::json_line(&row.to_json())?;
        }
    } else {
        stdout::print(&text(&rows, left_out))?;
    }
    Ok(Exit::Ok)
}

/// Returns the configs that were found at a place, each followed by those that it includes.
fn in_force(configs: &Configs, place: &Place) -> Vec<Found> {
    let is_here = |file: &Path| match place.is_folder {
        true => file == place.path || file.parent() == Some(place.path.as_path()),
        false => file == place.path,
    };
    let here = configs.sources().iter().filter(|source| {
        source.layer == place.layer && source.is_drop_in == place.is_folder && is_here(&source.file)
    });
    here.flat_map(|source| {
        let mut found = Found::empty(place, State::InForce);
        found.path.clone_from(&source.file);
        match configs.read(&registry(), source).and_then(|file| join(vec![file])) {
            Ok(loaded) => {
                (found.hooks, found.warnings) = (loaded.table.len(), loaded.warnings.len());
                let included = loaded.included.into_iter().map(|path| {
                    let name = path.display().to_string();
                    let of_file = |spec: &&hookgate::HookSpec| {
                        spec.origin().file_name() == Some(name.as_str())
                    };
                    let hooks = loaded.table.specs().filter(of_file).count();
                    let by = Some(source.file.clone());
                    Found { path, by, hooks, ..Found::empty(place, State::InForce) }
                });
                let included: Vec<Found> = included.collect();
                found.hooks -= included.iter().map(|file| file.hooks).sum::<usize>();
                std::iter::once(found).chain(included).collect()
            }
            Err(errors) => {
                (found.state, found.errors) = (State::Broken, errors.errors().len());
                vec![found]
            }
        }
    })
    .collect()
}

fn text(rows: &[Found], left_out: usize) -> String {
    let mut shown = table::new(To::Stdout, &["layer", "file", "", "hooks", "warnings", "errors"]);
    let number = |number: usize| dim(if number == 0 { String::new() } else { number.to_string() });
    for row in rows {
        let path = row.path.display().to_string();
        let state = match &row.by {
            Some(by) => format!("{}, included by {}", row.state.words(), by.display()),
            None => row.state.words().to_owned(),
        };
        let is_there = matches!(row.state, State::InForce | State::Broken);
        shown.add_row([
            dim(row.layer),
            if is_there { cell(path) } else { dim(path) },
            if is_there { cell(state) } else { dim(state) },
            number(row.hooks),
            number(row.warnings),
            number(row.errors),
        ]);
    }
    table::keep_whole(&mut shown, &[0, 1]);
    let more = match left_out {
        0 => String::new(),
        more => format!("and {more} places in folders above, where nothing is\n"),
    };
    format!("{shown}\n{more}")
}
