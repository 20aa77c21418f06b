//! The workbench around `synergy-solver`: instances, comparisons, studies, tables and figures.
//!
//! Data flows one way: workload -> instance -> bounds and mechanisms -> tables -> figures. The
//! binary `synergy` only parses flags and calls what is here.

// Standard streams may be closed or full, where `println!` panics: `files::print` and `files::say` do not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod benchmark;
pub mod commands;
pub mod compare;
pub mod conformance;
pub mod describe;
pub mod error;
pub mod export;
pub mod figures;
pub mod files;
pub mod importers;
pub mod interrupt;
pub mod plugins;
pub mod profiler;
pub mod profiles;
pub mod report;
pub mod reproduce;
pub mod scaffold;
pub mod search;
pub mod simulator;
pub mod statistics;
pub mod study;
pub mod tables;
pub mod text_table;
pub mod trace;
pub mod workload;
