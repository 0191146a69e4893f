# ruff: noqa: E501, RUF001  # patterns are written whole; letters of other scripts are what stands here
"""Texts that tell readers what may fail, by their first bytes: guides, tables of symptoms, questions of an exam.

What such a text says of a fault happened to nobody. Lines of a log within it are what they are wherever they stand.
"""

from transforms.parse.lines.timestamps import STAMP
from transforms.when_used import when_used

# Parts that such texts have; those of templates of issues are others ("Possible solution", "Steps to reproduce").
_PARTS = (
    r"(?:(?:common|typical|frequent|likely|potential|observed|key|production) )?(?:symptoms?|(?:root |possible )?causes?|pitfalls"
    r"|(?:timeout )?errors|failures|failure modes?|(?:exact )?error (?:signatures?|messages?|codes?)|baselines"
    r"|troubleshooting(?: steps| guide| checklist)?|diagnos(?:is|tics|tic steps|ing [^\n]{0,40})|(?:step-by-step )?fix(?:es)?"
    r"|resolutions?|remediation|mitigations?|prevention|runbook|playbook|checklist|solutions?|best practices|faqs?"
    r"|(?:question|answer)(?: \d+)?)(?: (?:and|&|\+) \w+(?: \w+)?)?(?: (?:of|for|behind) [^\n]{1,60})?(?: \([^()\n]{1,60}\))?"
    r"|(?:\w[\w'\"-]* ){0,8}interview questions?[^\n]{0,40}"
    r"|reasons (?:for|behind) [^\n]{1,60}|(?:understanding|decoding) the (?:error|issue|problem|message)[^\n]{0,20}"
    r"|(?:\w[\w'\"-]* ){0,8}guide(?: (?:to|for) [^\n]{1,60})?"
    r"|(?:why|when) (?:it|this|that)(?: \w+)? (?:happens|occurs|appears|matters)|what(?:'s| is) (?:actually )?happening"
    r"|the (?:error|issue|problem|symptom)s? you[^\n]{0,20}|how to [^\n]{1,40}|what (?:to (?:check|do)|(?:this|it)(?: error| message)? means)"
    r"|step \d+\b[^\n]{0,40}|verify the fix|(?:reference: )?(?:ab)?normal (?:\w+ ){0,3}log (?:patterns|entries|lines|messages)"
)
_PART = when_used(
    rf"(?im)^[^\w\n]*(?:\d{{1,2}} ?[.)][^\w\n]*)*(?:{_PARTS})[^\w\n]*(?::[^\n]*)?$"
    r"|常见(?:错误|异常|报错|问题|原因|场景)|(?:错误|异常|报错|问题)(?:整理|汇总|大全|集锦)|原因(?:深度)?分析|解决(?:方案|办法|方法)|排查(?:指南|步骤|思路|方法)|错误现象|触发场景"
    r"|よくある|(?:エラー|問題|障害)の(?:原因|対処|解決)|対処法|解決(?:策|方法)|(?:문제|오류) ?(?:원인|해결)|해결 ?방법"
    r"|^[^\w\n]*(?:ursachen?|symptome|lösung(?:en)?|causes (?:courantes|fréquentes|possibles)|symptômes?|dépannage|s[ií]ntomas?"
    r"|causas(?: comunes| comuns| posibles| possíveis)?|solución|solução|respuesta(?: \w+)?|resposta(?: \w+)?|enunciado|[^\n]{0,60}preguntas de entrevista[^\n]{0,40}|симптомы|(?:возможные )?причины|решение"
    r"|руководство (?:по|для) [^\n]{1,80})[^\w\n]*$"
)
# A table's first row, of what is told of each fault.
_TABLE = when_used(
    r"(?im)^(?=[^\n]*\|)[^\n]*?\b(?:symptoms?|causes?|meaning|solution|fix|failure mode|how it manifests)\b[^\n]*\n[|\s:]*-{3}"
)
# What settings are of, as a page of them lists each.
_SETTING = when_used(
    r"(?m)^[ \t]{0,20}(?:[-*] )?Type:[^\n]{0,200}\n[ \t]{0,20}(?:[-*] )?(?:Default|Valid Values|Importance):"
)
# What is said of no one time.
_GENERAL = when_used(
    r"(?i)\b(?:typically|usually|commonly|in most cases|most (?:common|frequent)|among the most|one (?:might|may) (?:encounter|see|get)|(?:occurs?|happens?) (?:when|if)"
    r"|(?:this|these|such|the) (?:error|issue|problem|exception|message|failure|article|guide|page|playbook)s?"
    r" (?:often|occurs?|happens?|means|indicates?|appears?|covers?|explains?|describes?|shows?|investigates?)|these are \W{0,2}(?:(?:ab)?normal|(?:un)?expected))\b"
    r"|以下(?:情况|因素|特征|步骤|几种)|通常(?:表明|是|由|会)|开发者经常|多くの場合|(?i:часто бывает|как правило|обычно)|ほとんどのケース|일반적으로"
)
_READER = when_used(r"(?i)\byou(?:r|'ll|'re)?\b")
# Who tells of what happened to himself.
_ONESELF = when_used(r"\b(?:I|I'm|I've|[Ww]e|[Mm]y|[Oo]ur)\b(?![-.:=_/])|我|私は|저는|제가|\bу меня\b|\bмы\b")
# Kafka's own sentences speak to readers, too.
_OF_KAFKA = when_used(r"You can address this either by[^\n]*|which typically implies that[^\n]*")

# What a log or a trace prints around a message: a client, a class with its package, a frame.
_PRINTED = when_used(r"\bclientId=|(?:\b[a-z_]\w{0,60}\.){2,12}[A-Z][\w$]{0,120}|(?m:^\s+at [\w.$]+\()")
# A heading, of what stands below it. One sign alone is a shell's comment, too.
_HEADING = when_used(r"\s*#{2,6} \w")

# Pieces of code one after the other, as one lists what to look for.
_LISTED = when_used(r"`[^`\n]{1,200}`(?:(?:, ?|、|，| / )(?:and |or )?`[^`\n]{1,200}`){2}")


def is_list(text: str) -> bool:
    """Whether a line lists messages, as who tells what to look for does."""
    return _LISTED.search(text) is not None and STAMP.search(text) is None


def is_bare(text: str) -> bool:
    """Whether a text is what somebody says of a message, as guides quote it: no time, and nothing else that a log prints
    but in a heading."""
    return STAMP.search(text) is None and (_HEADING.match(text) is not None or _PRINTED.search(text) is None)


def is_guide(head: bytes) -> bool:
    """Whether a text that begins like this tells whoever reads it what may fail: it has a part of such texts, and another or
    a word to readers or of what is so in general; and nobody speaks of himself. Or what settings there are."""
    lines = head.decode("utf-8", "ignore").split("\n")
    text = _OF_KAFKA.sub("", "\n".join(line for line in lines if STAMP.search(line) is None))
    if _ONESELF.search(text):
        return False
    parts = len(_PART.findall(text)) + (_TABLE.search(text) is not None)
    signs = sum(pattern.search(text) is not None for pattern in (_GENERAL, _READER))
    return (parts > 0 and parts + signs > 1) or len(_SETTING.findall(text)) > 1
