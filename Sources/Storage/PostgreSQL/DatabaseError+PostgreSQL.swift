import CPostgreSQL

extension DatabaseError {
    /// Makes the error of a statement that failed, from what libpq returned.
    init(_ action: String, _ name: String, _ result: OpaquePointer?) {
        // Not the detail, which has the values of a row.
        func field(_ field: Character) -> String? {
            PQresultErrorField(result, Int32(field.asciiValue ?? 0)).map { String(cString: $0) }
        }
        let state = field("C")
        // An error that the server has not sent is one of the connection.
        let kind = state.map(Kind.init(state:)) ?? .unreachable
        // The message of a value that does not fit (class 22) repeats it.
        let message = state?.hasPrefix("22") == true ? "a value does not fit" : field("M")
        let reason = message ?? "the connection is lost"
        self.init(kind, action, name, reason: state.map { "\(reason) (\($0))" } ?? reason)
    }

    /// Makes the error of a connection that was not made, from libpq's message of one line for each host.
    ///
    /// libpq has no code for it. What cannot be told by the words may pass by itself.
    init(connectingTo name: String, message: String) {
        let refusals = [
            "authentication failed", "does not exist", "pg_hba.conf", "no password supplied", "permission denied",
        ]
        let kind: Kind = refusals.contains(where: message.contains) ? .refused : .unreachable
        let lines = message.split(separator: "\n").map { $0.trimmingPrefix { $0.isWhitespace } }
        self.init(kind, "connecting to", name, reason: lines.joined(separator: "; "))
    }
}

extension DatabaseError.Kind {
    /// The kind of an SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html).
    fileprivate init(state: String) {
        self =
            switch state {
            case "25006": .readOnly
            case "53100": .full
            case "53300", "55P03", "40001", "40P01", "57014": .busy
            case "42501": .refused
            case "XX001", "XX002": .corrupt
            case _ where state.hasPrefix("23"): .constraint
            case _ where state.hasPrefix("08") || state.hasPrefix("57P") || state == "25P03": .unreachable
            case _ where state.hasPrefix("28") || state.hasPrefix("3D"): .refused
            case _ where state.hasPrefix("58"): .disk
            case _ where state.hasPrefix("53"): .busy
            default: .other
            }
    }
}
