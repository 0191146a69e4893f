# ruff: noqa: E501  # a column is a line, as in CREATE TABLE
"""Gold: what was broken, what could not be judged, and how the runs went."""

from expectations.contract import TableContract, table
from expectations.expect import at_least, in_set, never_matches, not_before, not_empty
from expectations.silver import FINDING_COLUMNS, PLAN_ADDED, SCOPE, UNIT, WHO
from transforms.rules.rule import CATEGORIES, SEVERITIES

# "Accuse only on proof": a default or assumed limit accuses nobody.
UNPROVEN = r"^(?:default:|assumed)"

VIOLATIONS = table(
    TableContract(
        name="gold.violations",
        grain="one rule broken by one subject; by one client, with count and worst case, where its whole release does it",
        key=("violation_id",),
        replaced_by="scope_id",
        clustered_by=("unit_bucket", "unit_id"),
        volatile=frozenset({"detected_at", "run_id", "plan"}),
        added=frozenset({"plan"}),
        columns=f"""
            violation_id  STRING    NOT NULL COMMENT 'sha2-256 of rule_id, subject and first proving event_id; stays through new proof'
            {FINDING_COLUMNS}
            occurrences   BIGINT    NOT NULL COMMENT 'findings folded into this row'
            first_at      TIMESTAMP          COMMENT 'UTC, first occurrence'
            last_at       TIMESTAMP          COMMENT 'UTC, last occurrence'
            worst_ms      BIGINT             COMMENT 'observed_ms of the worst occurrence'
            {WHO}
            {UNIT}
            {SCOPE}
            {PLAN_ADDED}
            detected_at   TIMESTAMP NOT NULL COMMENT 'when the job found it first, by the job''s clock'
            run_id        STRING    NOT NULL COMMENT 'the run that found it'
        """,
        expect=(
            in_set("category", CATEGORIES),
            in_set("severity", SEVERITIES),
            at_least("occurrences", 1),
            not_empty("event_ids", "samples"),
            not_before("last_at", "first_at"),
            never_matches("limit_origin", UNPROVEN),
        ),
    )
)

WITHDRAWALS = table(
    TableContract(
        name="gold.withdrawals",
        grain="one finding that later evidence refuted",
        key=("violation_id", "run_id"),
        clustered_by=("withdrawn_at",),
        volatile=frozenset({"withdrawn_at", "run_id"}),
        columns=f"""
            violation_id STRING    NOT NULL COMMENT 'the id it had in gold.violations'
            rule_id      STRING    NOT NULL COMMENT 'the rule that no longer finds it'
            withdrawn_at TIMESTAMP NOT NULL COMMENT 'by the job''s clock'
            reason       STRING    NOT NULL COMMENT 'what refuted it'
            event_ids    ARRAY<STRING> NOT NULL COMMENT 'the events that had proven it'
            client_id    STRING             COMMENT 'client it had accused'
            {UNIT}
            {SCOPE}
            run_id       STRING    NOT NULL COMMENT 'the run that withdrew it'
        """,
    )
)

UNJUDGED = table(
    TableContract(
        name="gold.unjudged",
        grain="what a rule could not judge, per rule, unit, client and reason",
        key=("scope_id", "rule_id", "unit_id", "incarnation", "client_id", "reason"),
        replaced_by="scope_id",
        clustered_by=("unit_bucket", "unit_id"),
        columns=f"""
            rule_id             STRING NOT NULL COMMENT 'such as kip580.backoff_too_short'
            client_id           STRING          COMMENT 'client.id of the subjects'
            reason              STRING NOT NULL COMMENT 'why they could not be judged, in a few words'
            missing             STRING NOT NULL COMMENT 'the evidence that would settle it'
            subjects            BIGINT NOT NULL COMMENT 'how many subjects'
            first_at            TIMESTAMP       COMMENT 'UTC, the first of them'
            last_at             TIMESTAMP       COMMENT 'UTC, the last of them'
            example_subject_ids ARRAY<STRING> NOT NULL COMMENT 'a few of them'
            {WHO}
            {UNIT}
            incarnation         INT    NOT NULL COMMENT 'which start of the process, from 0'
            {SCOPE}
        """,
        expect=(at_least("subjects", 1),),
    )
)

