# ruff: noqa: E501  # a column is a line, as in CREATE TABLE
"""Silver: typed events, samples, effective settings and the rebuilt timers."""

from expectations.contract import TableContract, table
from expectations.expect import at_least, in_set, matches, not_before, not_empty
from transforms.events import KINDS, LIBRARIES
from transforms.parse.metrics.samples import COLLECTOR, PROCESS
from transforms.timers.samples.binding import BOUND, UNBOUND

# Columns that many tables share. Numbers out of a log are BIGINT: a hostile line may name any.
UNIT = """
            unit_id     STRING NOT NULL COMMENT 'process it belongs to: service/instance, or service/instance/container where a record names one'
            unit_bucket INT    NOT NULL COMMENT 'pmod(hash(unit_id), 64): what files are clustered by'
""".strip()
WHO = """
            service     STRING COMMENT 'service, from conf, the record or the folder''s name'
            instance    STRING COMMENT 'instance, from conf, the record or the file''s name'
""".strip()
SCOPE = "scope_id STRING NOT NULL COMMENT 'what was judged together: the unit, group:<group.id>, or fleet: the incidents of all'"
INCARNATION = "incarnation INT NOT NULL COMMENT 'which start of the process, from 0'"
PROOF = "event_ids ARRAY<STRING> NOT NULL COMMENT 'silver.client_events it was rebuilt from, in order'"
CLIENT = "client_id STRING COMMENT 'client.id, as the log names it'"
OF_EPISODE = f"""
            {CLIENT}
            {WHO}
            {UNIT}
            {INCARNATION}
            {PROOF}
""".strip()
PLAN = "plan BIGINT NOT NULL COMMENT 'number of the plan that told it for good; the largest BIGINT while it is open'"
# Of tables that an earlier release wrote without it.
PLAN_ADDED = PLAN.replace(" NOT NULL", "").replace("open'", "open; null in rows that an older version wrote'")
FINDING_COLUMNS = """
            finding_id   STRING    NOT NULL COMMENT 'sha2-256 of rule_id, subject_id and first proving event_id (where none: sample)'
            rule_id      STRING    NOT NULL COMMENT 'such as kip580.backoff_too_short'
            kip          STRING    NOT NULL COMMENT 'such as KIP-580'
            category     STRING    NOT NULL COMMENT 'broken_semantics, departs_from_kip, older_semantics or misconfiguration'
            severity     STRING    NOT NULL COMMENT 'critical, error, warning or info'
            client_id    STRING             COMMENT 'client it is said of'
            subject_id   STRING    NOT NULL COMMENT 'the rebuilt timer, attempt, batch or session that broke it'
            happened_at  TIMESTAMP          COMMENT 'UTC, by the client''s clock'
            observed_ms  BIGINT             COMMENT 'what the client did'
            limit_ms     BIGINT             COMMENT 'the bound it broke'
            limit_origin STRING             COMMENT 'where the bound came from: named, logged, declared or adjusted, or the rule''s own'
            explanation  STRING    NOT NULL COMMENT 'the finding in a sentence'
            event_ids    ARRAY<STRING> NOT NULL COMMENT 'the fewest silver.client_events that prove it, in order'
            samples      ARRAY<STRING> NOT NULL COMMENT 'samples of metrics that prove it, each as UTC time, MBean and attribute=value'
            incarnation  INT       NOT NULL COMMENT 'which start of the process, from 0'
""".strip()

TASK_TIMER_OUTCOMES = ["open", "cleared", "expired", "closed", "unknown"]
BATCH_OUTCOMES = ["expired", "failed", "delivered", "open", "unknown"]
SESSION_OUTCOMES = [
    "open",
    "poll_expired",
    "session_expired",
    "rebalance_expired",
    "fenced",
    "closed",
    "unknown",
]
REBALANCE_OUTCOMES = ["completed", "overtaken", "open", "unknown"]
SETTING_ORIGIN = r"^(?:logged|declared|adjusted|assumed|default:.+)$"

