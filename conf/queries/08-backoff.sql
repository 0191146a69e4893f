-- Does this client back off as KIP-580 says, or hammer the broker?
SELECT v.client_id, v.rule_id, v.category, v.occurrences, v.worst_ms, v.limit_ms, v.explanation, v.violation_id
FROM gold.violations v
WHERE v.kip = 'KIP-580'
ORDER BY v.occurrences DESC
