//! What goes over the wire, and how the server starts and stops.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lab::{AuditPolicy, FakeWeb, LabConfig, LabServer};
use page::PageUrl;

use crate::client::Client;

fn serve(config: LabConfig) -> (LabServer, Client, PageUrl) {
    let server = LabServer::start(Arc::new(FakeWeb::new(config)), 0, AuditPolicy::default()).unwrap();
    let client = Client::new(&server.hosts_tsv());
    let home = PageUrl::parse(&server.seeds()[0]).unwrap();
    (server, client, home)
}

#[test]
fn a_head_promises_what_a_get_delivers() {
    let (_server, mut client, home) = serve(LabConfig::clean());
    let body = client.get(&home).body;
    let head = client.request("HEAD", &home, "");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(head.headers["content-length"], body.len().to_string());
    assert_eq!(head.headers["content-type"], "text/html; charset=utf-8");
}

#[test]
fn compression_is_for_those_who_accept_it() {
    let (_server, mut client, home) = serve(LabConfig { gzip_rate: 1.0, ..LabConfig::clean() });
    let plain = client.request("GET", &home, "");
    let compressed = client.get(&home);
    assert_eq!(compressed.headers["content-encoding"], "gzip");
    assert!(!plain.headers.contains_key("content-encoding"));
    assert_eq!(plain.body, compressed.body);
}

#[test]
fn a_page_that_the_client_has_is_not_sent_again() {
    let (_server, mut client, home) = serve(LabConfig::clean());
    let tag = client.get(&home).headers["etag"].clone();
    let again = client.request("GET", &home, &format!("If-None-Match: {tag}\r\n"));
    assert_eq!((again.status, again.body.as_str()), (304, ""));
}

#[test]
fn an_address_without_a_known_name_shows_its_first_host() {
    let (server, mut client, home) = serve(LabConfig::default());
    let ip = server.hosts_tsv().split('\t').next().unwrap().to_owned();
    let by_address = PageUrl::parse(&format!("http://{ip}:{}/", server.port())).unwrap();
    assert_eq!(client.get(&by_address).body, client.get(&home).body);
}

#[test]
fn sitemaps_list_only_pages_of_the_truth() {
    let config = LabConfig { hosts: 3, pages: 4000, nofollow_rate: 0.2, ..LabConfig::default() };
    let web = Arc::new(FakeWeb::new(config));
    let server = LabServer::start(Arc::clone(&web), 0, AuditPolicy::default()).unwrap();
    let truth = web.truth(server.port());
    let mut client = Client::new(&server.hosts_tsv());
    let mut lists: Vec<String> = truth.seeds.iter().map(|seed| format!("{seed}sitemap.xml")).collect();
    let mut listed = 0;
    while let Some(list) = lists.pop() {
        let answer = client.get(&PageUrl::parse(&list).unwrap());
        assert_eq!(answer.status, 200, "{list}");
        for entry in answer.body.split("<loc>").skip(1) {
            let address = entry.split("</loc>").next().unwrap().replace("&amp;", "&");
            if answer.body.contains("<sitemapindex") {
                lists.push(address);
            } else {
                assert!(truth.pages.binary_search(&address).is_ok(), "{address} is not in the truth");
                listed += 1;
            }
        }
    }
    assert!(listed > 3000, "{listed} listed");
}

#[test]
fn the_audit_sees_what_happens_on_the_sockets() {
    let policy = AuditPolicy { host_delay: Duration::from_secs(60), ..AuditPolicy::default() };
    let config =
        LabConfig { hosts: 2, pages: 100, forbidden_rate: 0.5, slow_host_rate: 0.0, ..LabConfig::default() };
    let web = Arc::new(FakeWeb::new(config));
    let server = LabServer::start(Arc::clone(&web), 0, policy).unwrap();
    let mut client = Client::new(&server.hosts_tsv());
    let forbidden = web.truth(server.port()).forbidden[0].clone();
    let url = PageUrl::parse(&forbidden).unwrap();
    client.get(&url);
    client.get(&url);
    let report = server.audit();
    assert_eq!((report.requests, report.hosts, report.refetched), (2, 1, 1));
    assert_eq!((report.forbidden_hits, report.robots_not_first, report.host_gap_violations), (2, 2, 1));
    assert_eq!(report.violations, 5);
    assert!(report.shortest_host_gap_ms.unwrap() < 60_000.0);
}

#[test]
fn slow_hosts_think_and_requests_meanwhile_overlap() {
    let slow = LabConfig { hosts: 1, slow_host_rate: 1.0, slow_ms: 200, ..LabConfig::clean() };
    let (server, mut client, home) = serve(slow);
    let mut other = Client::new(&server.hosts_tsv());
    let robots = home.site().robots_url();
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| client.get(&robots));
        scope.spawn(|| other.get(&robots));
    });
    assert!(start.elapsed() >= Duration::from_millis(200));
    assert_eq!(server.audit().overlapping, 1);
}

#[test]
fn who_waits_for_each_answer_never_overlaps_not_even_on_new_connections() {
    let (server, mut client, home) = serve(LabConfig { hosts: 1, gzip_rate: 1.0, ..LabConfig::clean() });
    client.get(&home.site().robots_url());
    for _ in 0..1000 {
        Client::new(&server.hosts_tsv()).get(&home);
    }
    let report = server.audit();
    assert_eq!((report.requests, report.violations), (1001, 0), "{:?}", report.examples);
}

#[test]
fn two_labs_live_side_by_side_and_ports_are_free_after_the_stop() {
    let (first, _, _) = serve(LabConfig::default());
    let (second, _, _) = serve(LabConfig::default());
    assert_ne!(first.port(), second.port());
    let ip = first.hosts_tsv().split('\t').next().unwrap().to_owned();
    let socket = format!("{ip}:{}", first.port());
    assert!(TcpListener::bind(&socket).is_err());
    first.stop();
    TcpListener::bind(&socket).expect("nobody listens any more");
    second.stop();
}

#[test]
fn more_hosts_than_files_may_be_open_are_served_and_each_at_its_address() {
    let config = LabConfig { hosts: 30_000, pages: 30_000, hosts_per_address: 1, ..LabConfig::clean() };
    let (server, mut client, _) = serve(config);
    let table = server.hosts_tsv();
    let hosts: Vec<(&str, &str)> = table.lines().map(|line| line.split_once('\t').unwrap()).collect();
    assert_eq!(hosts.len(), 30_000);
    for (address, host) in [hosts[0], hosts[29], hosts[15_000], hosts[29_999]] {
        let url = PageUrl::parse(&format!("http://{host}:{}/", server.port())).unwrap();
        assert_eq!(client.get(&url).status, 200, "{host} at {address}");
    }
    let nobody = std::net::TcpStream::connect(("127.0.0.1", server.port()));
    let answer = nobody.and_then(|mut stream| std::io::Read::read(&mut stream, &mut [0; 8]));
    assert!(!matches!(answer, Ok(1..)), "an address that is none of the web's answers nothing");
}
