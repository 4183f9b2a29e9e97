import Concurrency
import FoundationEssentials
import JSONCoding
import Text

/// Writes one line per event to standard error, as text or as JSON.
///
/// The message is constant and the variable parts are metadata, so that lines can be searched and counted. Secrets are
/// redacted in metadata, and unprintable characters are escaped, so that a value cannot forge a line or hide in one.
public struct Logger: Sendable {
    /// The severity of an event.
    public enum Level: String, CaseIterable, Comparable, Sendable {
        /// For developers; cheap enough for production.
        case debug
        /// For operators.
        case info
        /// Something went wrong, and the process has handled it.
        case warning
        /// Something could not be done.
        case error

        /// Orders levels by severity.
        public static func < (one: Level, other: Level) -> Bool { one.rank < other.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The format of a line.
    public enum Format: String, CaseIterable, Sendable {
        /// `2026-11-21T06:23:00.123Z info    worker: chart published date=2024-06-04`
        case text
        /// One JSON object.
        case json
    }

    /// The variable parts of a line; keys with the value nil are left out.
    public typealias Metadata = KeyValuePairs<Key, (any CustomStringConvertible & Sendable)?>

    private let label: StaticString
    private let level: Level
    private let format: Format
    private let redactor: Redactor
    private let wallClock: WallClock
    private let write: @Sendable ([UInt8]) -> Void
    // Redacted only when a line is written: most loggers with a request's metadata write none.
    private var context: [Metadata.Element] = []

    /// Makes a logger.
    public init(
        label: StaticString, level: Level = .info, format: Format = .text, secrets: [Secret] = [],
        wallClock: WallClock = .system, write: (@Sendable ([UInt8]) -> Void)? = nil
    ) {
        self.label = label
        self.level = level
        self.format = format
        self.wallClock = wallClock
        self.write =
            write ?? { lines in
                LogWriter.standardError.write(lines) { count in
                    Self.line(
                        wallClock.now().rfc3339, .warning, label, "log lines were dropped because nobody read them",
                        [(.count, "\(count)", isText: false)], as: format)
                }
            }
        redactor = Redactor(secrets.map(\.value))
    }

    /// Returns a logger that adds metadata to each of its lines, such as the id of a request.
    public func with(_ metadata: Metadata) -> Logger {
        var logger = self
        logger.context += metadata
        return logger
    }

    /// Logs a line for developers.
    public func debug(_ message: StaticString, _ metadata: @autoclosure () -> Metadata = [:]) {
        log(.debug, message, metadata)
    }

    /// Logs a line for operators.
    public func info(_ message: StaticString, _ metadata: @autoclosure () -> Metadata = [:]) {
        log(.info, message, metadata)
    }

    /// Logs something that went wrong and that the process has handled.
    public func warning(_ message: StaticString, _ metadata: @autoclosure () -> Metadata = [:]) {
        log(.warning, message, metadata)
    }

    /// Logs something that could not be done.
    public func error(_ message: StaticString, _ metadata: @autoclosure () -> Metadata = [:]) {
        log(.error, message, metadata)
    }

    /// Logs a line for operators for each element of `metadata`, with few writes.
    public func info(_ message: StaticString, each metadata: @autoclosure () -> [Metadata]) {
        guard .info >= level else { return }
        let time = wallClock.now().rfc3339
        var lines: [UInt8] = []
        for metadata in metadata() {
            let line = line(.info, message, metadata, at: time)
            if !lines.isEmpty, lines.count + line.count > Self.atomicWriteSize {
                write(lines)
                lines.removeAll(keepingCapacity: true)
            }
            lines += line
        }
        if !lines.isEmpty { write(lines) }
    }

    /// The largest write to a pipe that is not mixed with writes of other processes, in bytes (`PIPE_BUF`).
    private static let atomicWriteSize = 4_096

    private func log(_ level: Level, _ message: StaticString, _ metadata: () -> Metadata) {
        guard level >= self.level else { return }
        write(line(level, message, metadata(), at: wallClock.now().rfc3339))
    }

    private func line(_ level: Level, _ message: StaticString, _ metadata: Metadata, at time: String) -> [UInt8] {
        let fields = (context + metadata).compactMap { key, value -> Field? in
            guard let value else { return nil }
            if value is Int || value is Bool { return (key, value.description, isText: false) }
            // Redacted first: what is cut in the middle of a secret would keep half of it.
            return (key, redactor.redact(value.description).prefix(bytes: 4 << 10), isText: true)
        }
        return Self.line(time, level, label, message, fields, as: format)
    }

    // MARK: Lines

    /// A key with its value, redacted; what is no text has no quotes in JSON.
    private typealias Field = (key: Key, value: String, isText: Bool)

    /// Returns the bytes of a line, including its line break.
    private static func line(
        _ time: String, _ level: Level, _ label: StaticString, _ message: StaticString,
        _ fields: [Field], as format: Format
    ) -> [UInt8] {
        switch format {
        case .text:
            let name = level.rawValue + String(repeating: " ", count: 7 - level.rawValue.utf8.count)
            var line = "\(time) \(name) \(label): \(message)"
            for (key, value, _) in fields {
                line += " \(key.rawValue)=\(value.needsNoQuotes ? value : value.quoted)"
            }
            return Array((line + "\n").utf8)
        case .json:
            var json = JSONWriter(capacity: 512)
            json.member("time", time, isFirst: true)
            json.member("level", level.rawValue)
            json.beginMember("label")
            json.appendQuoted(label.description)
            json.beginMember("message")
            json.appendQuoted(message.description)
            for (key, value, isText) in fields {
                json.appendJSON(",\"\(key.rawValue)\":")
                if isText { json.appendQuoted(value) } else { json.appendJSON(value) }
            }
            json.appendJSON("}\n")
            return json.bytes
        }
    }
}

// MARK: - Rate limit

/// Logs events that clients can cause, at most one line per second, so that a flood of them does not fill the disk.
public final class RateLimitedLogger: Sendable {
    private struct State {
        var lastLine: Duration?
        var dropped = 0
    }

