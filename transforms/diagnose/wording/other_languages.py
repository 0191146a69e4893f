# ruff: noqa: RUF001  # letters of other scripts are what stands here
"""Words of failing in other languages than English, in which many applications write their own lines."""

# A language a line. From the second letter on where the first is none of ASCII's: RE2 knows those by their bytes alone, and
# so not in both cases; nor does it know the end of a word behind one.
_ALPHABETS = (
    r"fehlgeschlagen|gescheitert|\bk(?:onnte|ann) nicht\b|nicht erreichbar|verweigert|zeit(?:ü|ue)berschreitung|\bfehler\b",
    r"\bno se pu[ed]|\bfall(?:ó|o al|ado|ido)|rechazad|denegad|tiempo de espera agotado|\berror al\b",
    r"chec (?:de|du|lors)\b|chou(?:é|e)\b|\bimpossible de\b|lai [^\n]{0,20}pass(?:é|e)|\berreur\b",
    r"\bfalh(?:a|ou) (?:ao|de|na|no)\b|oi possível|recusad",
    r"\bfallit[oa]\b|\bimpossibile\b|rifiutat|\berrore\b",
    r"nie udało|\bbłąd",
    r"aşarısız|zaman aşımı",
)
_SCRIPTS = (
    r"шибк|е удал|тказано|едоступ|аймаут|ревышен",
    r"失败|失敗|错误|錯誤|异常|超时|逾時|拒绝|拒絕|无法|不可用",
    r"エラー|タイムアウト|できません",
    r"실패|오류|시간 ?초과|거부",
)
FAILING = rf"(?i:{'|'.join(_ALPHABETS)})|{'|'.join(_SCRIPTS)}"
