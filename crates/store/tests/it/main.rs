//! The store as a whole: through crashes, damage, rotation, and in the eyes of other tools.

mod crash;
mod damage;
mod disk;
mod fixture;
mod full_disk;
mod lost;
mod power_cut;
mod properties;
mod rotation;
mod sample;
mod warcio;
