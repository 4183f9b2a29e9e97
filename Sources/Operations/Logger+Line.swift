import JSONCoding
import Text

extension Logger {
    /// One piece of metadata, redacted.
    struct Field: Sendable {
        /// What JSON distinguishes.
        enum Value: Sendable {
            case text(String)
            case integer(Int)
            case flag(Bool)

            init(_ value: any CustomStringConvertible, redactedBy redactor: Redactor) {
                switch value {
                case let integer as Int: self = .integer(integer)
                case let flag as Bool: self = .flag(flag)
                default: self = .text(redactor.redact(value.description))
                }
            }
        }

        let key: Key
        let value: Value
    }

    /// A line before it is written.
    struct Line {
        let time: String
        let level: Level
        let label: StaticString
        let message: StaticString
        let fields: [Field]

        /// The line with its end.
        func written(as format: Format) -> [UInt8] {
            switch format {
            case .text: Array(text.utf8)
            case .json: json
            }
        }

        private var text: String {
            let levels = 7
            let name = level.rawValue + String(repeating: " ", count: levels - level.rawValue.utf8.count)
            var line = "\(time) \(name) \(label): \(message)"
            for field in fields {
                line += " \(field.key.rawValue)="
                switch field.value {
                case .text(let text): line += text.isPlain ? text : text.quoted
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
    /// Whether the text can stand in a line without quotes.
    fileprivate var isPlain: Bool {
        !isEmpty
            && !unicodeScalars.contains { scalar in
                scalar == "\"" || scalar == "\\" || scalar == "=" || scalar.properties.isWhitespace
                    || scalar.isUnprintable
            }
    }
}
