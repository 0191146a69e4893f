-- Will this retry recover, and when does its limit pass?
SELECT t.client_id, t.kind, t.subject, t.setting, t.started_at, t.deadline_at, t.limit_ms, t.limit_origin, t.attempts
FROM gold.open_timers t
ORDER BY t.deadline_at
