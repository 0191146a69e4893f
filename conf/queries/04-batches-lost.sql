-- A batch expired or failed: was the record lost, and which stage ate the time?
SELECT b.client_id, b.topic, b.partition, b.records, b.outcome, b.age_ms, b.delivery_timeout_ms, b.timeout_origin,
       b.in_flight_ms, b.waiting_ms, b.attempts, b.error_class, b.ended_at, b.batch_id
FROM silver.batch_lifetimes b
WHERE b.outcome IN ('expired', 'failed')
ORDER BY b.ended_at DESC
