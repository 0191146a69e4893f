-- Why was my consumer kicked out, by how many ms, against which limit, and where did that limit come from?
SELECT i.started_at, i.client_ids, i.title, i.cause, i.cause_confidence, i.actor, i.observed_ms, i.limit_ms,
       i.observed_ms - i.limit_ms AS over_ms, i.limit_origin, i.advice, i.incident_id
FROM gold.incidents i
WHERE i.kind LIKE 'membership_%' OR i.kind IN ('poll_too_slow', 'session_timed_out', 'member_fenced', 'member_unknown')
ORDER BY i.started_at DESC
