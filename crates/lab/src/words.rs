//! The vocabulary: what pages are about, and the syllables that invented names are made of.
//!
//! This file is a table. The order inside a list matters: words at the front are picked far more often, which gives
//! texts the long tail that real ones have.

/// What a host writes about: a word for paths, and nouns. The first noun names the host's home page.
#[derive(Clone, Copy)]
pub(crate) struct Topic {
    /// As it stands in an address, percent-encoded where that is needed.
    pub section: &'static str,
    pub nouns: &'static [&'static str],
}

const fn topic(section: &'static str, nouns: &'static [&'static str]) -> Topic {
    Topic { section, nouns }
}

#[rustfmt::skip]
pub(crate) const TOPICS: &[Topic] = &[
    topic("harbours", &["harbour", "lighthouse", "pier", "wharf", "quay", "breakwater", "dock", "anchor", "ferry", "lagoon", "buoy", "shipyard"]),
    topic("valleys", &["valley", "meadow", "stream", "orchard", "mill", "hedge", "pasture", "ford", "spring", "glen", "brook", "barn"]),
    topic("bridges", &["bridge", "arch", "viaduct", "tollhouse", "parapet", "causeway", "aqueduct", "footbridge", "pillar", "keystone", "embankment", "crossing"]),
    topic("music", &["choir", "organ", "ballad", "fiddle", "drum", "anthem", "flute", "overture", "lullaby", "bell", "concert", "harp"]),
    topic("caf%C3%A9s", &["bakery", "kettle", "soup", "cellar", "cheese", "oven", "tavern", "recipe", "bread", "honey", "vinegar", "feast"]),
    topic("gardens", &["garden", "fountain", "rose", "greenhouse", "lawn", "maze", "terrace", "pergola", "pond", "arbour", "statue", "gate"]),
    topic("mountains", &["peak", "glacier", "pass", "ridge", "hut", "avalanche", "cave", "cliff", "summit", "scree", "cairn", "plateau"]),
    topic("railways", &["railway", "station", "tunnel", "locomotive", "signal", "platform", "junction", "timetable", "carriage", "depot", "siding", "whistle"]),
    topic("libraries", &["library", "manuscript", "catalogue", "atlas", "folio", "scribe", "dictionary", "almanac", "chronicle", "lectern", "binding", "map"]),
    topic("markets", &["market", "stall", "merchant", "scale", "spice", "auction", "guild", "ledger", "awning", "basket", "silk", "warehouse"]),
    topic("rivers", &["river", "delta", "weir", "barge", "flood", "reed", "heron", "ferryman", "island", "rapids", "estuary", "levee"]),
    topic("castles", &["castle", "tower", "moat", "drawbridge", "dungeon", "rampart", "banner", "siege", "courtyard", "armoury", "chapel", "throne"]),
    topic("festivals", &["festival", "lantern", "parade", "mask", "dancer", "bonfire", "procession", "carnival", "puppet", "garland", "jester", "firework"]),
    topic("weather", &["storm", "fog", "blizzard", "rainbow", "drought", "thunder", "frost", "breeze", "barometer", "cloud", "hail", "monsoon"]),
    topic("stars", &["observatory", "comet", "telescope", "planet", "eclipse", "constellation", "astrolabe", "meteor", "orbit", "moon", "zodiac", "sundial"]),
    topic("crafts", &["potter", "loom", "forge", "glassblower", "tapestry", "chisel", "kiln", "cobbler", "clock", "weaver", "anvil", "mosaic"]),
];

#[rustfmt::skip]
pub(crate) const NOUNS: &[&str] = &[
    "year", "house", "people", "road", "winter", "story", "town", "night", "stone", "family", "water", "work", "letter",
    "council", "summer", "war", "wall", "school", "king", "trade", "child", "morning", "song", "wood", "field", "name",
    "fire", "law", "boat", "traveller", "church", "book", "village", "horse", "tax", "wind", "queen", "border", "roof",
    "harvest", "painter", "coin", "bishop", "plague", "doctor", "treaty", "archive", "festival", "ghost", "engineer",
    "widow", "lamp", "visitor", "quarrel", "inheritance", "key", "promise", "machine", "legend", "kitchen", "museum",
    "notebook", "photograph", "riddle", "compass", "ribbon", "charter", "smuggler", "verdict", "mirror", "ladder",
    "pilgrim", "window", "portrait", "experiment", "rumour", "salt", "dream", "expedition", "pigeon", "monument",
];

#[rustfmt::skip]
pub(crate) const ADJECTIVES: &[&str] = &[
    "old", "new", "small", "great", "long", "famous", "quiet", "white", "first", "lost", "red", "last", "northern",
    "narrow", "stone", "forgotten", "royal", "deep", "wooden", "green", "silent", "southern", "broken", "golden",
    "hidden", "early", "strange", "steep", "public", "blue", "heavy", "sunken", "western", "iron", "painted", "empty",
    "ancient", "noble", "crooked", "winter", "foreign", "eastern", "bright", "modest", "secret", "unfinished", "grey",
    "restless", "frozen", "wandering", "marble", "restored", "haunted", "copper", "patient", "tidal", "scarlet",
    "ruined", "provincial", "celebrated", "disputed", "glass", "moonlit", "abandoned", "honest", "stubborn", "velvet",
];

#[rustfmt::skip]
pub(crate) const VERBS: &[&str] = &[
    "built", "found", "kept", "left", "sold", "opened", "painted", "crossed", "lost", "described", "bought", "closed",
    "remembered", "repaired", "moved", "visited", "measured", "saved", "drew", "burned", "named", "carried", "guarded",
    "praised", "feared", "shared", "copied", "restored", "abandoned", "mapped", "destroyed", "inherited", "admired",
    "forgot", "hid", "rebuilt", "defended", "counted", "celebrated", "bequeathed", "exchanged", "photographed",
    "surveyed", "flooded", "blessed", "auctioned", "dismantled", "mocked", "smuggled", "ransomed", "excavated",
];

#[rustfmt::skip]
pub(crate) const TIMES: &[&str] = &[
    "in those days", "every year", "since then", "for a long time", "in the spring", "after the war", "at night",
    "before the flood", "on market days", "until today", "in a dry summer", "at low tide", "for three winters",
    "during the siege", "on the feast of the saint", "within a month", "one autumn morning", "long ago",
];

/// Starts of invented names. None begins with [`PLANTED_PREFIX`], so planted words stay where they were planted.
#[rustfmt::skip]
pub(crate) const NAME_STARTS: &[&str] = &[
    "Vel", "Tal", "Mor", "Bran", "Cas", "Dor", "El", "Fen", "Gal", "Har", "Is", "Jor", "Kel", "Lun", "Mar", "Nor", "Ost",
    "Pel", "Ram", "Sel", "Tor", "Ul", "Var", "Wes", "Yar", "Zan", "Al", "Ber", "Cor", "Dal", "Er", "Fal", "Gor", "Hel",
    "Il", "Kar", "Lor", "Mel", "Nim", "Or", "Per", "Ros", "Sar", "Thal", "Um", "Vin", "Wil", "Zel", "Ash", "Bel",
];

#[rustfmt::skip]
pub(crate) const NAME_MIDDLES: &[&str] = &[
    "a", "e", "i", "o", "am", "an", "ar", "en", "er", "il", "im", "in", "ol", "on", "or", "um", "av", "ed", "iss", "und",
];

#[rustfmt::skip]
pub(crate) const NAME_ENDS: &[&str] = &[
    "mora", "dale", "wick", "ton", "burg", "ra", "lia", "nia", "mere", "vik", "stad", "ford", "haven", "holm", "dor",
    "gard", "ris", "thal", "ben", "more", "sund", "crest", "lund", "mouth", "noa", "rona", "vira", "zetta", "pool",
    "berg", "heim", "leth", "dona", "tesk", "guld", "marsh",
];

/// Planted words start so, and nothing else does.
pub(crate) const PLANTED_PREFIX: &str = "quor";

/// Rare words whose pages the truth lists.
#[rustfmt::skip]
pub(crate) const PLANTED: &[&str] = &[
    "quorlimb", "quortask", "quorvent", "quormund", "quorzeph", "quorbraxt", "quorfidd", "quorgolm", "quorhusk",
    "quorjadd", "quorkelp", "quornymf", "quorpunt", "quorrift", "quorskarn", "quorwolt",
];
