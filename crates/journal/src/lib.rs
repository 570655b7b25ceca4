//! The durable log.
