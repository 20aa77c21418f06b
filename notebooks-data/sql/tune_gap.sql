-- How large is TUNE's gap, and where does it come from? In percent of the super-machine LP, means over instances.
with bound as (
    pivot (select unit, bound, published from 'notebooks-data/tight-bound/bounds.parquet')
    on bound in ('lp', 'config') using first(published)
), value as (
    pivot (select unit, mechanism, value from 'notebooks-data/tight-bound/mechanisms.parquet')
    on mechanism in ('tune', 'opt-deployable') using first(value)
), part as (
    select demand, cpus_per_gpu, lp, least(lp, config) as best, "opt-deployable" as deployable, tune
    from 'notebooks-data/tight-bound/instances.parquet' join bound using (unit) join value using (unit)
)
select
    coalesce(demand, 'all') as demand,
    cpus_per_gpu,
    count(*) as instances,
    round(100 * avg((lp - tune) / lp), 2) as tune_below_lp,
    round(100 * avg((lp - best) / lp), 2) as server_walls,
    round(100 * avg((best - deployable) / lp), 2) as unproved,
    round(100 * avg((deployable - tune) / lp), 2) as heuristic
from part
group by grouping sets ((), (demand), (demand, cpus_per_gpu))
order by demand, cpus_per_gpu nulls first;
