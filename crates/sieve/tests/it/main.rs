//! All kinds of sieves, through one door.

mod conformance;
mod damage;
mod killed;
mod model;
mod visits;
mod worlds;