CLIENT_EVENTS = table(
    TableContract(
        name="silver.client_events",
        grain="one typed Kafka event; a record that says two things is two",
        key=("event_id",),
        replaced_by="unit_id",
        clustered_by=("unit_bucket", "unit_id", "ordered_at"),
        added=frozenset({"client_library"}),
        volatile=frozenset({"source"}),
        columns=f"""
            event_id          STRING    NOT NULL COMMENT 'sha2-256 of record_id and its number in the record'
            record_id         STRING    NOT NULL COMMENT 'bronze.log_records it was read from'
            kind              STRING    NOT NULL COMMENT 'what happened, one of the contract''s kinds'
            message_id        STRING    NOT NULL COMMENT 'family of Kafka''s messages, or unrecognized'
            {UNIT}
            {INCARNATION}
            source_id         STRING    NOT NULL COMMENT 'fingerprint of the source''s first KiB'
            source            STRING    NOT NULL COMMENT 'path or topic as read'
            offset            BIGINT    NOT NULL COMMENT 'bytes from the start of the decompressed source to the record'
            line              BIGINT    NOT NULL COMMENT 'first physical line of the record, 1-based'
            position          BIGINT    NOT NULL COMMENT 'order in the source'
            ordered_at        TIMESTAMP          COMMENT 'UTC, largest happened_at in the source so far: the order of events'
            happened_at       TIMESTAMP          COMMENT 'UTC, by the writer''s clock; null where the line has no full time'
            time_origin       STRING    NOT NULL COMMENT 'logged, container or none'
            level             STRING             COMMENT 'as logged'
            client_kind       STRING             COMMENT 'producer, consumer, admin, streams, connect, share or broker'
            client_id         STRING             COMMENT 'client.id, as the log names it'
            group_id          STRING             COMMENT 'group.id'
            group_instance_id STRING             COMMENT 'group.instance.id'
            transactional_id  STRING             COMMENT 'transactional.id'
            member_id         STRING             COMMENT 'member id in the group'
            generation        BIGINT             COMMENT 'generation or member epoch'
            task_id           STRING             COMMENT 'Streams task, such as 0_1'
            thread            STRING             COMMENT 'Streams thread, else the log''s thread'
            topic             STRING             COMMENT 'topic; of several partitions, the first one''s'
            partition         BIGINT             COMMENT 'partition; of several, the first'
            node_id           BIGINT             COMMENT 'broker id as the client numbers it'
            correlation_id    BIGINT             COMMENT 'correlation id of the request'
            api               STRING             COMMENT 'request, such as JOIN_GROUP'
            error_class       STRING             COMMENT 'literally what the line names, without package'
            elapsed_ms        BIGINT             COMMENT 'time passed, as the line says or as follows from the limit'
            limit_ms          BIGINT             COMMENT 'limit that the line names'
            remaining_ms      BIGINT             COMMENT 'time left that the line names'
            attempts_left     BIGINT             COMMENT 'attempts left that the line names'
            client_version    STRING             COMMENT 'version of the client as known at this event'
            client_library    STRING             COMMENT 'whose words it is in: {", ".join(LIBRARIES)} (go: one of Go''s, which one no word tells; unnamed: any client); a broker''s are java; null, as java, in rows that an older version read'
            {WHO}
            benign            STRING             COMMENT 'why a line that looks like an error is normal; null where it is not'
            details           MAP<STRING, STRING> COMMENT 'what has no column: error texts, reasons, a dump''s values'
        """,
        expect=(in_set("kind", KINDS),),
    )
)

