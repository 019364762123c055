//! The binary as its users meet it: whole commands on the lab's web.

mod browser;
mod command;
mod copies;
mod dedup;
mod demo;
mod graph;
mod import_and_search;
mod inspect;
mod kill_loop;
mod mistakes;
mod ranks;
mod real_sites;
mod small_webs;
mod tiny_web;
mod warc_files;
