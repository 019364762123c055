//! Pages that speak of the same, from the files of a user to the command and back.

use std::path::Path;

use crate::command::{crivello, errors_of, succeeds, succeeds_with_json};

const PAGES: [&str; 8] = [
    "the vet looks after dogs and cats",
    "our dogs bark at the vet",
    "our cats sleep, the vet waits",
    "cats and dogs eat from bowls",
    "boats sail from the harbour",
    "the harbour has a lighthouse for boats",
    "a lighthouse stands near the sea, boats sail by",
    "zzyzx qwfpgj",
];

fn import(dir: &Path, pages: &[&str]) -> String {
    let lines: String = (0..)
        .zip(pages)
        .map(|(number, text)| format!("{{\"url\": \"http://a.test/{number}\", \"title\": \"Page {number}\", \"text\": \"{text}\"}}\n"))
        .collect();
    let (file, collection) = (dir.join("pages.jsonl"), dir.join("pages.crivello"));
    std::fs::write(&file, lines).unwrap();
    succeeds(&["import", collection.to_str().unwrap(), file.to_str().unwrap(), "--quiet"]);
    collection.to_str().unwrap().to_owned()
}

#[test]
fn pages_that_speak_of_the_same_are_found_and_follow_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let collection = import(dir.path(), &PAGES[..7]);
    let refused = |url: &str, expected: &[&str]| {
        let output = crivello().args(["related", &collection, url]).output().unwrap();
        let errors = errors_of(&output);
        assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{errors}");
        assert!(expected.iter().all(|words| errors.contains(words)), "{errors}");
    };
    refused("http://a.test/1", &["has no index yet", "crivello build"]);
    let built = succeeds_with_json(&["build", &collection, "--json", "--quiet"]);
    assert_eq!((&built["space"]["documents"], &built["space"]["up_to_date"]), (&7.into(), &false.into()));
    let related = |url: &str| {
        let answer = succeeds_with_json(&["related", &collection, url, "--json", "-n", "3"]);
        let urls = answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|result| result["url"].as_str().unwrap().to_owned());
        urls.collect::<Vec<_>>()
    };
    let mut of_dogs = related("http://a.test/1");
    of_dogs.sort();
    assert_eq!(of_dogs, ["http://a.test/0", "http://a.test/2"], "the vet is theirs too");
    assert!(succeeds(&["related", &collection, "http://a.test/4"]).contains("Page 5"));

    // A page that comes later is put into the space, and a damaged space is made anew.
    import(dir.path(), &PAGES);
    let built = succeeds_with_json(&["build", &collection, "--json", "--quiet"]);
    assert_eq!((&built["space"]["documents"], &built["space"]["folded_in"]), (&8.into(), &true.into()));
    refused("http://a.test/7", &["shares no words with other pages"]);
    refused("http://a.test/8", &["is not in the index", "export"]);
    refused("a test", &["is no address", "http://"]);
    std::fs::remove_file(format!("{collection}/latent/space")).unwrap();
    refused("http://a.test/1", &["has no latent space", "crivello build"]);
    let built = succeeds_with_json(&["build", &collection, "--json", "--quiet"]);
    assert_eq!((&built["space"]["documents"], &built["space"]["folded_in"]), (&8.into(), &false.into()));
    assert_eq!(succeeds_with_json(&["build", &collection, "--json", "--quiet"])["space"]["up_to_date"], true);
}