CLIENT_SETTINGS = table(
    TableContract(
        name="silver.client_settings",
        grain="the effective value of one setting of one client, while it held",
        key=("unit_id", "incarnation", "client_kind", "client_id", "name", "from_at"),
        replaced_by="unit_id",
        clustered_by=("unit_bucket", "unit_id"),
        columns=f"""
            client_id   STRING             COMMENT 'client.id'
            client_kind STRING             COMMENT 'producer, consumer, admin, streams, connect, share or broker'
            {WHO}
            {UNIT}
            {INCARNATION}
            name        STRING    NOT NULL COMMENT 'setting, such as delivery.timeout.ms'
            value       STRING    NOT NULL COMMENT 'effective value, secrets redacted'
            origin      STRING    NOT NULL COMMENT 'logged, declared, adjusted, default:<version> or assumed'
            from_at     TIMESTAMP          COMMENT 'UTC, from when it held; null: from the start'
            until_at    TIMESTAMP          COMMENT 'UTC, until when; null: to the end'
            event_id    STRING             COMMENT 'the line that says so'
        """,
        expect=(
            matches("origin", SETTING_ORIGIN),
            not_before("until_at", "from_at"),
        ),
    )
)

METRIC_SAMPLES = table(
    TableContract(
        name="silver.metric_samples",
        grain="one attribute of one MBean of one process at one time, whichever collector read it",
        key=("unit_id", "mbean", "attribute", "sampled_at"),
        replaced_by="unit_id",
        clustered_by=("unit_bucket", "unit_id", "sampled_at"),
        volatile=frozenset({"source"}),
        columns=f"""
            sampled_at TIMESTAMP NOT NULL COMMENT 'UTC, when it was read: by the sample, its file''s name, or its file''s or its message''s time'
            source_id  STRING    NOT NULL COMMENT 'fingerprint of the source up to its first sample; of a topic its name''s'
            source     STRING    NOT NULL COMMENT 'path or topic as read'
            offset     BIGINT    NOT NULL COMMENT 'bytes from the start of the decompressed source to the line or document; of a topic a number made of what the message says, so that copies are one'
            item       BIGINT    NOT NULL COMMENT 'number of the response, series or point in that line or document, from 0'
            mbean      STRING    NOT NULL COMMENT 'canonical name: domain:type=... then the other keys sorted; unmapped:type=<metric> where the metric names no MBean of Kafka''s'
            attribute  STRING    NOT NULL COMMENT 'attribute, such as last-poll-seconds-ago'
            value      DOUBLE             COMMENT 'its number; null for NaN, and where it is a text'
            text_value STRING             COMMENT 'its text, where it is none'
            window_shortest_ms BIGINT     COMMENT 'the value tells of at least so long before; null where it is a count since the start or read at the moment'
            window_longest_ms BIGINT      COMMENT 'and of at most so long, by the defaults of metrics.num.samples and metrics.sample.window.ms'
            tags       MAP<STRING, STRING> COMMENT 'the keys of the MBean''s name, unquoted'
            labels     MAP<STRING, STRING> COMMENT 'what the collector added, such as job and instance'
            client_id  STRING             COMMENT 'client.id of the MBean'
            clock      STRING    NOT NULL COMMENT 'whose clock told sampled_at: process (the client''s own, as Jolokia''s) or collector'
            {WHO}
            {UNIT}
        """,
        expect=(in_set("clock", [PROCESS, COLLECTOR]),),
    )
)

METRIC_CLIENTS = table(
    TableContract(
        name="silver.metric_clients",
        grain="one client that metrics name, and the process its samples are evidence for",
        key=("unit_id", "client_id"),
        replaced_by="unit_id",
        clustered_by=("unit_bucket", "unit_id"),
        columns="""
            client_id       STRING NOT NULL COMMENT 'client.id of its MBeans'
            service         STRING NOT NULL COMMENT 'service of the samples'
            process_unit_id STRING          COMMENT 'unit_id of the log whose process it is; null where that can not be told'
            bound_by        STRING NOT NULL COMMENT 'own (one unit with the log), name, client; else why not: no_log, several_logs, several_processes'
            unit_id         STRING NOT NULL COMMENT 'unit_id of its samples'
            unit_bucket     INT    NOT NULL COMMENT 'pmod(hash(unit_id), 64): what files are clustered by'
        """,
        expect=(in_set("bound_by", [*BOUND, *UNBOUND]),),
    )
)

