"""A reference model: small simulators of the clients' state machines, written from the KIPs and Kafka's classes.

They write logs of any layout and version, with the truth of what happened: of healthy clients, of faults that a
client bears as its KIP promises (no finding), and of clients that break one promise each. The simulators import nothing
of `transforms` (test_independence.py), so that both can't be wrong in the same way; only judging.py and the
tests bring the two together.
"""
