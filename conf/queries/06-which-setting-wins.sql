-- Which setting wins, where does its value come from, and is the configuration contradictory?
SELECT s.client_id, s.name, s.value, s.origin, s.from_at, s.until_at
FROM silver.client_settings s
WHERE s.name IN ('max.poll.interval.ms', 'session.timeout.ms', 'heartbeat.interval.ms', 'request.timeout.ms', 'delivery.timeout.ms',
                 'linger.ms', 'retry.backoff.ms', 'retry.backoff.max.ms', 'task.timeout.ms', 'max.block.ms', 'default.api.timeout.ms')
ORDER BY s.client_id, s.name, s.from_at
