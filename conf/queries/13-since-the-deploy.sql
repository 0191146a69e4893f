-- Since when is there each trouble, and what had its service not shown before: a version, a start, a value?
-- Changes within ten minutes are one rollout. Whether a trouble was gone and came back the page Incidents says.
WITH changes AS (
  SELECT e.service, MIN(e.happened_at) AS at, 'version ' || e.client_version AS what
  FROM silver.client_events e WHERE e.client_version IS NOT NULL AND e.kind IN ('config_dump', 'lifecycle')
  GROUP BY e.service, e.client_version
  UNION ALL
  SELECT e.service, MIN(e.happened_at), 'start ' || CAST(e.incarnation + 1 AS VARCHAR)
  FROM silver.client_events e WHERE e.kind IN ('config_dump', 'lifecycle')
  GROUP BY e.service, e.incarnation
  UNION ALL
  SELECT s.service, MIN(s.from_at), s.name || '=' || s.value
  FROM silver.client_settings s
  WHERE s.origin IN ('logged', 'declared', 'adjusted') AND s.name IN (
    'max.poll.interval.ms', 'session.timeout.ms', 'heartbeat.interval.ms', 'max.poll.records', 'group.protocol',
    'group.instance.id', 'delivery.timeout.ms', 'request.timeout.ms', 'linger.ms', 'retries', 'retry.backoff.ms',
    'retry.backoff.max.ms', 'max.in.flight.requests.per.connection', 'max.block.ms', 'task.timeout.ms',
    'default.api.timeout.ms', 'reconnect.backoff.ms', 'reconnect.backoff.max.ms')
  GROUP BY s.service, s.client_kind, s.name, s.value
  HAVING COUNT(s.from_at) = COUNT(*)
), classes AS (
  SELECT i.fingerprint, i.service, i.kind, MIN(i.started_at) AS first_at, MAX(i.started_at) AS last_at, COUNT(*) AS times
  FROM gold.incidents i WHERE i.verdict <> 'benign' AND i.started_at IS NOT NULL
  GROUP BY i.fingerprint, i.service, i.kind
), spaced AS (
  SELECT h.service, h.at, h.what,
         CASE WHEN h.at > LAG(h.at) OVER (PARTITION BY h.service ORDER BY h.at, h.what) + INTERVAL '10 minutes' THEN 1 ELSE 0 END AS begins
  FROM changes h
), numbered AS (
  SELECT p.service, p.at, p.what,
         SUM(p.begins) OVER (PARTITION BY p.service ORDER BY p.at, p.what ROWS UNBOUNDED PRECEDING) AS number
  FROM spaced p
), rollouts AS (
  SELECT n.service, n.number, MIN(n.at) AS at, STRING_AGG(n.what, ', ') AS what FROM numbered n GROUP BY n.service, n.number
), before AS (
  SELECT c.fingerprint, MAX(r.number) AS number FROM classes c JOIN rollouts r ON r.service = c.service AND r.at <= c.first_at
  GROUP BY c.fingerprint
)
SELECT c.kind, c.service, c.times, c.first_at, c.last_at, CASE WHEN b.number > 0 THEN 'new' ELSE 'first' END AS state,
       r.at AS since_at, CASE WHEN b.number > 0 THEN r.what END AS since, c.fingerprint
FROM classes c
LEFT JOIN before b ON b.fingerprint = c.fingerprint
LEFT JOIN rollouts r ON r.service = c.service AND r.number = b.number
ORDER BY c.last_at DESC