INCIDENTS = table(
    TableContract(
        name="gold.incidents",
        grain="one thing that went wrong, or looks like it, in on-call language",
        key=("incident_id",),
        replaced_by="scope_id",
        clustered_by=("unit_bucket", "unit_id"),
        volatile=frozenset({"plan"}),
        added=frozenset({"actor", "fingerprint", "parent_incident_id", "tells_more", "places", "plan"}),
        columns=f"""
            incident_id      STRING NOT NULL COMMENT 'sha2-256 of scope, kind and the event it began with'
            kind             STRING NOT NULL COMMENT 'what sort of thing, such as poll_expired'
            started_at       TIMESTAMP       COMMENT 'UTC, by the writer''s clock'
            ended_at         TIMESTAMP       COMMENT 'UTC; null while it goes on, or where the log does not say'
            title            STRING NOT NULL COMMENT 'what happened, to whom'
            cause            STRING NOT NULL COMMENT 'why'
            cause_confidence STRING NOT NULL COMMENT 'proven (a line says it), inferred (computed from lines) or unknown'
            verdict          STRING NOT NULL COMMENT 'broken, as_designed or benign'
            impact           STRING NOT NULL COMMENT 'lost, duplicated, delayed, none or unknown'
            observed_ms      BIGINT          COMMENT 'what the client did'
            limit_ms         BIGINT          COMMENT 'the limit that decided'
            limit_origin     STRING          COMMENT 'named (by its own line), logged, declared, adjusted, default:<version> or assumed'
            advice           STRING NOT NULL COMMENT 'what to do: which setting, to what, at what cost'
            client_ids       ARRAY<STRING> NOT NULL COMMENT 'clients it befell'
            event_ids        ARRAY<STRING> NOT NULL COMMENT 'silver.client_events it is told from, in order'
            subject_ids      ARRAY<STRING> NOT NULL COMMENT 'the rebuilt timers, attempts, batches or sessions it tells of; of the fleet''s its members'
            rule_ids         ARRAY<STRING> NOT NULL COMMENT 'broken rules that are part of it'
            actor            STRING          COMMENT 'who has to act: application, settings, broker, network, nobody or unknown; null in rows that an older version judged'
            fingerprint      STRING          COMMENT 'sha2-256 of kind, broken rule, service, error class and topic: the same for the same trouble of any client; null in rows that an older version judged'
            parent_incident_id STRING        COMMENT 'the fleet''s incident that it is a part of'
            tells_more       ARRAY<STRING>   COMMENT 'what would tell more, a sentence each; null in rows that an older version judged'
            places           ARRAY<STRING>   COMMENT 'what it is about, such as broker:3, address:kafka3:9092, topic:orders or group:billing, and the cluster that it is of; null in rows that an older version judged'
            {WHO}
            {UNIT}
            incarnation      INT    NOT NULL COMMENT 'which start of the process, from 0'
            {SCOPE}
            {PLAN_ADDED}
        """,
        expect=(
            in_set("verdict", ["broken", "as_designed", "benign"]),
            in_set("impact", ["lost", "duplicated", "delayed", "none", "unknown"]),
            in_set("cause_confidence", ["proven", "inferred", "unknown"]),
            in_set("actor", ["application", "settings", "broker", "network", "nobody", "unknown"]),
            not_before("ended_at", "started_at"),
        ),
    )
)

