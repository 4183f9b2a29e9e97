import Operations

extension Configuration {
    /// A logger for a part of the program, with the configured level and format, that writes no secret.
    func logger(_ label: StaticString) -> Logger {
        Logger(label: label, level: logLevel, format: logFormat, secrets: secrets)
    }
}
