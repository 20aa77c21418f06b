//! Local search that merges fragments, on any placement: it places the servers that share fragmented
//! jobs anew, with some others whose jobs they may trade, and keeps what has fewer pieces.
//!
//! Servers tied to each other by fragmented jobs form a component. The jobs of a component are on its
//! servers only, so it can be placed anew on its own, and so can any union of components. When
//! a resource is full, a component of n servers cannot shed a piece within itself once every way to
//! balance it is tried; with a few more servers there are more ways.

use super::bisection::{Bisection, Effort, Tree};
use super::{Placement, PlacementMethod, RESOURCES, Shape, Share, StageTwo};
use rayon::prelude::*;

/// Unions of components that are placed anew: so many at least, and so many for every piece. In proportion to the
/// pieces, the time is in proportion to the cluster.
const ATTEMPTS: usize = 3_000;
const ATTEMPTS_PER_PIECE: usize = 8;
/// Passes over the components that have pieces.
const PASSES: usize = 200;
/// Servers that are placed anew together, beyond the component itself.
const COMPANY: usize = 6;

/// Merges fragments of `placement` as far as a bounded search goes. Never more pieces than before.
pub fn merge_fragments(problem: &StageTwo, placement: &Placement) -> Placement {
    if placement.shares.is_empty() {
        return placement.clone();
    }
    let mut search = Search::new(problem, placement);
    search.run();
    let shares: Vec<Share> = search.servers.into_iter().flatten().collect();
    let merged = Placement::new(shares, false);
    if merged.pieces() < placement.pieces() && merged.violation(problem) <= super::FEASIBILITY_TOLERANCE {
        Placement { status: placement.status, bound: placement.bound, ..merged }
    } else {
        placement.clone()
    }
}

/// A method with the local search after it.
pub struct Merged {
    name: String,
    first: Box<dyn PlacementMethod>,
}

impl Merged {
    /// `first`, then the local search; `name` is that of `first`.
    pub fn new(name: &str, first: Box<dyn PlacementMethod>) -> Self {
        Merged { name: format!("{name}+merge"), first }
    }
}

impl PlacementMethod for Merged {
    fn name(&self) -> &str {
        &self.name
    }

    fn place(&self, problem: &StageTwo) -> Placement {
        merge_fragments(problem, &self.first.place(problem))
    }
}

struct Search<'a> {
    problem: &'a StageTwo,
    /// Shape of every server.
    shape_of: Vec<usize>,
    /// Non-zeros by server.
    servers: Vec<Vec<Share>>,
    random: u64,
}

impl<'a> Search<'a> {
    fn new(problem: &'a StageTwo, placement: &Placement) -> Self {
        let shape_of: Vec<usize> = problem
            .shapes
            .iter()
            .enumerate()
            .flat_map(|(index, shape)| std::iter::repeat_n(index, shape.servers))
            .collect();
        let mut servers = vec![Vec::new(); shape_of.len()];
        for share in &placement.shares {
            servers[share.server as usize].push(*share);
        }
        Search { problem, shape_of, servers, random: 0 }
    }

    fn run(&mut self) {
        // First each component as it is: a vertex ties most servers together, and leaves much to gain.
        let components = self.components();
        let pieces: usize = components.iter().map(|c| c.pieces).sum();
        let alone = components.into_iter().filter(|c| c.pieces > 0).map(|c| (c.servers, 0)).collect();
        self.place_all_anew(alone);
        let mut attempts = ATTEMPTS.max(ATTEMPTS_PER_PIECE * pieces);
        for _ in 0..PASSES {
            let components = self.components();
            let mut unions = self.unions(&components);
            unions.truncate(attempts);
            attempts -= unions.len();
            if unions.is_empty() {
                return;
            }
            self.place_all_anew(unions);
        }
    }

    /// Every component with pieces together with some others, no component twice, each union with the number of an
    /// order to try. Partners are drawn from those of one shape, the ones with most room more often.
    fn unions(&mut self, components: &[Component]) -> Vec<(Vec<usize>, u64)> {
        let mut partners: Vec<Vec<(f64, usize)>> = vec![Vec::new(); self.problem.shapes.len()];
        for (index, component) in components.iter().enumerate() {
            if component.servers.len() <= COMPANY {
                let room = component.servers.iter().map(|&server| self.room(server)).sum::<f64>();
                partners[component.shape].push((room / component.servers.len() as f64, index));
            }
        }
        for of_shape in &mut partners {
            of_shape.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        }
        let mut used = vec![false; components.len()];
        let mut broken: Vec<usize> = (0..components.len()).filter(|&c| components[c].pieces > 0).collect();
        if !broken.is_empty() {
            // Another one comes first each time, as the last find their partners taken.
            let first = self.draw(broken.len());
            broken.rotate_left(first);
        }
        let mut unions = Vec::new();
        for at in broken {
            if used[at] {
                continue;
            }
            used[at] = true;
            let mut servers = components[at].servers.clone();
            let pool = &partners[components[at].shape];
            for _ in 0..1 + self.draw(COMPANY) {
                if pool.is_empty() {
                    break;
                }
                // Of two draws the one with more room.
                let (_, other) = pool[self.draw(pool.len()).min(self.draw(pool.len()))];
                if !used[other] {
                    used[other] = true;
                    servers.extend(&components[other].servers);
                }
            }
            servers.sort_unstable();
            let order = 1 + self.draw(usize::MAX >> 1) as u64;
            unions.push((servers, order));
        }
        unions
    }

