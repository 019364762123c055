//! First come, first served. Links lead a crawl in widening circles, so that it is nearly the order of depth.

use super::Priority;

/// Needs no policy: queues keep the order of arrival by themselves, in less memory than a choice takes.
pub(super) const BREADTH: Priority =
    Priority { name: "breadth", help: "First found, first fetched", needs_topic: false, policy: None };
