//! Names, tables of hosts, and the guard behind them.

use std::io::Write;
use std::net::IpAddr;

use fetch::{AddressGuard, NameResolver};
use page::FetchFailure;

fn resolver(allowed: &[&str], table: &str) -> NameResolver {
    let guard = AddressGuard::new(allowed.iter().map(|range| range.parse().unwrap()).collect());
    let mut resolver = NameResolver::new(guard);
    resolver.load_table(table_file(table).path()).unwrap();
    resolver
}

fn table_file(table: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(table.as_bytes()).unwrap();
    file
}

const TABLE: &str = "# hosts of the lab\n\n127.1.0.1\tone.test\n127.1.0.2\tTwo.Test\r\n8.8.8.8\tpublic.test\n\
                     8.8.8.8\tdb.internal\n127.1.0.3\twiki.local\n10.0.0.1\tprivate.test\n::1\tsix.test\n\
                     9.9.9.9\ttwice.test\n8.8.4.4\ttwice.test\n";

#[tokio::test]
async fn the_guard_stands_behind_literals_tables_and_names() {
    let refused = Err(FetchFailure::AddressNotAllowed);
    let cases: &[(&[&str], &str, Result<&str, FetchFailure>)] = &[
        (&[], "8.8.8.8", Ok("8.8.8.8")),
        (&[], "[2606:4700::1111]", Ok("2606:4700::1111")),
        (&[], "127.0.0.1", refused),
        (&[], "[::1]", refused),
        (&[], "[::ffff:127.0.0.1]", refused),
        (&[], "[::ffff:169.254.169.254]", refused),
        (&["127.0.0.0/8"], "127.0.0.1", Ok("127.0.0.1")),
        (&["127.0.0.0/8"], "[::ffff:127.0.0.1]", Ok("::ffff:127.0.0.1")),
        (&["127.0.0.0/8"], "10.0.0.1", refused),
        (&[], "one.test", refused),
        (&["127.0.0.0/8"], "one.test", Ok("127.1.0.1")),
        (&["127.0.0.0/8"], "ONE.test.", Ok("127.1.0.1")),
        (&["127.0.0.0/8"], "two.test", Ok("127.1.0.2")),
        (&["127.0.0.0/8"], "private.test", refused),
        (&["10.0.0.0/8"], "private.test", Ok("10.0.0.1")),
        (&["::1"], "six.test", Ok("::1")),
        (&[], "public.test", Ok("8.8.8.8")),
        (&[], "twice.test", Ok("8.8.4.4")),
        // A local name leads to a range that the user allowed, or nowhere.
        (&[], "db.internal", refused),
        (&["127.0.0.0/8"], "db.internal", refused),
        (&["8.8.8.8"], "db.internal", Ok("8.8.8.8")),
        (&[], "wiki.local", refused),
        (&["127.0.0.0/8"], "wiki.local", Ok("127.1.0.3")),
        (&[], "localhost", refused),
        (&[], "a.localhost.", refused),
        (&["10.0.0.0/8"], "localhost", refused),
        (&["127.0.0.0/8"], "localhost", Ok("127.0.0.1")),
    ];
    for (allowed, host, expected) in cases {
        let resolver = resolver(allowed, TABLE);
        let expected = expected.map(|address| address.parse::<IpAddr>().unwrap());
        assert_eq!(resolver.resolve(host).await, expected, "{host} with {allowed:?}");
        assert_eq!(resolver.resolve(host).await, expected, "{host} with {allowed:?}, asked again");
    }
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_not_found() {
    let resolver = resolver(&[], "");
    for _ in 0..2 {
        assert_eq!(resolver.resolve("no-such-host.invalid").await, Err(FetchFailure::NameNotFound));
    }
}

#[test]
fn a_table_counts_its_hosts() {
    let mut resolver = NameResolver::new(AddressGuard::default());
    assert_eq!(resolver.load_table(table_file(TABLE).path()).unwrap(), 9);
}

#[test]
fn a_bad_line_is_named_with_its_file_and_number() {
    for line in ["127.0.0.1", "one.test\t127.0.0.1", "127.0.0.1\ta\tb", "127.0.0.256\ta"] {
        let file = table_file(&format!("127.0.0.1\tfine\n{line}\n"));
        let mut resolver = NameResolver::new(AddressGuard::default());
        let message = resolver.load_table(file.path()).unwrap_err().to_string();
        let place = format!("{}:2: ", file.path().display());
        assert!(message.starts_with(&place) && message.contains(line), "{message}");
    }
    let mut resolver = NameResolver::new(AddressGuard::default());
    let message = resolver.load_table("/no/such/hosts.tsv".as_ref()).unwrap_err().to_string();
    assert!(message.contains("/no/such/hosts.tsv"), "{message}");
}

#[tokio::test]
async fn an_address_stays_good_as_long_as_it_is_among_the_answers() {
    let address = |text: &str| text.parse::<IpAddr>().unwrap();
    let resolver = NameResolver::new(AddressGuard::default()).answered_by(move |name| match name {
        "round.test" => Ok(["8.8.8.8", "10.0.0.1", "9.9.9.9"].map(address).into()),
        "moved.test" => Ok(vec![address("10.0.0.1"), address("1.1.1.1")]),
        "inside.test" => Ok(vec![address("10.0.0.1")]),
        _ => Err(FetchFailure::NameNotFound),
    });
    for _ in 0..4 {
        for before in ["8.8.8.8", "9.9.9.9"].map(address) {
            assert_eq!(resolver.resolve_near("round.test", before).await, Ok(before));
        }
    }
    assert_eq!(resolver.resolve_near("moved.test", address("8.8.8.8")).await, Ok(address("1.1.1.1")));
    let private = resolver.resolve_near("inside.test", address("10.0.0.1")).await;
    assert_eq!(private, Err(FetchFailure::AddressNotAllowed), "the guard is asked again");
    let gone = resolver.resolve_near("gone.test", address("8.8.8.8")).await;
    assert_eq!(gone, Err(FetchFailure::NameNotFound));
}
