"""Names that hold a secret's word, and are told to be of something else by what stands around them."""

from transforms.when_used import when_used

# `string password = 3;` of Protocol Buffers: a field's number.
_FIELD = when_used(r"\b(?:string|bytes|u?int(?:32|64)|bool|repeated|optional)\s[\w.]{1,24} = \d{1,5};")
# Of a shell's environment: where it works.
_FOLDERS = frozenset(("pwd", "oldpwd"))
_FOLDER = when_used(r"(?<=[=:])\s?/[\w./\-]{0,256}(?=[\s,;}\])\"']|\Z)")
# A partition's place: `{tokens-0=5, passwords-1=OffsetAndMetadata{offset=7}}`.
_PARTITION = when_used(r"[\w.\-]*[A-Za-z][\w.\-]*-\d{1,5}")
_OF_PARTITION = when_used(r"(?:=|: ?)(?:-?\d{1,19}(?![\w.])|[A-Z]\w{2,40}[({\[]|\[?[A-Z_]{6,40}(?=[,}\]]))")
# A secret's own name in a cloud: `arn:aws:secretsmanager:us-east-1:123456789012:secret:kafka`.
_ARN = when_used(r"\barn:[\w\-:*/]{1,128}\Z")


def is_of_another(text: str, begin: int, end: int) -> bool:
    """Whether the name at text[begin:end] is a field of a schema, a folder, a topic's partition or a resource."""
    after = text[end : end + 24]
    return (
        (after.startswith((" = ", "=")) and _FIELD.search(text[max(0, begin - 24) : end + 24]) is not None)
        or (text[begin:end].lower() in _FOLDERS and _FOLDER.match(text, end + 1) is not None)
        or (
            after.startswith(("=", ":"))
            and _OF_PARTITION.match(text, end) is not None
            and _PARTITION.fullmatch(text, begin, end) is not None
        )
        or (text[begin - 1 : begin] == ":" and _ARN.search(text, max(0, begin - 160), begin) is not None)
    )
