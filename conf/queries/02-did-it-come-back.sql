-- Did it come back, and for how long did it stand still?
SELECT s.client_id, s.group_id, s.outcome, s.ended_at, s.rejoined_at,
       CAST(EXTRACT(EPOCH FROM s.rejoined_at - s.ended_at) * 1000 AS BIGINT) AS away_ms, s.session_id
FROM silver.liveness_sessions s
WHERE s.outcome NOT IN ('open', 'closed')
ORDER BY s.ended_at DESC
