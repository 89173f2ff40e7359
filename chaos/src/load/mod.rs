//! (to be written)

#[cfg(test)]
pub(crate) mod fixture;
