extension Duration {
    /// Reads a span as people write it: `90s`, `5m`, `12h`, `3d`; from one second to a thousand days.
    init?(span text: some StringProtocol) {
        guard let unit = text.last, let scale = ["s": 1, "m": 60, "h": 3_600, "d": 86_400][unit],
            let count = Int(text.dropLast()), (1...86_400_000 / scale).contains(count)
        else { return nil }
        self = .seconds(count * scale)
    }

    /// The same in seconds, as dates count.
    var seconds: Double { self / .seconds(1) }
}
