-- What does mean JCT do with load? Ratios only mean something where both mechanisms keep up; where runs starved, SRTF
-- never got to some long jobs, and the means leave them out.
with point as (
    select policy, mechanism, jobs_per_hour, avg(load_baseline) as load, avg(jct_mean_s) / 3600 as jct_h, max(load_measured) as own,
        count(*) filter (status = 'starved') as starved
    from 'notebooks-data/load/runs.parquet'
    group by all
)
select
    a.policy,
    a.jobs_per_hour,
    round(a.load, 3) as load,
    round(a.jct_h, 2) as proportional_h,
    round(b.jct_h, 2) as tune_h,
    round(a.jct_h / b.jct_h, 2) as ratio,
    case when greatest(a.own, b.own) < 1 then 'both keep up' when b.own < 1 then 'only tune keeps up' else 'neither' end as steady,
    a.starved + b.starved as starved_runs
from point a join point b using (policy, jobs_per_hour)
where a.mechanism = 'proportional' and b.mechanism = 'tune'
order by policy, jobs_per_hour;
