"""A coordinator that aborts transactions before their time is over (KIP-98), with the producer beside it."""

from random import Random

from lab.simulate.line import Line
from lab.simulate.process import Client, Process, start_lines
from lab.simulate.truth import Truth

NOON = 1_767_268_800_000
COORDINATOR = "kafka.coordinator.transaction.TransactionCoordinator"
STATES = "kafka.coordinator.transaction.TransactionStateManager"
PRODUCER = "org.apache.kafka.clients.producer.internals.TransactionManager"
THREAD = "transaction-log-manager-0"
Logs = dict[tuple[str, str], list[Line]]


def _state(named: str, epoch: int, limit: int, state: str, began: int, changed: int, is_record: bool) -> str:
    """As Scala's case class writes it, and as Java's record does (4.2 on)."""
    if is_record:
        before = f"[producerId=7, prevProducerId=7, nextProducerId=-1, producerEpoch={epoch}, lastProducerEpoch=-1, "
        partitions, after = "[orders-0, orders-1]", ", clientTransactionVersion=TV_2]"
    else:
        before = f"(producerId=7, lastProducerId=7, producerEpoch={epoch}, lastProducerEpoch=-1, "
        partitions, after = "HashSet(orders-0, orders-1)", ")"
    return (
        f"[Transaction State Manager 1]: Updating {named}'s transaction state to TxnTransitMetadata{before}"
        f"txnTimeoutMs={limit}, txnState={state}, topicPartitions={partitions}, txnStartTimestamp={began}, "
        f"txnLastUpdateTimestamp={changed}{after} with coordinator epoch 3 for {named} succeeded"
    )


def _early(rng: Random) -> tuple[Logs, Truth]:
    """Some transactions are aborted in time, one is not."""
    named, limit = f"pay-{rng.randint(0, 9)}", rng.choice((10_000, 60_000, 900_000))
    process = Process("shop", "app.log", rng.choice(("3.5.1", "3.9.1", "4.1.1", "4.3.1")))
    settings = {"transactional.id": named, "transaction.timeout.ms": str(limit)}
    lines = start_lines(process, [Client("producer", "pay-1", None, settings)], NOON)
    coordinator: list[Line] = []
    at, is_record = lines[-1].at, rng.random() < 0.5
    ages = [limit + rng.randint(1, 10_000) for _ in range(rng.randint(0, 3))]
    ages.insert(rng.randint(0, len(ages)), rng.randint(50, limit - 2))
    for epoch, age in enumerate(ages):
        at += rng.randint(100, 3_000)
        initialized = (
            f"Initialized transactionalId {named} with producerId 7 and producer epoch {2 * epoch} on partition "
            "__transaction_state-25"
        )
        coordinator.append(
            Line(at, "INFO", COORDINATOR, THREAD, f"[TransactionCoordinator id=1] {initialized}")
        )
        got = f"[Producer clientId=pay-1, transactionalId={named}] ProducerId set to 7 with epoch {2 * epoch}"
        lines.append(Line(at + 2, "INFO", PRODUCER, "kafka-producer-network-thread | pay-1", got))
        began = at + rng.randint(5, 5_000)
        at = began + age
        for when, state in ((began, "ONGOING"), (at, "PREPARE_ABORT")):
            written = state if is_record else {"ONGOING": "Ongoing", "PREPARE_ABORT": "PrepareAbort"}[state]
            text = _state(named, 2 * epoch + (state != "ONGOING"), limit, written, began, when, is_record)
            coordinator.append(Line(when + rng.randint(0, 4), "DEBUG", STATES, THREAD, text))
        done = f"Completed rollback of ongoing transaction for transactionalId {named} due to timeout"
        coordinator.append(Line(at + 5, "INFO", COORDINATOR, THREAD, f"[TransactionCoordinator id=1] {done}"))
    return {("shop", "app.log"): lines, ("broker", "broker.log"): coordinator}, Truth(
        [], {"kip98.aborted_early"}
    )


DEFECTS = {"kip98.aborted_early": _early}
