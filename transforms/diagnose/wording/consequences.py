"""What lines of trouble say to have ended by it: a thread, a task, a container."""

from collections.abc import Mapping
from functools import cache

from transforms.diagnose.wording.catalogue import PROGRAM_ENDED
from transforms.diagnose.wording.needed_words import Pattern, PatternIndex
from transforms.diagnose.wording.sentences import sentence

# What lines say to have ended -> a sentence, unless the class itself says it.
ENDED = (
    (
        "connect_task_killed",
        Pattern(
            r"Task threw an uncaught and unrecoverable exception|Task is being killed and will not recover"
        ),
        "It killed the Connect task[ {task}], which does not come back by itself.",
    ),
    (
        "connect_worker_stopped",
        Pattern(r"(?m:^connect-worker-stopped$)"),
        "It stopped the Connect worker, which has to be started again.",
    ),
    (
        "streams_died",
        Pattern(r"sent shutdown request for the entire application"),
        "It shut the whole Streams application down, every instance of it.",
    ),
    (
        "streams_died",
        Pattern(r"(?m:^streams-client-dies$)"),
        "It shut the Streams client down, with all its threads: what they had done since their last commits comes again,"
        " wherever their tasks go.",
    ),
    (
        "streams_died",
        Pattern(r"exception during processing|(?m:^streams-thread-dies(?:-26|-old)?$)"),
        "It ended the Streams thread: what it had done since its last commit comes again, wherever its tasks go.",
    ),
    ("container_stopped", Pattern(r"Fatal consumer exception"), "It stopped the listener container."),
    (
        "process_crashed",
        Pattern(
            r"process was terminated due to an unhandled exception|(?m:^Unhandled exception\. )|\bpanicked at\b"
            r"|(?<!task threw an )(?<!Processor got )\b[Uu]ncaught [Ee]xception\b(?! in (?:REST call|scheduled task))"
            r"|Unhandled 'error' event|[Uu]nhandled promise rejection"
        ),
        "Nothing caught it: it ended the process.",
    ),
    (
        "consumer_crashed",
        Pattern(r"\[Consumer\] Crash: |\bCrash: KafkaJS"),
        "It crashed the consumer[ of group {group_id}], which begins again only where a line says that it restarts.",
    ),
)


def ended_by(kind: str, words: str, known: Mapping[str, str]) -> str:
    """A sentence; empty where the lines say none, or the class of trouble does.

    kind: of the class. words: all that the lines name, and the ids of their messages. known: fields for the sentence.
    """
    if (thread := known.get("uncaught")) and kind != "streams_died":
        return f"Nothing caught it: it ended the thread {thread}."
    low = words.lower()
    for place in sorted(_index().owners(low)):
        of, form, said = ENDED[place]
        if kind not in (of, PROGRAM_ENDED) and form.is_in(words, low):
            return sentence(said, known)
    return ""


@cache
def _index() -> PatternIndex:
    """Most lines say none of it, which is told by all words at once."""
    return PatternIndex((place, form) for place, (_, form, _) in enumerate(ENDED))
