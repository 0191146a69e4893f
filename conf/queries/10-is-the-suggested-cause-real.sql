-- Is the cause that the message suggests the real one?
SELECT i.started_at, i.client_ids, i.title, i.cause, i.cause_confidence, i.tells_more, i.incident_id
FROM gold.incidents i
WHERE i.kind IN ('commit_refused', 'member_unknown', 'producer_fenced', 'auth_broken_off')
ORDER BY i.started_at DESC
