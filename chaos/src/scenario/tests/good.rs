//! What files without mistakes become.