CLIENT_HEALTH = table(
    TableContract(
        name="gold.client_health",
        grain="one client now",
        key=("unit_id", "client_id"),
        replaced_by="unit_id",
        clustered_by=("unit_bucket", "unit_id"),
        volatile=frozenset({"checked_at"}),
        added=frozenset({"client_library"}),
        columns=f"""
            client_id                     STRING    NOT NULL COMMENT 'client.id; of a Streams application, its thread''s client'
            client_kind                   STRING             COMMENT 'producer, consumer, admin, streams, connect or share'
            client_version                STRING             COMMENT 'as its process logged it; null while unknown'
            client_library                STRING             COMMENT 'whose client it is, as silver.client_events has it; null where an earlier release wrote the row'
            group_id                      STRING             COMMENT 'last group seen'
            status                        STRING    NOT NULL COMMENT 'broken (an incident goes on, or broken_semantics was found of late), at_risk (a task''s or a batch''s timer runs), ok, closed (it said so) or unknown (its lines have no time)'
            reason                        STRING             COMMENT 'why it is broken or at risk, in a sentence'
            since_at                      TIMESTAMP          COMMENT 'UTC, since when it is broken or at risk'
            incident_id                   STRING             COMMENT 'the incident that makes it broken'
            violation_id                  STRING             COMMENT 'the violation that makes it broken, where no incident does'
            open_timers                   BIGINT    NOT NULL COMMENT 'rows of gold.open_timers'
            oldest_open_timer_deadline_at TIMESTAMP          COMMENT 'UTC, the next deadline; null where no timer runs'
            longest_poll_gap_ms           BIGINT             COMMENT 'longest gap between polls of its open membership, as far as known'
            max_poll_interval_ms          BIGINT             COMMENT 'the limit of that gap'
            poll_limit_origin             STRING             COMMENT 'where that limit came from'
            by_metrics                    ARRAY<STRING> NOT NULL COMMENT 'what its newest samples warn of, each with its metric: no connection, authentication refused, joins in vain, no heartbeat answered, no time in poll(), a stream thread that stands still'
            warnings                      ARRAY<STRING> NOT NULL COMMENT 'early warnings: what has used up four fifths of its limit, by the job''s clock; and by_metrics'
            violations                    BIGINT    NOT NULL COMMENT 'rows of gold.violations, all categories'
            last_seen_at                  TIMESTAMP          COMMENT 'UTC, last line that names it, by its own clock'
            data_clock_at                 TIMESTAMP          COMMENT 'UTC, last line of its process'
            closed_at                     TIMESTAMP          COMMENT 'UTC, when it said that it ended, where nothing follows'
            silent_since_at               TIMESTAMP          COMMENT 'UTC, last line of a process that should still write and has not for longer than health.silent_minutes, by the job''s clock'
            checked_at                    TIMESTAMP NOT NULL COMMENT 'by the job''s clock, when this row last changed'
            {WHO}
            {UNIT}
        """,
        expect=(in_set("status", ["broken", "at_risk", "ok", "closed", "unknown"]),),
    )
)

OPEN_TIMERS = table(
    TableContract(
        name="gold.open_timers",
        grain="one timer that runs: what has not ended, and when its limit passes",
        key=("kind", "timer_id"),
        replaced_by="unit_id",
        clustered_by=("unit_bucket", "unit_id"),
        volatile=frozenset({"checked_at"}),
        columns=f"""
            timer_id     STRING    NOT NULL COMMENT 'id of the rebuilt timer, batch, session or sequence of waits'
            kind         STRING    NOT NULL COMMENT 'task, batch, poll, session or backoff (until the next attempt is due)'
            client_id    STRING    NOT NULL COMMENT 'client.id'
            subject      STRING             COMMENT 'the task, partition, group or request'
            setting      STRING    NOT NULL COMMENT 'the setting that limits it'
            started_at   TIMESTAMP NOT NULL COMMENT 'UTC, by the client''s clock; of poll and session the last one seen'
            deadline_at  TIMESTAMP NOT NULL COMMENT 'UTC, when its limit passes; the time left is this less the reader''s clock'
            limit_ms     BIGINT    NOT NULL COMMENT 'the limit'
            limit_origin STRING             COMMENT 'named (by its own line), logged, declared, adjusted, default:<version> or assumed'
            attempts     BIGINT             COMMENT 'failures so far, where they are counted'
            checked_at   TIMESTAMP NOT NULL COMMENT 'by the job''s clock, when this row last changed'
            {WHO}
            {UNIT}
        """,
        expect=(
            in_set("kind", ["task", "batch", "poll", "session", "backoff"]),
            not_before("deadline_at", "started_at"),
        ),
    )
)

