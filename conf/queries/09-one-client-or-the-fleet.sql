-- One client, one broker, one topic, or the whole fleet? Network, broker, or the application?
SELECT i.scope_id = 'fleet' AS is_fleet, i.kind, i.actor, i.places, i.title, i.started_at, i.ended_at, i.parent_incident_id,
       i.incident_id
FROM gold.incidents i
WHERE i.verdict <> 'benign'
ORDER BY is_fleet DESC, i.started_at DESC
