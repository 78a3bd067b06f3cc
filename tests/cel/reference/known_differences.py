"""Questions about which kumiko and the reference are known to differ, told by the question alone, with the reason.

A difference outside of these fails the comparison."""
import re

TYPE_NAME = (r"\b(bool|bytes|double|int|list|map|null_type|string|type|uint)\b(?!\()|\btype\(|"
             r"google\.protobuf\.\w+(?![\w{])")
LOOP = r"\.(all|exists|exists_one|existsOne|filter|map|optMap|optFlatMap|sortBy|transform\w+)\(|cel\.bind\("

KNOWN = [
    ("the reference takes the variable of a loop over types for the name of a type",
     lambda text: re.search(TYPE_NAME, text) and re.search(LOOP, text)),
    ("days of years beyond 9999, which only a message literal can make",
     lambda text: "Timestamp{seconds: 999999999999}" in text),
    ("map literals whose keys are no scalars; the reference keeps constant ones",
     lambda text: re.search(r"\{\s*[\[{]", text)),
    ("the reference finds no overload of containsCIDR for a block that only the run knows",
     lambda text: "containsCIDR(" in text),
    ("the reference does not look at the key behind [? of an optional that holds nothing",
     lambda text: "optional.none()" in text and "[?" in text),
    ("opaque values compared with null inside optionals; lists that a format's validate() made",
     lambda text: "optional.of(null)" in text or "validate(" in text),
    ("parts of a duration that comes out of a dynamic optional, where the reference finds no overload",
     lambda text: "optional." in text and re.search(r"\.get(Hours|Minutes|Seconds|Milliseconds)\(", text)),
]


def reason(question):
    """Why the answers may differ; "" when they must not."""
    for why, holds in KNOWN:
        if holds(question["expression"]):
            return why
    return ""