    /// What is free on a server, relative to its capacity, over all resources.
    fn room(&self, server: usize) -> f64 {
        let mut load = [0.0; RESOURCES];
        for share in &self.servers[server] {
            super::split::add(&mut load, &self.problem.demands[share.job as usize], share.fraction);
        }
        let capacity = self.problem.shapes[self.shape_of[server]].capacity;
        (0..RESOURCES).filter(|&r| capacity[r] > 0.0).map(|r| 1.0 - load[r] / capacity[r]).sum()
    }

    /// A number below `end`, from a fixed sequence (SplitMix64).
    fn draw(&mut self, end: usize) -> usize {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (super::bisection::scramble(self.random) % end as u64) as usize
    }

    /// Servers tied together by fragmented jobs, by lowest server. Components that span shapes are left out.
    fn components(&self) -> Vec<Component> {
        let mut root: Vec<usize> = (0..self.servers.len()).collect();
        fn find(root: &mut [usize], mut at: usize) -> usize {
            while root[at] != at {
                root[at] = root[root[at]];
                at = root[at];
            }
            at
        }
        let mut seen: Vec<Option<usize>> = vec![None; self.problem.demands.len()];
        let mut pieces = vec![0; self.servers.len()];
        for (server, shares) in self.servers.iter().enumerate() {
            for share in shares {
                match seen[share.job as usize] {
                    None => seen[share.job as usize] = Some(server),
                    Some(first) => {
                        let (a, b) = (find(&mut root, first), find(&mut root, server));
                        root[a.max(b)] = a.min(b);
                        pieces[server] += 1;
                    }
                }
            }
        }
        let mut components: Vec<Component> = Vec::new();
        let mut index = vec![usize::MAX; self.servers.len()];
        for server in 0..self.servers.len() {
            let lowest = find(&mut root, server);
            if index[lowest] == usize::MAX {
                index[lowest] = components.len();
                let shape = self.shape_of[server];
                components.push(Component { servers: Vec::new(), pieces: 0, shape, mixed: false });
            }
            let component = &mut components[index[lowest]];
            component.servers.push(server);
            component.pieces += pieces[server];
            component.mixed |= component.shape != self.shape_of[server];
        }
        components.retain(|component| !component.mixed);
        components
    }

    /// Places disjoint unions anew, each with its order, in parallel; the result does not depend on the threads.
    fn place_all_anew(&mut self, unions: Vec<(Vec<usize>, u64)>) {
        let found: Vec<Option<Vec<Share>>> =
            unions.par_iter().map(|(servers, order)| self.place_anew(servers, *order)).collect();
        for ((servers, _), shares) in unions.iter().zip(found) {
            let Some(shares) = shares else { continue };
            servers.iter().for_each(|&i| self.servers[i].clear());
            for share in shares {
                self.servers[share.server as usize].push(share);
            }
        }
    }

    /// The jobs of these servers, a union of components of one shape, placed anew, where that has fewer non-zeros.
    fn place_anew(&self, servers: &[usize], variant: u64) -> Option<Vec<Share>> {
        let mut jobs: Vec<u32> =
            servers.iter().flat_map(|&i| self.servers[i].iter().map(|share| share.job)).collect();
        let before = jobs.len();
        jobs.sort_unstable();
        jobs.dedup();
        let capacity = self.problem.shapes[self.shape_of[servers[0]]].capacity;
        let sub = StageTwo {
            shapes: vec![Shape { servers: servers.len(), capacity }],
            demands: jobs.iter().map(|&job| self.problem.demands[job as usize]).collect(),
        };
        let effort = if variant == 0 { Effort::FULL } else { Effort::BRIEF };
        let mut shares = Tree::new(&sub, &sub.shapes[0], Bisection::FewPieces, variant, effort).place();
        if shares.len() >= before || !within(&sub, &shares) {
            return None;
        }
        for share in &mut shares {
            share.server = servers[share.server as usize] as u32;
            share.job = jobs[share.job as usize];
        }
        Some(shares)
    }
}

/// Whether these shares keep the capacities of `sub`.
fn within(sub: &StageTwo, shares: &[Share]) -> bool {
    let capacity = sub.shapes[0].capacity;
    let mut loads = vec![[0.0; RESOURCES]; sub.servers()];
    for share in shares {
        super::split::add(
            &mut loads[share.server as usize],
            &sub.demands[share.job as usize],
            share.fraction,
        );
    }
    let slightly = 1.0 + 0.1 * super::FEASIBILITY_TOLERANCE;
    loads.iter().all(|load| (0..RESOURCES).all(|r| load[r] <= capacity[r] * slightly))
}

struct Component {
    servers: Vec<usize>,
    pieces: usize,
    shape: usize,
    mixed: bool,
}
