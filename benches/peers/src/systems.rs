//! The systems that are measured.

mod cpex;
mod defect;
mod floor;
mod hookgate;
mod meerkat;

use crate::system::{Adapted, System};
pub use floor::Floor;

/// Returns hookgate first, then its peers.
#[must_use]
pub fn all() -> Vec<Box<dyn System>> {
    vec![
        Box::new(Adapted(hookgate::Hookgate)),
        Box::new(Adapted(defect::Defect)),
        Box::new(Adapted(cpex::Cpex)),
        Box::new(Adapted(meerkat::Meerkat)),
    ]
}
