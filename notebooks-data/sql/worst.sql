-- Where is TUNE's gap to the best bound worst? Means over instances in percent, the worst settings first.
with tune as (
    select unit, 100 * min(gap) as gap from 'notebooks-data/gaps/gaps.parquet' where mechanism = 'tune' group by unit
)
select
    memory_gb_per_gpu,
    demand,
    split,
    cpus_per_gpu,
    count(*) as instances,
    round(avg(gap), 2) as mean_gap,
    round(max(gap), 2) as worst_gap,
    round(100 * avg(reverted / placed), 1) as reverted_percent
from tune
join 'notebooks-data/gaps/instances.parquet' using (unit)
join (select unit, reverted, placed from 'notebooks-data/gaps/mechanisms.parquet' where mechanism = 'tune') using (unit)
where memory_gb_per_gpu > 40 -- 31.25 GB, between two grid points, stands apart: see docs/studies.md
group by all
order by mean_gap desc, worst_gap desc
limit 12;
