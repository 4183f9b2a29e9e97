"""Makes what is nearly right out of what is right: bytes, JSON values and frames, as a random generator decides."""

import json

PIECES = [
    b"", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\r\n", b"\r\n\r\n", b"{", b"[", b'"', b"\\", b"\\ud800",
    b"\\u0000", b"null", b"-", b"1e999", b"9" * 400, b"0x10", b"%00", b"%n%n%s", b"../../etc/passwd", "파묘".encode(),
    "ㅎ".encode(), b"'; drop table event; --", b"A" * 70_000, b"[" * 3_000, b'{"a":' * 3_000, b".", b"request.done.x",
]
VALUES = [
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**40, 1e308, -0.0, "", " ", "\x00", "0", "-", "-0", "1.5", "1,000",
    "NaN", "9" * 60, "20240604", "2024-06-04", "2024-02-30", "yesterday", "99999999", "한글", "\u202e", "\ud800", "x" * 5_000, [], {},
    [[]], {"": ""}, "settled", "K", "ranking", "0000000000000001", "9" * 16,
]


def mutate(text, dice):
    """Some bytes changed, left out, doubled, or put in."""
    text = bytearray(text)
    for _ in range(dice.choice([1, 1, 1, 2, 4, 16])):
        place = dice.randrange(len(text) + 1)
        end = min(len(text), place + dice.choice([1, 1, 2, 8, 64]))
        match dice.randrange(5):
            case 0: text[place:end] = bytes(dice.randrange(256) for _ in range(end - place))
            case 1: del text[place:end]
            case 2: text[place:place] = text[place:end] * dice.choice([1, 2, 50])
            case 3: text[place:place] = dice.choice(PIECES)
            case 4: del text[place:]
    return bytes(text)


def mutate_value(value, dice):
    """One place of a JSON value changed."""
    if isinstance(value, dict) and value and dice.random() < 0.85:
        name = dice.choice(list(value))
        changed = dict(value)
        match dice.randrange(6):
            case 0: del changed[name]
            case 1: changed[str(dice.choice(VALUES))] = changed.pop(name)
            case _: changed[name] = mutate_value(value[name], dice)
        return changed
    if isinstance(value, list) and value and dice.random() < 0.85:
        place = dice.randrange(len(value))
        match dice.randrange(6):
            case 0: return value[:place] + value[place + 1:]
            case 1: return value + value[place:] * dice.choice([1, 100])
            case _: return value[:place] + [mutate_value(value[place], dice)] + value[place + 1:]
    return dice.choice(VALUES)


def mutate_json(text, dice):
    """A JSON text with a value changed, and now and then bytes as well; what is no JSON has bytes changed."""
    try:
        value = json.loads(text)
    except ValueError:
        return mutate(text, dice)
    for _ in range(dice.choice([1, 1, 2, 5])):
        value = mutate_value(value, dice)
    changed = json.dumps(value, ensure_ascii=dice.random() < 0.5).encode("utf-8", "surrogatepass")
    return mutate(changed, dice) if dice.random() < 0.2 else changed


def frames(seeds, dice):
    """A message: a seed's frames, each perhaps changed, left out, or doubled."""
    message = list(dice.choice(seeds))
    for place in range(len(message)):
        if dice.random() < 0.6:
            message[place] = mutate_json(message[place], dice)
    match dice.randrange(12):
        case 0: message = message[:1]
        case 1: message = message * dice.choice([2, 40])
        case 2: message.insert(dice.randrange(len(message) + 1), b"")
    return message or [b""]
