-- Is this line an error or normal?
SELECT i.verdict, i.kind, i.title, i.cause, i.client_ids, i.started_at, i.ended_at, i.incident_id
FROM gold.incidents i
WHERE i.verdict = 'benign'
ORDER BY i.started_at DESC
