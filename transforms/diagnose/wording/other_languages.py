# ruff: noqa: RUF001  # letters of other scripts are what stands here
"""Words of failing in other languages than English: of applications, and of operating systems."""

from transforms.sieve import Sieved

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
# What operating systems say of an error, as Java, shells and cmd.exe print it: a system a line, a language each.
_OF_SYSTEMS = {
    "Connection refused": (
        r"Verbindungsaufbau abgelehnt|Connexion refusée|Conexión (?:rehusada|rechazada)|Conexão recusada"
        r"|Connessione rifiutata"
        r"|В соединении отказано|Połączenie odrzucone|Bağlantı reddedildi|拒绝连接|连接被拒绝|拒絕連線"
        r"|接続を拒否されました|연결이 거부됨"
    ),
    "Connection reset by peer": (
        r"Die Verbindung wurde vom Kommunikationspartner zurückgesetzt|Connexion ré-initialisée par le correspondant"
        r"|Conexión reinicializada por la máquina remota|Conexão fechada pela outra ponta"
        r"|Connessione interrotta dal corrispondente"
        r"|Соединение разорвано другой стороной|连接被对(?:方重设|端重置|方重置)"
        r"|接続が相手からリセットされました|상대편이 연결을 끊음"
        r"|[Ee]xisting connection was forcibly closed by the remote host"
        r"|Eine vorhandene Verbindung wurde vom Remotehost geschlossen"
        r"|Une connexion existante a dû être fermée par l.hôte distant"
        r"|Se ha forzado la interrupción de una conexión existente por el host remoto"
        r"|Foi forçado o cancelamento de uma conexão existente pelo host remoto"
        r"|Удал(?:е|ё)нный хост принудительно разорвал существующее подключение"
        r"|远程主机强迫关闭了一个现有的连接|遠端主機已強制關閉一個現存的連線"
        r"|既存の接続はリモート ?ホストに強制的に切断されました|현재 연결은 원격 호스트에 의해 강제로 끊겼습니다"
    ),
    "Connection timed out": (
        r"Die Wartezeit für die Verbindung ist abgelaufen|Connexion terminée par expiration du délai d.attente"
        r"|Expiró el tiempo de conexión|Tempo esgotado para conexão|Время ожидания соединения истекло|连接超时"
        r"|接続がタイムアウトしました|연결 시간 초과"
    ),
    "No route to host": (
        r"Keine Route zum Zielrechner|Aucun chemin d.accès pour atteindre l.hôte cible|Não há rota para o host"
        r"|Нет маршрута до узла|没有到主机的路由|ホストへの経路がありません|호스트로 갈 루트가 없음"
    ),
    "Address already in use": (
        r"Die Adresse wird bereits verwendet|Adresse déjà utilisée|La dirección ya se está usando|Endereço já em uso"
        r"|Indirizzo già in uso|Адрес уже используется|地址已(?:在|被)使用|アドレスは既に使用中です"
        r"|주소가 이미 사용 중입니다"
    ),
    "No space left on device": (
        r"Auf dem Gerät ist kein Speicherplatz mehr verfügbar|Aucun espace disponible sur le périphérique"
        r"|No queda espacio en el dispositivo|Não há espaço disponível no dispositivo|Spazio esaurito sul dispositivo"
        r"|На устройстве не осталось свободного места|设备上没有(?:剩余)?空间|デバイスに空き領域がありません"
        r"|장치에 남은 공간이 없음"
    ),
    "Permission denied": (
        r"Keine Berechtigung|Permission non accordée|Permiso denegado|Permissão negada|Permesso negato"
        r"|Отказано в доступе"
        r"|权限不够|許可がありません|허가 거부"
    ),
    "The process cannot access the file because it is being used by another process": (
        r"Der Prozess kann nicht auf die Datei zugreifen, da sie von einem anderen Prozess verwendet wird"
        r"|Le processus ne peut pas accéder au fichier car ce fichier est utilisé par un autre processus"
        r"|El proceso no (?:tiene acceso al|puede acceder al) archivo porque está siendo utilizado por otro proceso"
        r"|O processo não pode (?:acessar|aceder) o arquivo porque ele está sendo usado por outro processo"
        r"|O arquivo já está sendo usado por outro processo"
        r"|Процесс не может получить доступ к файлу, так как этот файл занят другим процессом"
        r"|另一个程序正在使用此文件，进程无法访问|另一個程序正在使用此檔案，所以?程序無法存取"
        r"|プロセスはファイルにアクセスできません。別のプロセスが使用中です"
        r"|다른 프로세스가 파일을 사용 중이기 때문에 프로세스가 액세스 할 수 없습니다"
    ),
    "Could not find or load main class": (
        r"找不到或无法加载主类|Hauptklasse konnte nicht gefunden oder geladen werden"
        r"|impossible de trouver ou de charger la classe principale"
        r"|メイン・クラスを検出およびロードできませんでした|no se ha encontrado o cargado la clase principal"
    ),
    "The input line is too long": (
        r"Die Eingabezeile ist zu lang|La ligne entrée est trop longue|La línea de entrada es demasiado larga"
        r"|A linha de entrada é (?:muito longa|demasiado longa)|La riga di input è troppo lunga"
        r"|Слишком длинная входная строка"
        r"|Wiersz wejściowy jest za długi|输入行太长|輸入列過長|入力行が長すぎます|입력 줄이 너무 깁니다"
    ),
}
LINE_TOO_LONG = _OF_SYSTEMS["The input line is too long"]
_SAID = Sieved("|".join(f"({said})" for said in _OF_SYSTEMS.values()))
_IN_ENGLISH = tuple(_OF_SYSTEMS)
FAILING = rf"(?i:{'|'.join(_ALPHABETS)})|{'|'.join(_SCRIPTS)}|{LINE_TOO_LONG}"


def in_english(text: str) -> str:
    """A text with what an operating system says of an error in English, as those of Unix do."""
    if _SAID.search(text) is None:
        return text
    return _SAID.regex.sub(lambda found: _IN_ENGLISH[(found.lastindex or 1) - 1], text)
