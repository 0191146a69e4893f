"""KIP-572, timeouts and retries in Kafka Streams: rules over task timers and what happened instead of them."""

from transforms.rules.kip572 import configs, failures, global_thread, leader, loops, timers

__all__ = ["configs", "failures", "global_thread", "leader", "loops", "timers"]