TASK_TIMERS = table(
    TableContract(
        name="silver.task_timers",
        grain="one run of a task's timeout timer",
        key=("timer_id",),
        replaced_by="unit_id",
        clustered_by=("unit_bucket", "unit_id"),
        volatile=frozenset({"plan"}),
        columns=f"""
            timer_id        STRING    NOT NULL COMMENT 'sha2-256 of unit, machine and first event'
            task_id         STRING    NOT NULL COMMENT 'Streams task, such as 0_1'
            thread          STRING             COMMENT 'Streams thread'
            started_at      TIMESTAMP          COMMENT 'UTC, first TimeoutException of the streak'
            started_by      STRING             COMMENT 'what timed out'
            deadline_at     TIMESTAMP          COMMENT 'UTC, started_at + task.timeout.ms'
            task_timeout_ms BIGINT             COMMENT 'task.timeout.ms that held'
            timeout_origin  STRING             COMMENT 'where task_timeout_ms came from'
            attempts        BIGINT    NOT NULL COMMENT 'timeouts seen while it ran, the first included'
            last_attempt_at TIMESTAMP          COMMENT 'UTC, the last of them'
            ended_at        TIMESTAMP          COMMENT 'UTC; null while open or unknown'
            outcome         STRING    NOT NULL COMMENT 'open, cleared, expired, closed or unknown'
            stalled_ms      BIGINT             COMMENT 'start to end, to the last attempt while open'
            is_inferred     BOOLEAN   NOT NULL COMMENT 'true where the start was computed, not logged as such'
            processed       BIGINT             COMMENT 'records the task was seen to process while it ran, by metrics (process-total at DEBUG); null where not sampled'
            thread_processed BIGINT            COMMENT 'records its thread was seen to process while it ran, by metrics'
            {OF_EPISODE}
            {PLAN}
        """,
        expect=(
            in_set("outcome", TASK_TIMER_OUTCOMES),
            not_before("ended_at", "started_at"),
            not_empty("event_ids"),
        ),
    )
)

BACKOFF_ATTEMPTS = table(
    TableContract(
        name="silver.backoff_attempts",
        grain="one retry of one request, batch or call: the wait between a failure and the next send",
        key=("sequence_id", "failures"),
        replaced_by="unit_id",
        clustered_by=("unit_bucket", "unit_id"),
        volatile=frozenset({"plan"}),
        columns=f"""
            sequence_id          STRING    NOT NULL COMMENT 'sha2-256 of unit, machine and first event: the retries of one thing'
            api                  STRING             COMMENT 'request, such as PRODUCE'
            subject              STRING             COMMENT 'what was retried: partition, group, node or call'
            failures             BIGINT    NOT NULL COMMENT 'failures of the sequence before this wait, 1 for the first'
            failed_at            TIMESTAMP          COMMENT 'UTC, the failure'
            sent_at              TIMESTAMP          COMMENT 'UTC, the next send'
            waited_ms            BIGINT             COMMENT 'the wait; where is_lower_bound, at most this'
            is_lower_bound       BOOLEAN   NOT NULL COMMENT 'true where sent_at is unknown: only "too short" can be judged'
            retry_backoff_ms     BIGINT             COMMENT 'retry.backoff.ms that held'
            retry_backoff_max_ms BIGINT             COMMENT 'retry.backoff.max.ms that held'
            shortest_ms          BIGINT             COMMENT 'shortest wait its version could draw; null while unknown'
            longest_ms           BIGINT             COMMENT 'longest wait its version could draw; null while unknown'
            {OF_EPISODE}
            {PLAN}
        """,
        expect=(
            at_least("failures", 1),
            not_before("sent_at", "failed_at"),
            not_empty("event_ids"),
        ),
    )
)

