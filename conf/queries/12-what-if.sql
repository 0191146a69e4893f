-- What if a limit had been another: which memberships, batches and task timers would have been kept? Set yours in `asked`.
-- Each by itself; kipwatch what-if also follows a client's memberships and a thread's timers, and says what it would have cost.
WITH asked AS (
  SELECT 'max.poll.interval.ms' AS setting, 600000 AS limit_ms
  UNION ALL SELECT 'session.timeout.ms', 60000
  UNION ALL SELECT 'delivery.timeout.ms', 300000
  UNION ALL SELECT 'task.timeout.ms', 600000
), margins AS (
  SELECT 'max.poll.interval.ms' AS setting, s.session_id AS subject_id, s.service, s.client_id,
         s.max_poll_interval_ms AS had_ms, s.outcome IN ('poll_expired', 'rebalance_expired') AS is_lost,
         CASE WHEN s.outcome NOT IN ('poll_expired', 'rebalance_expired') THEN s.max_poll_gap_ms - 1
              WHEN s.max_poll_gap_ms >= COALESCE(s.max_poll_interval_ms, 0) THEN s.max_poll_gap_ms - 1
              ELSE s.max_poll_interval_ms END AS lost_to_ms,
         CASE WHEN s.outcome NOT IN ('poll_expired', 'rebalance_expired')
              THEN COALESCE(s.max_poll_gap_ms, s.max_poll_interval_ms)
              WHEN s.max_poll_gap_ms >= COALESCE(s.max_poll_interval_ms, 0) THEN s.max_poll_gap_ms END AS kept_from_ms,
         CAST(NULL AS BIGINT) AS kept_to_ms
  FROM silver.liveness_sessions s WHERE s.client_id IS NOT NULL
  UNION ALL
  SELECT 'session.timeout.ms', s.session_id, s.service, s.client_id, s.session_timeout_ms, s.outcome = 'session_expired',
         CASE WHEN s.outcome = 'session_expired' THEN s.session_timeout_ms END,
         CASE WHEN s.outcome = 'session_expired'
              THEN CAST(ROUND(EXTRACT(EPOCH FROM s.rejoined_at - s.last_heartbeat_at) * 1000) AS BIGINT)
              ELSE s.session_timeout_ms END, NULL
  FROM silver.liveness_sessions s WHERE s.client_id IS NOT NULL
  UNION ALL
  SELECT 'delivery.timeout.ms', b.batch_id, b.service, b.client_id, b.delivery_timeout_ms, b.outcome IN ('expired', 'failed'),
         CASE b.outcome WHEN 'expired' THEN COALESCE(b.age_ms, b.delivery_timeout_ms)
              WHEN 'failed' THEN b.delivery_timeout_ms WHEN 'delivered' THEN b.age_ms - 1 END,
         CASE b.outcome WHEN 'delivered' THEN COALESCE(b.age_ms, b.delivery_timeout_ms)
              WHEN 'expired' THEN CAST(ROUND(EXTRACT(EPOCH FROM MIN(d.ended_at) - b.created_at) * 1000) AS BIGINT) + 1200 END, NULL
  FROM silver.batch_lifetimes b
  LEFT JOIN silver.batch_lifetimes d ON d.outcome = 'delivered' AND d.unit_id = b.unit_id AND d.client_id = b.client_id
       AND d.topic = b.topic AND d.partition = b.partition AND d.ended_at >= b.ended_at
  GROUP BY b.batch_id, b.service, b.client_id, b.delivery_timeout_ms, b.outcome, b.age_ms, b.created_at
  UNION ALL
  SELECT 'task.timeout.ms', t.timer_id, t.service, t.client_id, t.task_timeout_ms, t.outcome = 'expired',
         CASE WHEN t.outcome = 'expired' THEN t.stalled_ms - 1
              WHEN NOT t.is_inferred
              THEN CAST(ROUND(EXTRACT(EPOCH FROM t.last_attempt_at - t.started_at) * 1000) AS BIGINT) - 1 END,
         CASE WHEN t.outcome = 'cleared' AND t.is_inferred THEN t.task_timeout_ms
              WHEN t.outcome IN ('cleared', 'closed', 'open') AND NOT t.is_inferred
              THEN CAST(ROUND(EXTRACT(EPOCH FROM t.last_attempt_at - t.started_at) * 1000) AS BIGINT) END,
         CASE WHEN t.outcome = 'closed' THEN t.task_timeout_ms END
  FROM silver.task_timers t
)
SELECT m.setting, a.limit_ms, m.had_ms, m.is_lost AS was_lost,
       CASE WHEN a.limit_ms >= m.kept_from_ms AND a.limit_ms <= COALESCE(m.kept_to_ms, a.limit_ms) THEN 'kept'
            WHEN a.limit_ms <= m.lost_to_ms THEN 'lost' ELSE 'untold' END AS outcome,
       m.lost_to_ms, m.kept_from_ms, m.service, m.client_id, m.subject_id
FROM margins m JOIN asked a ON a.setting = m.setting
ORDER BY m.setting, was_lost DESC, outcome, m.subject_id
