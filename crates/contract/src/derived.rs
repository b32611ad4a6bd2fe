//! What is computed of one version of a step, once for all hooks that ask for it.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Values that were derived from one version of a step, one of each type.
///
/// A handle: clones share the values, on whatever thread they are.
#[derive(Clone, Default)]
pub struct Derived {
    /// Each is a `OnceLock<Arc<T>>` of another type.
    cells: Arc<Mutex<Vec<Arc<dyn Any + Send + Sync>>>>,
}

impl Derived {
    /// Returns the value of a type, which is made at most once. Another thread that asks for it
    /// meanwhile waits for it; the lock is not held while the value is made, so making one may ask for
    /// values of other types.
    pub(crate) fn get<T: Send + Sync + 'static>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        Arc::clone(self.cell::<T>().get_or_init(|| Arc::new(make())))
    }

    fn cell<T: Send + Sync + 'static>(&self) -> Arc<OnceLock<Arc<T>>> {
        let mut cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
        let found = cells.iter().find_map(|cell| Arc::clone(cell).downcast().ok());
        found.unwrap_or_else(|| {
            let cell = Arc::new(OnceLock::new());
            cells.push(Arc::<OnceLock<Arc<T>>>::clone(&cell));
            cell
        })
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Derived(..)")
    }
}
