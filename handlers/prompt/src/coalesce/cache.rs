//! A bounded cache whose entries expire.

use std::hash::Hash;
use std::time::Duration;

use quick_cache::sync::Cache;
use tokio::time::Instant;

/// Values that are known for a while. When it is full, the values that are least in use make room.
///
/// A lookup costs a hash and a short lock; it does not allocate.
pub(crate) struct TtlCache<K, V> {
    values: Cache<K, (Instant, V)>,
    ttl: Duration,
}

impl<K: Eq + Hash, V: Clone> TtlCache<K, V> {
    /// Makes a cache for at most `size` values that expire after `ttl`.
    pub(crate) fn new(ttl: Duration, size: usize) -> Self {
        Self { values: Cache::new(size), ttl }
    }

    /// Returns the value of a key, unless it has expired.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let (expires, value) = self.values.get(key)?;
        if Instant::now() < expires {
            return Some(value);
        }
        self.values.remove(key);
        None
    }

    /// Remembers a value. One that would expire beyond the range of the clock is not remembered.
    pub(crate) fn insert(&self, key: K, value: V) {
        if let Some(expires) = Instant::now().checked_add(self.ttl) {
            self.values.insert(key, (expires, value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_value_is_known_until_it_expires() {
        let cache = TtlCache::new(Duration::from_secs(10), 100);
        cache.insert("a", 1);
        assert_eq!((cache.get(&"a"), cache.get(&"b")), (Some(1), None));
        tokio::time::advance(Duration::from_secs(9)).await;
        assert_eq!(cache.get(&"a"), Some(1));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(cache.get(&"a"), None);
        cache.insert("a", 2);
        assert_eq!(cache.get(&"a"), Some(2), "it is learned again");
    }
}
