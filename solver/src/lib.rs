//! GPU-cluster CPU and memory allocation: the two-stage linear program OPT, bounds, and mechanisms.
//!
//! # The problem
//!
//! A cluster has G GPUs, C CPUs and M GB of memory on s servers. Job j needs g_j GPUs, no more and no
//! less, and runs at normalised throughput W_j\[k\] in configuration k, that is with c_k CPUs and m_k GB
//! in all; 1 is the throughput at its GPU-proportional share. Synergy (OSDI '22, section 4.1) finds
//! the best allocation by two linear programs:
//!
//! **Stage one** ([`bounds::lp`]) melts all servers into one super-machine and chooses configurations:
//!
//! ```text
//! max  sum_j w_j sum_k W_j[k] y_{j,k}
//! s.t. sum_j sum_k c_k y_{j,k} <= C,    sum_j sum_k m_k y_{j,k} <= M
//!      sum_k y_{j,k} = 1,               sum_k W_j[k] y_{j,k} >= 1        for every job j
//!      y >= 0
//! ```
//!
//! Its value bounds every fair, complete allocation (Theorem 4.1).
//!
//! **Stage two** ([`placement`]; both stages: [`two_stage`]) puts the chosen (g_j, c*_j, m*_j) on servers; x_{i,j} is the fraction of
//! job j on server i:
//!
//! ```text
//! sum_j g_j x_{i,j} <= gpus_i,  sum_j c*_j x_{i,j} <= cpus_i,  sum_j m*_j x_{i,j} <= memory_i   for every server i
//! sum_i x_{i,j} = 1             for every job j,     x >= 0
//! ```
//!
//! A vertex splits at most 3s jobs over servers.
//!
//! | symbol | meaning | here |
//! | --- | --- | --- |
//! | j | job | index into [`model::Instance::jobs`] |
//! | g_j | GPU demand | [`model::Instance::gpus`], [`model::JobClass::gpus`] |
//! | w_j | weight in the objective | [`model::Instance::objective_weight`] |
//! | k, (c_k, m_k), W_j\[k\] | configuration, its amounts, its throughput | [`model::Configuration`] |
//! | W_j | sensitivity matrix, per GPU | [`model::Profile`] |
//! | (C_g, M_g) | GPU-proportional share | [`model::JobClass::shares`], [`model::JobClass::smallest_share`] |
//! | G; C, M | GPUs; CPUs and memory of the cluster | [`model::Cluster::gpus`]; [`model::Cluster::capacity`] |
//! | s | number of servers | [`model::Cluster::servers`] |
//! | y_{j,k} | choice of stage one | [`bounds::JobChoice::mix`] |
//! | c*_j, m*_j | amounts chosen by stage one | [`bounds::JobChoice::amounts`] |
//! | x_{i,j} | placement of stage two | [`placement::Placement`] |
//! | alpha | fairness floor | [`bounds::BoundOptions::fairness_floor`] |
//!
//! # Layout
//!
//! [`model`] is the data; [`lp`] the programs as data, the solver HiGHS and the certificates; [`bounds`]
//! and [`mechanisms`] have one file for each; [`check`] judges any allocation and shares no code with
//! what made it. Nothing here knows of files, tables, pictures or command lines, reads a clock, or keeps global state.

pub mod bounds;
pub mod check;
pub mod config_lp;
pub mod lp;
pub mod mechanisms;
pub mod model;
pub mod placement;
pub mod status;
pub mod two_stage;