BATCH_LIFETIMES = table(
    TableContract(
        name="silver.batch_lifetimes",
        grain="one producer batch that was retried, failed or expired",
        key=("batch_id",),
        replaced_by="unit_id",
        clustered_by=("unit_bucket", "unit_id"),
        volatile=frozenset({"plan"}),
        columns=f"""
            batch_id            STRING    NOT NULL COMMENT 'sha2-256 of unit, machine and first event'
            topic               STRING             COMMENT 'topic'
            partition           BIGINT             COMMENT 'partition'
            records             BIGINT             COMMENT 'records in the batch'
            created_at          TIMESTAMP          COMMENT 'UTC, creation in the accumulator'
            ended_at            TIMESTAMP          COMMENT 'UTC; null while open or unknown'
            outcome             STRING    NOT NULL COMMENT 'expired, failed, delivered, open or unknown'
            age_ms              BIGINT             COMMENT 'creation to end'
            delivery_timeout_ms BIGINT             COMMENT 'effective delivery.timeout.ms'
            timeout_origin      STRING             COMMENT 'where delivery_timeout_ms came from'
            attempts            BIGINT             COMMENT 'sends seen or implied'
            in_flight_ms        BIGINT             COMMENT 'time in flight'
            waiting_ms          BIGINT             COMMENT 'time waiting in the accumulator'
            error_class         STRING             COMMENT 'what ended it, or the last retry''s error'
            is_inferred         BOOLEAN   NOT NULL COMMENT 'true where the creation was computed from end and age'
            queued_at_most_ms   BIGINT             COMMENT 'by metrics: no batch of its producer was older when it was sent, while this one lived'
            answered_within_ms  BIGINT             COMMENT 'by metrics: no produce request was answered later, while it lived'
            throttled_at_most_ms BIGINT            COMMENT 'by metrics: longest throttling by a broker, while it lived'
            buffer_wait_ms      BIGINT             COMMENT 'by metrics: time that send() waited for memory, while it lived'
            requests_in_flight  BIGINT             COMMENT 'by metrics: requests on their way, at the last sample before it ended'
            {OF_EPISODE}
            {PLAN}
        """,
        expect=(
            in_set("outcome", BATCH_OUTCOMES),
            not_before("ended_at", "created_at"),
            not_empty("event_ids"),
        ),
    )
)

LIVENESS_SESSIONS = table(
    TableContract(
        name="silver.liveness_sessions",
        grain="one membership of a group, from join to end",
        key=("session_id",),
        replaced_by="scope_id",
        clustered_by=("unit_bucket", "unit_id"),
        volatile=frozenset({"plan"}),
        added=frozenset({"plan"}),
        columns=f"""
            session_id           STRING    NOT NULL COMMENT 'sha2-256 of unit, machine and first event'
            group_id             STRING             COMMENT 'group.id'
            member_id            STRING             COMMENT 'member id'
            group_instance_id    STRING             COMMENT 'group.instance.id of a static member'
            generation           BIGINT             COMMENT 'last generation or epoch seen'
            joined_at            TIMESTAMP          COMMENT 'UTC; null where the log begins later'
            ended_at             TIMESTAMP          COMMENT 'UTC; null while open or unknown'
            outcome              STRING    NOT NULL COMMENT 'open, poll_expired, session_expired, rebalance_expired, fenced, closed or unknown'
            last_poll_at         TIMESTAMP          COMMENT 'UTC, last poll() as far as known'
            max_poll_gap_ms      BIGINT             COMMENT 'longest gap between polls as far as known'
            last_heartbeat_at    TIMESTAMP          COMMENT 'UTC, last heartbeat as far as known'
            session_timeout_ms   BIGINT             COMMENT 'session.timeout.ms that held'
            max_poll_interval_ms BIGINT             COMMENT 'max.poll.interval.ms that held'
            rejoined_at          TIMESTAMP          COMMENT 'UTC, when the same client was a member again'
            from_metrics         ARRAY<STRING> NOT NULL COMMENT 'the columns that samples of metrics tell; all others are from lines'
            plus_minus_ms        BIGINT             COMMENT 'how exactly what is from_metrics is known'
            {OF_EPISODE}
            {SCOPE}
            {PLAN_ADDED}
        """,
        expect=(
            in_set("outcome", SESSION_OUTCOMES),
            not_before("ended_at", "joined_at"),
            not_empty("event_ids"),
        ),
    )
)

