-- Which settings and versions have the processes with a trouble that others of their services have not? Set its kind in `bad`.
WITH bad AS (
  SELECT DISTINCT i.service, i.unit_id FROM gold.incidents i
  WHERE i.kind = 'membership_poll_expired' AND i.scope_id <> 'fleet'
), traits AS (
  SELECT DISTINCT s.service, s.unit_id, s.client_kind || ' setting ' || s.name AS name, s.value
  FROM silver.client_settings s WHERE s.name IN (
    'max.poll.interval.ms', 'session.timeout.ms', 'heartbeat.interval.ms', 'max.poll.records', 'group.protocol',
    'group.instance.id', 'delivery.timeout.ms', 'request.timeout.ms', 'linger.ms', 'retries', 'retry.backoff.ms',
    'retry.backoff.max.ms', 'max.in.flight.requests.per.connection', 'max.block.ms', 'task.timeout.ms',
    'default.api.timeout.ms', 'reconnect.backoff.ms', 'reconnect.backoff.max.ms')
  UNION ALL
  SELECT DISTINCT h.service, h.unit_id, 'version', h.client_version
  FROM gold.client_health h WHERE h.client_version IS NOT NULL
), sided AS (
  SELECT t.name, t.value, t.unit_id, b.unit_id IS NOT NULL AS is_bad
  FROM traits t LEFT JOIN bad b ON b.unit_id = t.unit_id
  WHERE t.service IN (SELECT service FROM bad)
), counted AS (
  SELECT s.name, s.value, COUNT(DISTINCT CASE WHEN s.is_bad THEN s.unit_id END) AS with_it,
         COUNT(DISTINCT CASE WHEN NOT s.is_bad THEN s.unit_id END) AS without_it
  FROM sided s GROUP BY s.name, s.value
), known AS (
  SELECT s.name, COUNT(DISTINCT CASE WHEN s.is_bad THEN s.unit_id END) AS with_any,
         COUNT(DISTINCT CASE WHEN NOT s.is_bad THEN s.unit_id END) AS without_any
  FROM sided s GROUP BY s.name
)
SELECT c.name, c.value, c.with_it, k.with_any, c.without_it, k.without_any
FROM counted c JOIN known k ON k.name = c.name
WHERE k.with_any > 0 AND k.without_any > 0 AND c.with_it * k.without_any > c.without_it * k.with_any
ORDER BY c.with_it * 1.0 / k.with_any - c.without_it * 1.0 / k.without_any DESC, c.name, c.value
