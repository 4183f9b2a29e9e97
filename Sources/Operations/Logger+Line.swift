import FoundationEssentials

extension Logger {
    /// One piece of metadata, scrubbed.
    struct Field: Sendable {
        /// What JSON distinguishes.
        enum Value: Sendable {
            case text(String)
            case integer(Int)
            case flag(Bool)

            init(_ value: any CustomStringConvertible, scrubbedBy scrubber: Scrubber) {
                switch value {
                case let integer as Int: self = .integer(integer)
                case let flag as Bool: self = .flag(flag)
                default: self = .text(scrubber.scrub(value.description))
                }
            }
        }

        let key: Key
        let value: Value
    }

    /// A line before it is written.
    struct Line {
        let time: Date
        let level: Level
        let label: StaticString
        let message: StaticString
        let fields: [Field]

        /// The line with its end.
        func written(as format: Format) -> String {
            switch format {
            case .text: text
            case .json: json
            }
        }

        private var text: String {
            let levels = 7
            let name = level.rawValue + String(repeating: " ", count: levels - level.rawValue.utf8.count)
            var line = "\(time.rfc3339) \(name) \(label): \(message)"
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

        private var json: String {
            // Piece by piece: one text made of others is one more text each time.
            var line = ""
            line.reserveCapacity(512)
            line += "{\"time\":\""
            line += time.rfc3339
            line += "\",\"level\":\""
            line += level.rawValue
            line += "\",\"label\":"
            line.append(quoting: label.description)
            line += ",\"message\":"
            line.append(quoting: message.description)
            for field in fields {
                line += ",\""
                line += field.key.rawValue
                line += "\":"
                switch field.value {
                case .text(let text): line.append(quoting: text)
                case .integer(let integer): line += String(integer)
                case .flag(let flag): line += String(flag)
                }
            }
            line += "}\n"
            return line
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
