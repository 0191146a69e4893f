"""What Kafka's clients say: messages.yaml compiled, errors, exceptions, contexts, loggers."""
