//! The binary as its users meet it: whole commands on the lab's web.

mod bench;
mod browser;
mod builds;
mod command;
mod copies;
mod damage;
mod dead_links;
mod dedup;
mod demo;
mod failures;
mod graph;
mod hostile_pages;
mod import_and_search;
mod inspect;
mod kill_loop;
mod manual;
mod mistakes;
mod open_files;
mod pauses;
mod ranks;
mod real_sites;
mod scripted;
mod small_webs;
mod terminal;
mod tiny_web;
mod warc_files;
