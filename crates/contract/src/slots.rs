//! Values that hooks keep from one step of a call to another.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Values of types of their own that hooks in Rust share over the steps of one call: what a hook puts in before a tool
/// runs, it finds after it.
///
/// The host makes one for a call, and puts it in the [context](crate::StepContext::slots) of each step of the call. There is
/// one value of a type, so a hook takes a type of its own. Nothing of it is in an envelope, a record or another process.
/// A clone holds the same values.
///
/// ```
/// use hookgate_contract::{Slots, StepContext};
/// use std::time::Instant;
///
/// struct Began(Instant);
///
/// let slots = Slots::new();
/// let context = StepContext::new("session-1").slots(&slots);
/// slots.put(Began(Instant::now()));
/// let took = context.slots.and_then(|slots| slots.take::<Began>()).map(|began| began.0.elapsed());
/// assert!(took.is_some() && slots.take::<Began>().is_none());
/// ```
#[derive(Clone, Default)]
pub struct Slots(Arc<Mutex<Vec<Slot>>>);

/// A value, under its type.
type Slot = (TypeId, Box<dyn Any + Send>);

impl Slots {
    /// Makes one without values.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a value in, and returns that of the same type which was there.
    pub fn put<T: Send + 'static>(&self, value: T) -> Option<T> {
        let mut slots = self.lock();
        let before = take(&mut slots);
        slots.push((TypeId::of::<T>(), Box::new(value)));
        before
    }

    /// Takes the value of a type out.
    #[must_use]
    pub fn take<T: 'static>(&self) -> Option<T> {
        take(&mut self.lock())
    }

    /// Looks at the value of a type, or changes it. No other hook can reach the values meanwhile.
    ///
    /// ```
    /// # use hookgate_contract::Slots;
    /// let slots = Slots::new();
    /// slots.put(1_u32);
    /// slots.with(|count: &mut u32| *count += 1);
    /// assert_eq!(slots.take(), Some(2_u32));
    /// ```
    pub fn with<T: 'static, R>(&self, look: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut slots = self.lock();
        slots.iter_mut().find_map(|(_, value)| value.downcast_mut::<T>()).map(look)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Slot>> {
        // The values are whole after a panic: each is put in, or taken out, at once.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn take<T: 'static>(slots: &mut Vec<Slot>) -> Option<T> {
    let at = slots.iter().position(|(of, _)| *of == TypeId::of::<T>())?;
    slots.swap_remove(at).1.downcast().ok().map(|value| *value)
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Slots").field(&self.lock().len()).finish()
    }
}
