import FoundationEssentials
import Text

/// Writes one line per event to standard error, as text for people or as JSON for machines.
///
/// The message is a constant and what varies is metadata, so that lines can be searched and counted. Registered secrets
/// are redacted in metadata (`Redactor`), and neither a value nor a label can begin a new line or hide a part of one.
public struct Logger: Sendable {
    /// How much an event matters, and to whom.
    public enum Level: String, CaseIterable, Comparable, Sendable {
        /// For us, affordable in production.
        case debug
        /// For an operator.
        case info
        /// Something is not as it should be, and was dealt with.
        case warning
        /// Something was not done.
        case error

        /// Orders levels by how much they matter.
        public static func < (one: Level, other: Level) -> Bool { one.rank < other.rank }

        private var rank: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .warning: 2
            case .error: 3
            }
        }
    }

    /// How a line is written.
    public enum Format: String, CaseIterable, Sendable {
        /// `2026-11-21T06:23:00.123Z info    worker: chart published date=2024-06-04`
        case text
        /// One JSON object.
        case json
    }

    /// What an event is about; values that are nil are left out.
    public typealias Metadata = KeyValuePairs<Key, (any CustomStringConvertible & Sendable)?>

    private let label: StaticString
    private let level: Level
    private let format: Format
    private let redactor: Redactor
    private let clock: WallClock
    private let write: @Sendable ([UInt8]) -> Void
    /// Redacted only in a line that is written: most loggers of a request write none.
    private var context: [Metadata.Element] = []

    /// Makes a logger; `label` names the part of the program that it speaks for.
    public init(
        label: StaticString, level: Level = .info, format: Format = .text, secrets: [Secret] = [],
        clock: WallClock = .system, write: @escaping @Sendable ([UInt8]) -> Void = writeToStandardError
    ) {
        self.label = label
        self.level = level
        self.format = format
        self.clock = clock
        self.write = write
        redactor = Redactor(secrets.map(\.value))
    }

    /// This logger with more metadata in each of its lines, such as the id of the request in hand.
    public func with(_ metadata: Metadata) -> Logger {
        var logger = self
        logger.context += metadata
        return logger
    }

    /// Logs for us.
    public func debug(_ message: StaticString, _ metadata: @autoclosure () -> Metadata = [:]) {
        log(.debug, message, metadata)
    }

    /// Logs for an operator.
    public func info(_ message: StaticString, _ metadata: @autoclosure () -> Metadata = [:]) {
        log(.info, message, metadata)
    }

    /// Logs what went wrong and was dealt with.
    public func warning(_ message: StaticString, _ metadata: @autoclosure () -> Metadata = [:]) {
        log(.warning, message, metadata)
    }

    /// Logs what was not done.
    public func error(_ message: StaticString, _ metadata: @autoclosure () -> Metadata = [:]) {
        log(.error, message, metadata)
    }

    /// Logs for an operator what happened to many at once, a line for each.
    public func info(_ message: StaticString, each metadata: @autoclosure () -> [Metadata]) {
        guard .info >= level else { return }
        let time = clock.now().rfc3339
        var lines: [UInt8] = []
        for metadata in metadata() {
            let line = line(.info, message, metadata, at: time)
            if !lines.isEmpty, lines.count + line.count > Self.atOnce {
                write(lines)
                lines.removeAll(keepingCapacity: true)
            }
            lines += line
        }
        if !lines.isEmpty { write(lines) }
    }

    /// So many bytes come out of a pipe as they were written, with nobody else's between them (`PIPE_BUF`).
    private static let atOnce = 4_096

    private func log(_ level: Level, _ message: StaticString, _ metadata: () -> Metadata) {
        guard level >= self.level else { return }
        write(line(level, message, metadata(), at: clock.now().rfc3339))
    }

    private func line(_ level: Level, _ message: StaticString, _ metadata: Metadata, at time: String) -> [UInt8] {
        Line(time: time, level: level, label: label, message: message, fields: fields(context) + fields(metadata))
            .written(as: format)
    }

    private func fields(_ metadata: some Sequence<Metadata.Element>) -> [Field] {
        metadata.compactMap { key, value in
            value.map { Field(key: key, value: Field.Value($0, redactedBy: redactor)) }
        }
    }
}