GROUP_REBALANCES = table(
    TableContract(
        name="silver.group_rebalances",
        grain="one rebalance of one group",
        key=("rebalance_id",),
        replaced_by="scope_id",
        clustered_by=("unit_bucket", "unit_id"),
        volatile=frozenset({"plan"}),
        added=frozenset({"plan"}),
        columns=f"""
            rebalance_id   STRING    NOT NULL COMMENT 'sha2-256 of unit, machine and first event'
            group_id       STRING             COMMENT 'group.id'
            generation     BIGINT             COMMENT 'generation it led to'
            started_at     TIMESTAMP          COMMENT 'UTC'
            ended_at       TIMESTAMP          COMMENT 'UTC; null while open or unknown'
            trigger        STRING             COMMENT 'member_failed, joined, left, metadata_changed, ..., unknown'
            triggered_by   STRING             COMMENT 'member that triggered it'
            slowest_member STRING             COMMENT 'last member to join, where visible'
            outcome        STRING    NOT NULL COMMENT 'completed, overtaken, open or unknown'
            {OF_EPISODE}
            {SCOPE}
            {PLAN_ADDED}
        """,
        expect=(
            in_set("outcome", REBALANCE_OUTCOMES),
            not_before("ended_at", "started_at"),
            not_empty("event_ids"),
        ),
    )
)

FINDINGS = table(
    TableContract(
        name="silver.findings",
        grain="one occurrence of a broken rule, before folding",
        key=("finding_id",),
        replaced_by="scope_id",
        clustered_by=("unit_bucket", "unit_id"),
        volatile=frozenset({"plan"}),
        columns=f"""
            {FINDING_COLUMNS}
            {WHO}
            {UNIT}
            {SCOPE}
            {PLAN}
        """,
        expect=(not_empty("event_ids", "samples"),),
    )
)

UNIT_STATES = table(
    TableContract(
        name="silver.unit_states",
        grain="what the fold of a process knew after an event, so that it can go on from there; and so of its groups, many a row",
        added=frozenset({"groups"}),
        key=("scope_id", "unit_id", "plan"),
        clustered_by=("unit_bucket", "unit_id"),
        volatile=frozenset({"plan", "follows", "state", "settings"}),
        columns=f"""
            {SCOPE}
            {UNIT}
            plan        BIGINT NOT NULL COMMENT 'number of the plan that wrote it'
            follows     BIGINT NOT NULL COMMENT 'plan of the state it went on from, -1 for none: those in between are void'
            code        STRING NOT NULL COMMENT 'digest of what folds: another one voids it'
            settings    STRING NOT NULL COMMENT 'digest of the settings it rests on: others void it'
            ordered_at  TIMESTAMP       COMMENT 'UTC, place of the last event in it'
            source_id   STRING NOT NULL COMMENT 'place of the last event in it'
            position    BIGINT NOT NULL COMMENT 'place of the last event in it'
            event_id    STRING NOT NULL COMMENT 'the last event in it'
            clock       TIMESTAMP       COMMENT 'UTC, largest happened_at of the process'
            groups      ARRAY<STRING>   COMMENT 'of a row of its parts in groups: which groups these are'
            control     STRING          COMMENT 'the events its settings follow from, frozen'
            state       STRING          COMMENT 'the fold, frozen; null where it was too large to keep'
        """,
    )
)
