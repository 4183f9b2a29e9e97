import Operations

extension Configuration {
    /// A logger for a part of the program, with the configured level and format, that writes no secret, these included.
    func logger(_ label: StaticString, secrets others: [Secret] = []) -> Logger {
        Logger(label: label, level: logLevel, format: logFormat, secrets: secrets + others)
    }
}
