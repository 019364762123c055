//! Policies, and what an audit expects of a crawl that has one.

use std::time::Duration;

use frontier::PolitenessPolicy;
use lab::AuditPolicy;

/// Nobody rests by itself.
pub const NO_REST: PolitenessPolicy = PolitenessPolicy {
    host_delay: Duration::ZERO,
    address_delay: Duration::ZERO,
    rest_ratio: 0.0,
    visit_time: Duration::ZERO,
};

/// The same rules as whoever watches knows them. Whoever answers with an error has a second to itself in any crawl.
pub fn audited(policy: PolitenessPolicy) -> AuditPolicy {
    let PolitenessPolicy { host_delay, address_delay, rest_ratio, visit_time } = policy;
    AuditPolicy { host_delay, address_delay, rest_ratio, visit_time, error_rest: Duration::from_secs(1) }
}