    private let logger: Logger
    private let stopwatch: Stopwatch
    private let state = Locked(State())

    /// Makes a limiter in front of `logger`.
    public init(_ logger: Logger, clock: some Clock<Duration> = ContinuousClock()) {
        self.logger = logger
        stopwatch = Stopwatch(clock)
    }

    /// Logs a warning, unless the last line is less than a second old.
    ///
    /// The next line that is logged has the number of those that were not, as `dropped`.
    public func warning(_ message: StaticString, _ metadata: @autoclosure () -> Logger.Metadata) {
        admitted()?.warning(message, metadata())
    }

    /// Logs something that could not be done, unless the last line is less than a second old; see ``warning(_:_:)``.
    public func error(_ message: StaticString, _ metadata: @autoclosure () -> Logger.Metadata) {
        admitted()?.error(message, metadata())
    }

    /// Returns the logger for a line; nil if the line is dropped.
    private func admitted() -> Logger? {
        let dropped = state.withLock { state -> Int? in
            let now = stopwatch.elapsed
            if let last = state.lastLine, now - last < .seconds(1) {
                state.dropped += 1
                return nil
            }
            defer { state = State(lastLine: now) }
            return state.dropped
        }
        return dropped.map { logger.with([.dropped: $0 > 0 ? $0 : nil]) }
    }
}

// MARK: - Keys

extension Logger {
    /// The keys of metadata. They are declared together so that every line uses the same key for the same thing.
    public enum Key: String, CaseIterable, Sendable {
        // The subject of the event.
        case request
        case topic
        case stream
        case sequence
        case epoch
        case event
        case rule
        case alert
        case text
        case sink
        case messageKey
        case movie
        case title
        case date
        case command

        // Addresses, files and processes.
        case service
        case address
        case requests
        case commands
        case events
        case alerts
        case alertCommands
        case http
        case metrics
        case path
        case variable
        case process
        case key

        // The outcome.
        case code
        case kind
        case error
        case status
        case field
        case reason
        case attempt

        // Amounts and durations.
        case count
        case dropped
        case after
    }
}

extension String {
    /// Whether the text can be a value in a text line without quotes.
    fileprivate var needsNoQuotes: Bool {
        !isEmpty
            && !unicodeScalars.contains { scalar in
                scalar == "\"" || scalar == "\\" || scalar == "=" || scalar.properties.isWhitespace
                    || scalar.isUnprintable
            }
    }

    /// The text as a JSON string in quotes, in which unprintable scalars are escaped, too.
    var quoted: String {
        var json = JSONWriter(capacity: utf8.count + 2)
        json.appendQuoted(self)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    /// Appends a string, in which unprintable scalars are escaped, too.
    fileprivate mutating func appendQuoted(_ text: String) {
        appendText(text, escaping: \.isUnprintable)
    }
}
