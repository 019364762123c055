//! Keeping in memory what is asked for most often.

use index::Index;

use crate::{Page, assert_equals_model, build, read_postings};

const PAGE_BYTES: u64 = 4096;

/// Pages whose words have lists of many bytes each.
fn long_lists() -> Vec<Page> {
    let words = |page: u64| {
        (0..12u64)
            .filter(|word| !(page * 31 + word * 17).is_multiple_of(5))
            .map(|word| format!("word{word} "))
            .collect()
    };
    (0..12_000).map(|page| (String::new(), words(page))).collect()
}

#[test]
fn what_is_asked_for_most_often_is_kept_and_reads_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let pages = long_lists();
    build(folder.path(), &pages, 16 << 20);
    let mut index = Index::open(folder.path()).unwrap();
    index.keep_hot(1 << 20).unwrap();
    assert_eq!(index.hot_report(1 << 20).kept_bytes, 0, "nobody said that it should be counted");
    index.count_uses(None).unwrap();
    // What every look-up goes through is kept from the beginning.
    index.keep_hot(1 << 30).unwrap();
    let first = index.hot_report(1 << 30);
    assert!(first.kept_bytes >= PAGE_BYTES && first.pages_asked == 0, "{first:?}");

    let ask = |index: &Index, word: &str, times: usize| {
        (0..times).for_each(|_| drop(index.term(word).unwrap().unwrap()));
    };
    ask(&index, "word3", 50);
    ask(&index, "word7", 5);
    let budget_bytes = first.kept_bytes + 6 * PAGE_BYTES;
    index.keep_hot(budget_bytes).unwrap();
    let kept = |index: &Index, word: &str| {
        let before = index.hot_report(0);
        ask(index, word, 1);
        let after = index.hot_report(0);
        (after.pages_kept - before.pages_kept, after.pages_asked - before.pages_asked)
    };
    let report = index.hot_report(budget_bytes);
    assert!(report.kept_bytes > first.kept_bytes && report.kept_bytes <= budget_bytes, "{report:?}");
    let (popular, all) = kept(&index, "word3");
    assert!(popular == all && all >= 3, "{popular} of {all}");
    let (rare, all) = kept(&index, "word11");
    assert!(rare < all, "{rare} of {all}");

    // An index that is opened in its place knows what was asked for.
    let mut again = index.reopen_all(&[folder.path()]).unwrap();
    again.count_uses(Some(&index)).unwrap();
    again.keep_hot(budget_bytes).unwrap();
    let (popular, all) = kept(&again, "word3");
    assert_eq!(popular, all);
    assert_eq!(read_postings(&again, "word3").unwrap(), read_postings(&index, "word3").unwrap());
    // What is popular now takes the place of what was.
    ask(&again, "word11", 5000);
    again.keep_hot(budget_bytes).unwrap();
    let (popular, all) = kept(&again, "word11");
    assert_eq!(popular, all);
    assert_equals_model(&again, &pages);
    again.keep_hot(0).unwrap();
    assert_eq!(again.hot_report(0).kept_bytes, 0);
}
