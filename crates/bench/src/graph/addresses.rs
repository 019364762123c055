//! What a real collection's addresses and words of links take, and how long a look-up does: among its own addresses, which
//! may fit into a cache, and among made ones, which do not.

use std::hint::black_box;
use std::path::Path;

use ::graph::{AddressList, BuildOptions, BvOptions, GraphBuilder, GraphFolder};
use page::PageUrl;

use crate::clock::time;
use crate::{Error, Row};

const LIST_BYTES_MAX: f64 = 20.0;
const LIST_NS_MAX: f64 = 250.0;
const FUNCTION_BITS_MAX: f64 = 24.0;
const FUNCTION_NS_MAX: f64 = 600.0;
const ANCHOR_BITS_MAX: f64 = 3.0;

/// All of them, of the graph of a collection.
pub fn rows(collection: &Path) -> Result<Vec<Row>, Error> {
    let folder = GraphFolder::open(&collection.join("graph"))
        .map_err(|source| Error::NoGraphOf { path: collection.to_owned(), source })?;
    let (manifest, list) = (folder.manifest(), folder.addresses());
    let count = list.len() as f64;
    let (list_bytes, function_bytes) = list.bytes();
    let anchor_bits = (manifest.label_bits + manifest.table_bits) as f64 / manifest.arcs as f64;
    let (from_node_ns, from_address_ns) = look_up_ns(list);
    let of = collection.file_stem().unwrap_or_default().to_string_lossy();
    let name = |what: &str| format!("{of}, {} addresses: {what}", list.len());
    Ok(vec![
        Row::absolute(name("the list"), "bytes per address", list_bytes as f64 / count, LIST_BYTES_MAX),
        Row::absolute(name("from node to address"), "CPU ns", from_node_ns, LIST_NS_MAX),
        Row::absolute(
            name("the function, with signatures"),
            "bits per address",
            8.0 * function_bytes as f64 / count,
            FUNCTION_BITS_MAX,
        ),
        Row::absolute(name("from address to node"), "CPU ns", from_address_ns, FUNCTION_NS_MAX),
        Row::absolute(
            format!("{of}: flags and words of {} links", manifest.arcs),
            "bits per link",
            anchor_bits,
            ANCHOR_BITS_MAX,
        ),
    ])
}

/// Look-ups among so many addresses that each is far from the last.
pub fn made_rows(count: u64) -> Result<Vec<Row>, Error> {
    let scratch = tempfile::tempdir()?;
    let options = BuildOptions {
        memory_bytes: 256 << 20,
        bv: BvOptions::standard(),
        keep_nofollow: true,
        keep_off_crawl: false,
        domain_of: &made_domain,
    };
    let mut builder = GraphBuilder::create(scratch.path(), options)?;
    for number in 0..count {
        let address = PageUrl::parse(&made_address(number)).expect("made addresses are addresses");
        builder.add_page(&address)?;
    }
    let folder = builder.finish("made")?;
    let (from_node_ns, from_address_ns) = look_up_ns(folder.addresses());
    let name = |what: &str| format!("{} made addresses: {what}", folder.addresses().len());
    Ok(vec![
        Row::absolute(name("from node to address"), "CPU ns", from_node_ns, LIST_NS_MAX),
        Row::absolute(name("from address to node"), "CPU ns", from_address_ns, FUNCTION_NS_MAX),
    ])
}

/// An address as sites have them: a thousand pages to a host, in folders.
pub fn made_address(number: u64) -> String {
    let mixed = xxhash_rust::xxh3::xxh3_64(&number.to_le_bytes());
    let (host, section, topic) = (number / 1000, mixed % 17, mixed >> 32 & 0xff);
    format!("http://www.site-{host}.example/section-{section}/topic-{topic}/article-{}.html", number % 1000)
}

fn made_domain(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

/// Nanoseconds from a node to its address and back, nodes in any order.
fn look_up_ns(list: &AddressList) -> (f64, f64) {
    let mut key = Vec::new();
    let order = shuffled(list.len());
    let keys: Vec<Vec<u8>> = order
        .iter()
        .map(|node| {
            list.key(*node, &mut key);
            key.clone()
        })
        .collect();
    let from_node = time(|turn| list.key(order[turn % order.len()], black_box(&mut key)));
    let from_address = time(|turn| {
        black_box(list.node_of_key(&keys[turn % keys.len()]));
    });
    (from_node, from_address)
}

fn shuffled(nodes: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..nodes as u32).collect();
    order.sort_by_key(|node| xxhash_rust::xxh3::xxh3_64(&node.to_le_bytes()));
    order
}
