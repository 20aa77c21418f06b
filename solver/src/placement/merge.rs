//! Local search that merges fragments, on any placement: it places the servers that share fragmented
//! jobs anew, with some others whose jobs they may trade, and keeps what has fewer pieces.
//!
//! Servers tied to each other by fragmented jobs form a component. The jobs of a component are on its
//! servers only, so it can be placed anew on its own, and so can any union of components. When
//! a resource is full, a component of n servers cannot shed a piece within itself once every way to
//! balance it is tried; with a few more servers there are more ways.

use super::bisection::{Bisection, Effort, Tree};
use super::{Placement, PlacementMethod, RESOURCES, Shape, Share, StageTwo};

/// Unions of components that are placed anew, at most.
const ATTEMPTS: usize = 3_000;
/// Passes over the components that have pieces.
const PASSES: usize = 60;
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
        let mut attempts = 0;
        // First each component as it is: a vertex ties most servers together, and leaves much to gain.
        for component in self.components().iter().filter(|c| c.pieces > 0) {
            self.place_anew(&component.servers, 0);
        }
        for _ in 0..PASSES {
            // What was placed anew in this pass is no component any more; it is looked at in the next.
            let mut components = self.components();
            let broken: Vec<usize> = (0..components.len()).filter(|&c| components[c].pieces > 0).collect();
            if broken.is_empty() {
                return;
            }
            for &at in &broken {
                if components[at].servers.is_empty() {
                    continue;
                }
                if attempts == ATTEMPTS {
                    return;
                }
                attempts += 1;
                let mut chosen = vec![at];
                for _ in 0..1 + self.draw(COMPANY) {
                    let other = self.draw(components.len());
                    let (this, that) = (&components[at], &components[other]);
                    let joins = (1..=COMPANY).contains(&that.servers.len()) && that.shape == this.shape;
                    if joins && !chosen.contains(&other) {
                        chosen.push(other);
                    }
                }
                let mut servers: Vec<usize> =
                    chosen.iter().flat_map(|&c| components[c].servers.iter().copied()).collect();
                servers.sort_unstable();
                let variant = 1 + self.draw(usize::MAX >> 1) as u64;
                if self.place_anew(&servers, variant) {
                    chosen.iter().for_each(|&c| components[c].servers.clear());
                }
            }
        }
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

    /// Places the jobs of these servers, a union of components of one shape, anew; keeps the result
    /// when it has fewer non-zeros, and says whether it did.
    fn place_anew(&mut self, servers: &[usize], variant: u64) -> bool {
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
        let shares = Tree::new(&sub, &sub.shapes[0], Bisection::FewPieces, variant, effort).place();
        if shares.len() >= before || !within(&sub, &shares) {
            return false;
        }
        servers.iter().for_each(|&i| self.servers[i].clear());
        for share in shares {
            let server = servers[share.server as usize];
            let job = jobs[share.job as usize];
            self.servers[server].push(Share { job, server: server as u32, ..share });
        }
        true
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
