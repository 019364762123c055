//! Files that were cut or changed: the same result, or an error that says what to do. Never another result.

use std::fs;
use std::path::{Path, PathBuf};

use dedup::{Deduplicator, Error};

use crate::collections::{Dice, config, groups, groups_in, lists, planted};

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn groups_or_error(folder: &Path, texts: &[String]) -> Result<Vec<Vec<u32>>, Error> {
    let mut deduplicator = Deduplicator::open(folder, config(), "test")?;
    deduplicator.sketch(&texts, &())?;
    Ok(lists(&deduplicator.groups(&texts, &())?))
}

#[test]
fn a_file_that_lost_its_end_costs_work_but_changes_nothing() {
    let texts = planted(61, 1000);
    let expected = groups(&texts, &config());
    let folder = tempfile::tempdir().unwrap();
    groups_in(folder.path(), &texts, &config());
    let mut dice = Dice(61);
    for path in files(folder.path()) {
        let length = fs::metadata(&path).unwrap().len();
        let cut = dice.roll(length as usize) as u64;
        fs::File::options().write(true).open(&path).unwrap().set_len(cut).unwrap();
        assert_eq!(groups_or_error(folder.path(), &texts).unwrap(), expected, "{path:?} cut at {cut}");
        assert_eq!(fs::metadata(&path).unwrap().len(), length, "{path:?} is whole again");
    }
}

#[test]
fn a_changed_byte_is_an_error_with_a_hint_or_harmless() {
    let texts = planted(62, 600);
    let expected = groups(&texts, &config());
    let folder = tempfile::tempdir().unwrap();
    groups_in(folder.path(), &texts, &config());
    let mut dice = Dice(62);
    let mut errors = 0;
    for path in files(folder.path()) {
        let groups_log = folder.path().join("groups.log");
        for _ in 0..4 {
            // Groups that are done would be taken from their log.
            if path != groups_log {
                let _ = fs::remove_file(&groups_log);
            } else {
                groups_or_error(folder.path(), &texts).unwrap();
            }
            let whole = fs::read(&path).unwrap();
            let mut changed = whole.clone();
            let place = dice.roll(whole.len());
            changed[place] ^= 1 << dice.roll(8);
            fs::write(&path, &changed).unwrap();
            match groups_or_error(folder.path(), &texts) {
                Ok(found) => assert_eq!(found, expected, "{path:?} changed at {place}"),
                Err(error) => {
                    errors += 1;
                    assert!(error.hint().is_some());
                    let name = path.file_name().unwrap().to_str().unwrap();
                    assert!(error.to_string().contains(name), "{error} does not name {name}");
                }
            }
            fs::write(&path, &whole).unwrap();
        }
    }
    assert!(errors > 100, "only {errors} errors");
}
