//! A store that is slow, hangs, fails or forgets, as it is told to, and knows whom it gave leases.

use super::*;
use crate::{
    error::BoxError,
    token::{Lease, Stored},
};

/// A store in memory that does as badly as it is told to.
#[derive(Clone, Debug)]
pub(super) struct Shaky {
    inner: Arc<Mutex<MemoryStore>>,
    faults: Arc<Mutex<Faults>>,
    granted: Arc<Mutex<Vec<u64>>>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Faults {
    /// Fail at once.
    pub(super) down: bool,
    /// Never answer.
    pub(super) hangs: bool,
    /// Answer late.
    pub(super) slow: Duration,
    /// `remove` does nothing.
    pub(super) keeps: bool,
    /// `store` fails.
    pub(super) takes_nothing: bool,
}

impl Shaky {
    pub(super) fn new() -> Self {
        Self {
            inner: Arc::default(),
            faults: Arc::default(),
            granted: Arc::default(),
        }
    }

    pub(super) fn set(&self, faults: Faults) {
        *lock(&self.faults) = faults;
    }

    /// Returns the same store over a slower network.
    pub(super) fn slower(&self, slow: Duration) -> Self {
        let faults = Faults {
            slow,
            ..Faults::default()
        };
        Self {
            faults: Arc::new(Mutex::new(faults)),
            ..self.clone()
        }
    }

    /// Loses all it had, and the numbers too.
    pub(super) fn forget(&self) {
        *lock(&self.inner) = MemoryStore::new();
    }

    fn inner(&self) -> MemoryStore {
        lock(&self.inner).clone()
    }

    /// Returns the generations of all leases that it gave.
    pub(super) fn granted(&self) -> Vec<u64> {
        lock(&self.granted).clone()
    }

    async fn trouble(&self) -> Result<Faults, BoxError> {
        let faults = *lock(&self.faults);
        if faults.hangs {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(faults.slow).await;
        if faults.down {
            return Err("down".into());
        }
        Ok(faults)
    }
}

impl TokenStore for Shaky {
    fn load<'a>(&'a self, key: &'a TokenKey) -> BoxFuture<'a, Result<Option<Stored>, BoxError>> {
        Box::pin(async {
            self.trouble().await?;
            self.inner().load(key).await
        })
    }

    fn lease<'a>(
        &'a self,
        key: &'a TokenKey,
        lasts: Duration,
    ) -> BoxFuture<'a, Result<Option<Lease>, BoxError>> {
        Box::pin(async move {
            self.trouble().await?;
            let lease = self.inner().lease(key, lasts).await?;
            if let Some(lease) = &lease {
                lock(&self.granted).push(lease.generation);
            }
            Ok(lease)
        })
    }

    fn store<'a>(
        &'a self,
        key: &'a TokenKey,
        new: Stored,
    ) -> BoxFuture<'a, Result<Option<Stored>, BoxError>> {
        Box::pin(async {
            if self.trouble().await?.takes_nothing {
                return Err("full".into());
            }
            self.inner().store(key, new).await
        })
    }

    fn release<'a>(
        &'a self,
        key: &'a TokenKey,
        lease: &'a Lease,
    ) -> BoxFuture<'a, Result<(), BoxError>> {
        Box::pin(async {
            self.trouble().await?;
            self.inner().release(key, lease).await
        })
    }

    fn remove<'a>(
        &'a self,
        key: &'a TokenKey,
        value: &'a Secret,
    ) -> BoxFuture<'a, Result<bool, BoxError>> {
        Box::pin(async {
            if self.trouble().await?.keeps {
                return Ok(false);
            }
            self.inner().remove(key, value).await
        })
    }
}
