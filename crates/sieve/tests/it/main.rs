//! All kinds of sieves, through one door.

mod conformance;
mod damage;
mod full_disk;
mod killed;
mod model;
mod visits;
mod worlds;
