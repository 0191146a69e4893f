-- Who triggered the rebalances, did one slow member stall the others, is the group in a loop?
SELECT r.group_id, r.trigger, r.triggered_by, count(*) AS rebalances, max(r.slowest_member) AS a_slowest_member,
       min(r.started_at) AS first_at, max(r.started_at) AS last_at, max(r.generation) AS generation
FROM silver.group_rebalances r
GROUP BY r.group_id, r.trigger, r.triggered_by
ORDER BY rebalances DESC
