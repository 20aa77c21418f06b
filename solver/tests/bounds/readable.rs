//! Every program a second time, written to be read, for any solver of `good_lp`. Nothing is pruned,
//! aggregated or warm.

use good_lp::{Expression, ProblemVariables, Solution, Solver, SolverModel, Variable, constraint, variable};
use synergy_solver::model::{AUXILIARY, Configuration, Instance};

/// One variable y for each job of `jobs` and each of its configurations (in each of `groups`).
struct Choice<'a> {
    job: usize,
    group: usize,
    configuration: &'a Configuration,
    y: Variable,
}

fn choices<'a>(
    instance: &'a Instance,
    jobs: &[usize],
    groups: usize,
    whole: bool,
    variables: &mut ProblemVariables,
) -> Vec<Choice<'a>> {
    let mut choices = Vec::new();
    for &job in jobs {
        for group in 0..groups {
            for configuration in &instance.class_of(job).configurations {
                let y = if whole { variable().binary() } else { variable().min(0) };
                choices.push(Choice { job, group, configuration, y: variables.add(y) });
            }
        }
    }
    choices
}

fn sum(terms: impl Iterator<Item = (f64, Variable)>) -> Expression {
    terms.map(|(factor, y)| factor * y).sum()
}

fn value(instance: &Instance, choices: &[Choice]) -> Expression {
    sum(choices.iter().map(|c| (instance.objective_weight(c.job) * c.configuration.throughput, c.y)))
}

/// Stage one, as a linear or as an integer program.
pub fn stage_one<S: Solver>(instance: &Instance, queue: &[usize], floor: f64, whole: bool, solver: S) -> f64 {
    let jobs = instance.runnable(queue);
    let mut variables = ProblemVariables::new();
    let choices = choices(instance, &jobs, 1, whole, &mut variables);
    let objective = value(instance, &choices);
    let mut model = variables.maximise(objective.clone()).using(solver);
    for resource in 0..AUXILIARY {
        let load = sum(choices.iter().map(|c| (c.configuration.amounts[resource], c.y)));
        model.add_constraint(constraint!(load <= instance.cluster().capacity()[resource]));
    }
    for &job in &jobs {
        let of_job = || choices.iter().filter(|c| c.job == job);
        let chosen = sum(of_job().map(|c| (1.0, c.y)));
        // Without a floor a job may hold nothing but its GPUs.
        model.add_constraint(if floor > 0.0 {
            constraint!(chosen == 1.0)
        } else {
            constraint!(chosen <= 1.0)
        });
        model.add_constraint(constraint!(sum(of_job().map(|c| (c.configuration.throughput, c.y))) >= floor));
    }
    model.solve().map(|solution| solution.eval(&objective)).unwrap()
}

/// `lp-skip`.
pub fn skip<S: Solver>(instance: &Instance, queue: &[usize], solver: S) -> f64 {
    let mut variables = ProblemVariables::new();
    let choices = choices(instance, queue, 1, false, &mut variables);
    let objective = value(instance, &choices);
    let mut model = variables.maximise(objective.clone()).using(solver);
    for resource in 0..AUXILIARY {
        let load = sum(choices.iter().map(|c| (c.configuration.amounts[resource], c.y)));
        model.add_constraint(constraint!(load <= instance.cluster().capacity()[resource]));
    }
    let gpus = sum(choices.iter().map(|c| (f64::from(instance.gpus(c.job)), c.y)));
    model.add_constraint(constraint!(gpus <= instance.cluster().gpus() as f64));
    for &job in queue {
        let of_job = choices.iter().filter(|c| c.job == job);
        model.add_constraint(constraint!(sum(of_job.map(|c| (1.0, c.y))) <= 1.0));
    }
    model.solve().map(|solution| solution.eval(&objective)).unwrap()
}

/// `lp-groups`.
pub fn groups<S: Solver>(instance: &Instance, queue: &[usize], solver: S) -> f64 {
    let jobs = instance.runnable(queue);
    let mut variables = ProblemVariables::new();
    let choices = choices(instance, &jobs, instance.cluster().groups().len(), false, &mut variables);
    let objective = value(instance, &choices);
    let mut model = variables.maximise(objective.clone()).using(solver);
    for (h, group) in instance.cluster().groups().iter().enumerate() {
        let in_group = || choices.iter().filter(|c| c.group == h);
        let servers = group.count as f64;
        let gpus = sum(in_group().map(|c| (f64::from(instance.gpus(c.job)), c.y)));
        model.add_constraint(constraint!(gpus <= servers * f64::from(group.gpus)));
        for resource in 0..AUXILIARY {
            let load = sum(in_group().map(|c| (c.configuration.amounts[resource], c.y)));
            model.add_constraint(constraint!(load <= servers * group.capacity[resource]));
        }
    }
    for &job in &jobs {
        let of_job = || choices.iter().filter(|c| c.job == job);
        model.add_constraint(constraint!(sum(of_job().map(|c| (1.0, c.y))) == 1.0));
        model.add_constraint(constraint!(sum(of_job().map(|c| (c.configuration.throughput, c.y))) >= 1.0));
    }
    model.solve().map(|solution| solution.eval(&objective)).unwrap()
}

/// Stage one's least CPU among optimal solutions, then least memory among those: each as an LP with
/// what came before as constraints, loosened by a hair.
pub fn least_resources<S: Solver + Copy>(
    instance: &Instance,
    queue: &[usize],
    solver: S,
) -> [f64; AUXILIARY] {
    let jobs = instance.runnable(queue);
    let optimum = stage_one(instance, queue, 1.0, false, solver);
    let mut least = Vec::new();
    for minimised in 0..AUXILIARY {
        let mut variables = ProblemVariables::new();
        let choices = choices(instance, &jobs, 1, false, &mut variables);
        let load = |resource: usize| sum(choices.iter().map(|c| (c.configuration.amounts[resource], c.y)));
        let mut model = variables.minimise(load(minimised)).using(solver);
        for resource in 0..AUXILIARY {
            let capacity = instance.cluster().capacity()[resource];
            let known = least.get(resource).map_or(capacity, |&l: &f64| (l + 1e-7 * l).min(capacity));
            model.add_constraint(constraint!(load(resource) <= known));
        }
        model.add_constraint(constraint!(value(instance, &choices) >= optimum - 1e-7 * optimum));
        for &job in &jobs {
            let of_job = || choices.iter().filter(|c| c.job == job);
            model.add_constraint(constraint!(sum(of_job().map(|c| (1.0, c.y))) == 1.0));
            model
                .add_constraint(constraint!(sum(of_job().map(|c| (c.configuration.throughput, c.y))) >= 1.0));
        }
        least.push(model.solve().map(|solution| solution.eval(load(minimised))).unwrap());
    }
    least.try_into().unwrap()
}
