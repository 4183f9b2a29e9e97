import JSONCoding
import Text

extension Logger {
    /// A key with its value, redacted.
    struct Field: Sendable {
        /// A value by its type in JSON.
        enum Value: Sendable {
            case text(String)
            case integer(Int)
            case flag(Bool)

            init(_ value: any CustomStringConvertible, redactedBy redactor: Redactor) {
                switch value {
                case let integer as Int: self = .integer(integer)
                case let flag as Bool: self = .flag(flag)
                // Redacted first: what is cut in the middle of a secret would keep half of it.
                default: self = .text(redactor.redact(value.description).prefix(bytes: Self.textLimit))
                }
            }

            /// The most bytes of a text in a line.
            private static let textLimit = 4 << 10
        }

        let key: Key
        let value: Value
    }

    /// A log line before it is encoded.
    struct Line {
        let time: String
        let level: Level
        let label: StaticString
        let message: StaticString
        let fields: [Field]

        /// Returns the bytes of the line, including its line break.
        func encoded(as format: Format) -> [UInt8] {
            switch format {
            case .text: Array(text.utf8)
            case .json: json
            }
        }

        private var text: String {
            let width = 7  // of the longest level
            let name = level.rawValue + String(repeating: " ", count: width - level.rawValue.utf8.count)
            var line = "\(time) \(name) \(label): \(message)"
            for field in fields {
                line += " \(field.key.rawValue)="
                switch field.value {
                case .text(let text): line += text.needsNoQuotes ? text : text.quoted
                case .integer(let integer): line += String(integer)
                case .flag(let flag): line += String(flag)
                }
            }
            return line + "\n"
        }

        private var json: [UInt8] {
            var json = JSONWriter(capacity: 512)
            json.member("time", time, isFirst: true)
            json.member("level", level.rawValue)
            json.beginMember("label")
            json.appendQuoted(label.description)
            json.beginMember("message")
            json.appendQuoted(message.description)
            for field in fields {
                json.append(UInt8(ascii: ","))
                json.appendText(field.key.rawValue)
                json.append(UInt8(ascii: ":"))
                switch field.value {
                case .text(let text): json.appendQuoted(text)
                case .integer(let integer): json.appendNumber(integer)
                case .flag(let flag): json.appendJSON(flag ? "true" : "false")
                }
            }
            json.endObject()
            json.append(UInt8(ascii: "\n"))
            return json.bytes
        }
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
}

extension String {
    /// The text as a JSON string in quotes, in which unprintable scalars are escaped, too.
    var quoted: String {
        var json = JSONWriter(capacity: utf8.count + 2)
        json.appendQuoted(self)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    /// Appends a string, in which unprintable scalars are escaped, too.
    mutating func appendQuoted(_ text: String) {
        appendText(text, escaping: \.isUnprintable)
    }
}
