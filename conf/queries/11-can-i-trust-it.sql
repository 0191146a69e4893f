-- Can I trust the answer: what was read, how fresh is it, what could not be judged?
SELECT u.rule_id, u.client_id, u.reason, u.missing, u.subjects, u.first_at, u.last_at
FROM gold.unjudged u
ORDER BY u.subjects DESC
