"""Mutates valid bytes, JSON values and frames with a random generator."""

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


def mutate(text, rng):
    """Returns the bytes with some changed, removed, doubled or inserted."""
    text = bytearray(text)
    for _ in range(rng.choice([1, 1, 1, 2, 4, 16])):
        place = rng.randrange(len(text) + 1)
        end = min(len(text), place + rng.choice([1, 1, 2, 8, 64]))
        match rng.randrange(5):
            case 0: text[place:end] = bytes(rng.randrange(256) for _ in range(end - place))
            case 1: del text[place:end]
            case 2: text[place:place] = text[place:end] * rng.choice([1, 2, 50])
            case 3: text[place:place] = rng.choice(PIECES)
            case 4: del text[place:]
    return bytes(text)


def mutate_value(value, rng):
    """Returns a JSON value with one part changed."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        name = rng.choice(list(value))
        changed = dict(value)
        match rng.randrange(6):
            case 0: del changed[name]
            case 1: changed[str(rng.choice(VALUES))] = changed.pop(name)
            case _: changed[name] = mutate_value(value[name], rng)
        return changed
    if isinstance(value, list) and value and rng.random() < 0.85:
        place = rng.randrange(len(value))
        match rng.randrange(6):
            case 0: return value[:place] + value[place + 1:]
            case 1: return value + value[place:] * rng.choice([1, 100])
            case _: return value[:place] + [mutate_value(value[place], rng)] + value[place + 1:]
    return rng.choice(VALUES)


def mutate_json(text, rng):
    """Returns a JSON text with a value changed, sometimes also bytes. A text that is not JSON has bytes changed."""
    try:
        value = json.loads(text)
    except ValueError:
        return mutate(text, rng)
    for _ in range(rng.choice([1, 1, 2, 5])):
        value = mutate_value(value, rng)
    changed = json.dumps(value, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    return mutate(changed, rng) if rng.random() < 0.2 else changed


def frames(seeds, rng):
    """Returns a seed's frames, some of them changed, removed or doubled."""
    message = list(rng.choice(seeds))
    for place in range(len(message)):
        if rng.random() < 0.6:
            message[place] = mutate_json(message[place], rng)
    match rng.randrange(12):
        case 0: message = message[:1]
        case 1: message = message * rng.choice([2, 40])
        case 2: message.insert(rng.randrange(len(message) + 1), b"")
    return message or [b""]