TABLE_CHECKS = table(
    TableContract(
        name="gold.table_checks",
        grain="one expectation of one table in one run",
        key=("run_id", "table_name", "expectation"),
        clustered_by=("run_id",),
        columns="""
            run_id           STRING  NOT NULL COMMENT 'the run that wrote the rows; of more rows than lake.most_checks those of older runs go, until half are left'
            table_name       STRING  NOT NULL COMMENT 'such as gold.violations'
            expectation      STRING  NOT NULL COMMENT 'what was expected of which columns'
            success          BOOLEAN NOT NULL COMMENT 'whether it held for all rows looked at'
            unexpected_count BIGINT           COMMENT 'rows for which it did not'
            sample           STRING           COMMENT 'some of the offending values or keys, as JSON'
        """,
    )
)

RUNS = table(
    TableContract(
        name="gold.runs",
        grain="one run of a job",
        key=("run_id",),
        clustered_by=("started_at",),
        columns="""
            run_id     STRING    NOT NULL COMMENT 'made by the job when it starts; of more rows than lake.most_runs the older half goes'
            job        STRING    NOT NULL COMMENT 'run or stream'
            started_at TIMESTAMP NOT NULL COMMENT 'by the job''s clock'
            ended_at   TIMESTAMP          COMMENT 'by the job''s clock; null while it runs or where it died'
            status     STRING    NOT NULL COMMENT 'running, done or failed'
            rows_in    BIGINT             COMMENT 'log records and samples read'
            rows_out   BIGINT             COMMENT 'rows written to silver and gold'
            lag_ms     BIGINT             COMMENT 'from the newest record''s time to the end of the run'
        """,
        expect=(
            in_set("status", ["running", "done", "failed"]),
            not_before("ended_at", "started_at"),
        ),
    )
)

NOTIFICATIONS = table(
    TableContract(
        name="gold.notifications",
        grain="one alert that a target took: an incident that fires, is over, or was refuted",
        key=("incident_id", "target", "state"),
        clustered_by=("sent_at",),
        is_added=True,
        added=frozenset({"key"}),
        columns="""
            incident_id STRING    NOT NULL COMMENT 'of gold.incidents'
            key         STRING             COMMENT 'what targets know the alert by: the id of the incident that was told first, where this one goes on as a larger one (one process, then the fleet); null in rows of an earlier release: incident_id'
            target      STRING    NOT NULL COMMENT 'its name in the settings (alerts.targets)'
            state       STRING    NOT NULL COMMENT 'firing, resolved or withdrawn'
            severity    STRING    NOT NULL COMMENT 'page (broken, lost or duplicated) or ticket, as of the first notice'
            service     STRING             COMMENT 'of the incident'
            title       STRING    NOT NULL COMMENT 'as it was sent'
            sent_at     TIMESTAMP NOT NULL COMMENT 'by the job''s clock, when the target took it; what a crash interrupts goes out again'
            attempts    BIGINT    NOT NULL COMMENT 'how often it was tried by this process'
            answer      STRING    NOT NULL COMMENT 'what the target said; or that nothing was sent, as the same alert goes on under its key'
        """,
        expect=(
            in_set("state", ["firing", "resolved", "withdrawn"]),
            in_set("severity", ["page", "ticket"]),
        ),
    )
)
