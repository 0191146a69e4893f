"""All scenarios that can be recorded."""

from lab.record.scenario import Scenario
from lab.record.scenarios_java import JAVA
from lab.record.scenarios_rdkafka import RDKAFKA

SCENARIOS: tuple[Scenario, ...] = (*RDKAFKA, *JAVA)
