import java.io.FileReader;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
// since 4.1
import org.apache.kafka.clients.consumer.AcknowledgeType;
// end
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
// since 4.1
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
// end
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
// since 2.8
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;
// end
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small application of Java's clients: `java Client.java SETTINGS`. Settings under `app.` are the application's own.
 * What stands between `since` and `end` is left out for older clients (lab.record.run).
 */
public class Client {
    private static final Logger LOG = LoggerFactory.getLogger("com.example.Orders");
    private static final Properties CONFIG = new Properties();
    private static final Properties APP = new Properties();
    private static final AtomicBoolean STOPPED = new AtomicBoolean();
    private static final long BEGUN = System.nanoTime();
    private static PrintWriter events;

    public static void main(String[] args) throws Exception {
        Properties given = new Properties();
        given.load(new FileReader(args[0]));
        for (String name : given.stringPropertyNames()) {
            boolean isApp = name.startsWith("app.");
            (isApp ? APP : CONFIG).put(isApp ? name.substring(4) : name, given.getProperty(name));
        }
        events = new PrintWriter(Files.newBufferedWriter(Path.of(APP.getProperty("events"))), true);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> STOPPED.set(true)));
        String mode = APP.getProperty("mode");
        note("start", "\"mode\":\"" + mode + "\"");
        try {
            switch (mode) {
                case "producer" -> produce();
                // since 4.1
                case "share" -> share();
                // end
                // since 2.8
                case "streams" -> streams();
                // end
                default -> consume();
            }
        } catch (Exception died) {
            LOG.error("died", died);
            note("died", failure(died));
        }
        note("end", "");
        events.close();
        System.exit(0);
    }

    private static void note(String event, String more) {
        String at = Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
        if (at.length() == 20) {
            at = at.substring(0, 19) + ".000Z";
        }
        synchronized (events) {
            events.println("{\"t\":\"" + at + "\",\"event\":\"" + event + "\"" + (more.isEmpty() ? "" : "," + more) + "}");
        }
    }

    private static String failure(Throwable thrown) {
        String text = thrown.toString().replace("\\", "\\\\").replace("\"", "'").replace("\n", " ");
        return "\"exc\":\"" + text + "\"";
    }

    private static long sinceMs() {
        return (System.nanoTime() - BEGUN) / 1_000_000;
    }

    private static boolean isOn() {
        return !STOPPED.get() && sinceMs() < Long.parseLong(APP.getProperty("run_ms"));
    }

    /** Pairs of when (ms after the start) and how long (ms) the application is slow. */
    private static Deque<long[]> slow() {
        Deque<long[]> found = new ArrayDeque<>();
        for (String pair : APP.getProperty("slow", "").split(",")) {
            if (!pair.isBlank()) {
                String[] parts = pair.split(":");
                found.add(new long[] {Long.parseLong(parts[0]), Long.parseLong(parts[1])});
            }
        }
        return found;
    }

    private static void beSlow(Deque<long[]> slow) throws InterruptedException {
        if (!slow.isEmpty() && sinceMs() > slow.peek()[0]) {
            long ms = slow.poll()[1];
            note("processing_slow", "\"ms\":" + ms);
            Thread.sleep(ms);
        }
    }

    private static void consume() throws InterruptedException {
        KafkaConsumer<String, String> consumer =
            new KafkaConsumer<>(CONFIG, new StringDeserializer(), new StringDeserializer());
        note("constructed", "");
        consumer.subscribe(List.of(APP.getProperty("topic")), new ConsumerRebalanceListener() {
            private void tell(String what, Collection<TopicPartition> partitions) {
                String all = partitions.stream().map(one -> "\"" + one + "\"").collect(Collectors.joining(","));
                note(what, "\"partitions\":[" + all + "]");
            }

            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                tell("assigned", partitions);
            }

            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                tell("revoked", partitions);
            }

            public void onPartitionsLost(Collection<TopicPartition> partitions) {
                tell("lost", partitions);
            }
        });
        Deque<long[]> slow = slow();
        boolean isAsync = "async".equals(APP.getProperty("commit"));
        long last = System.nanoTime();
        while (isOn()) {
            long gap = (System.nanoTime() - last) / 1_000_000;
            if (gap > 1000) {
                note("poll_gap", "\"gap_ms\":" + gap);
            }
            last = System.nanoTime();
            try {
                ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(250));
                last = System.nanoTime();
                beSlow(slow);
                if (!records.isEmpty() && isAsync) {
                    consumer.commitAsync();
                } else if (!records.isEmpty()) {
                    consumer.commitSync(Duration.ofSeconds(5));
                }
            } catch (Exception failed) {
                LOG.error("Error while consuming", failed);
                note("call_failed", failure(failed));
                if (failed.toString().contains("Fenced")) {
                    break;
                }
            }
        }
        if (!"true".equals(APP.getProperty("no_close"))) {
            consumer.close(Duration.ofSeconds(5));
            note("closed", "");
        }
    }

    // since 4.1
    private static void share() throws InterruptedException {
        KafkaShareConsumer<String, String> consumer =
            new KafkaShareConsumer<>(CONFIG, new StringDeserializer(), new StringDeserializer());
        note("constructed", "");
        consumer.setAcknowledgementCommitCallback((offsets, thrown) -> {
            if (thrown != null) {
                LOG.error("Acknowledgement failed", thrown);
                note("call_failed", failure(thrown));
            }
        });
        consumer.subscribe(List.of(APP.getProperty("topic")));
        Deque<long[]> slow = slow();
        boolean isExplicit = "explicit".equals(CONFIG.getProperty("share.acknowledgement.mode"));
        while (isOn()) {
            try {
                ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(250));
                note("polled", "\"records\":" + records.count());
                beSlow(slow);
                for (ConsumerRecord<String, String> one : records) {
                    if (isExplicit) {
                        consumer.acknowledge(one, AcknowledgeType.ACCEPT);
                    }
                }
                if (!records.isEmpty()) {
                    consumer.commitSync(Duration.ofSeconds(5)).forEach((partition, thrown) ->
                        thrown.ifPresent(failed -> {
                            LOG.error("Commit failed for {}", partition, failed);
                            note("call_failed", failure(failed));
                        }));
                }
            } catch (Exception failed) {
                LOG.error("Error while consuming", failed);
                note("call_failed", failure(failed));
            }
        }
        consumer.close();
        note("closed", "");
    }
    // end

    private static void produce() throws InterruptedException {
        KafkaProducer<String, String> producer =
            new KafkaProducer<>(CONFIG, new StringSerializer(), new StringSerializer());
        note("constructed", "");
        boolean isTransactional = CONFIG.containsKey("transactional.id");
        long transactionMs = Long.parseLong(APP.getProperty("txn_ms", "0"));
        if (isTransactional) {
            producer.initTransactions();
            note("transactions_initialised", "");
        }
        int parts = Integer.parseInt(APP.getProperty("parts", "1"));
        long pauseMs = Math.round(1000 / Double.parseDouble(APP.getProperty("rate", "4")));
        long begun = 0;
        for (int number = 0; isOn(); number++) {
            try {
                if (isTransactional && begun == 0) {
                    producer.beginTransaction();
                    begun = System.nanoTime();
                    note("transaction_begun", "");
                }
                send(producer, number, number % parts);
                Thread.sleep(pauseMs);
                if (isTransactional && (System.nanoTime() - begun) / 1_000_000 > transactionMs) {
                    begun = 0;
                    producer.commitTransaction();
                    note("transaction_committed", "");
                }
            } catch (Exception failed) {
                LOG.error("Error while producing", failed);
                note("call_failed", failure(failed));
                if (isTransactional) {
                    break;
                }
            }
        }
        producer.close(Duration.ofSeconds(20));
        note("closed", "");
    }

    private static void send(KafkaProducer<String, String> producer, int number, int partition) {
        long sentAt = System.currentTimeMillis();
        String topic = APP.getProperty("topic");
        String place = "\"seq\":" + number + ",\"topic\":\"" + topic + "\",\"partition\":" + partition;
        note("send_call", place + ",\"ms\":" + sentAt);
        producer.send(new ProducerRecord<>(topic, partition, null, "order " + number), (done, thrown) -> {
            String outcome = thrown == null ? "\"outcome\":\"acked\",\"exc\":null" : "\"outcome\":\"failed\"," + failure(thrown);
            note("callback", place + ",\"send_ms\":" + sentAt + "," + outcome);
            if (thrown != null) {
                LOG.error("delivery failed", thrown);
            }
        });
    }

    // since 2.8
    private static void streams() throws InterruptedException {
        StreamsBuilder builder = new StreamsBuilder();
        AtomicInteger left = new AtomicInteger(Integer.parseInt(APP.getProperty("throw_after", "-1")));
        Deque<long[]> slow = slow();
        KStream<String, String> orders = builder.stream(APP.getProperty("topic"));
        KStream<String, String> done = orders.mapValues(value -> {
            if (left.getAndDecrement() == 0) {
                note("threw", "");
                throw new IllegalStateException("order " + value + " can't be read");
            }
            try {
                synchronized (slow) {
                    beSlow(slow);
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            return value;
        });
        String sink = APP.getProperty("sink", "orders-out");
        Produced<String, String> produced = Produced.with(Serdes.String(), Serdes.String());
        // since 4.0
        produced = produced.withStreamPartitioner((topic, key, value, partitions) -> Optional.of(Set.of(0)));
        // end
        done.to(sink, produced);
        CONFIG.put("default.key.serde", Serdes.String().getClass().getName());
        CONFIG.put("default.value.serde", Serdes.String().getClass().getName());
        KafkaStreams streams = new KafkaStreams(builder.build(), CONFIG);
        StreamThreadExceptionResponse response =
            StreamThreadExceptionResponse.valueOf(APP.getProperty("on_exception", "SHUTDOWN_CLIENT"));
        streams.setUncaughtExceptionHandler(thrown -> {
            note("uncaught", failure(thrown));
            return response;
        });
        streams.start();
        note("started", "");
        while (isOn()) {
            Thread.sleep(200);
        }
        streams.close(Duration.ofSeconds(10));
        note("closed", "");
    }
    // end
}
