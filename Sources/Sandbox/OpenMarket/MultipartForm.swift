import WebServer

/// The parts of a `multipart/form-data` body (RFC 7578).
struct MultipartForm {
    struct Part {
        let name: String
        let bytes: [UInt8]
    }

    let parts: [Part]

    /// Takes a request's body apart; nil if it is no form, or is cut off.
    init?(_ request: WebRequest) {
        let type = request.header("Content-Type") ?? ""
        guard type.lowercased().hasPrefix("multipart/form-data"), let mark = type.firstRange(of: "boundary=") else {
            return nil
        }
        let boundary = type[mark.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" }
        let delimiter = Array("--\(boundary)".utf8)
        guard !boundary.isEmpty else { return nil }
        let body = request.body
        guard body.starts(with: delimiter) else { return nil }
        var parts: [Part] = []
        var position = delimiter.count
        while !body[position...].starts(with: Array("--".utf8)) {
            let rest = body[position...]
            guard rest.starts(with: Array("\r\n".utf8)), let end = rest.firstRange(of: Array("\r\n".utf8) + delimiter),
                let part = Part(rest[(position + 2)..<end.lowerBound])
            else { return nil }
            parts.append(part)
            position = end.upperBound
        }
        self.parts = parts
    }

    /// What the parts called `name` hold.
    func contents(_ name: String) -> [[UInt8]] {
        parts.filter { $0.name == name }.map(\.bytes)
    }
}

extension MultipartForm.Part {
    fileprivate init?(_ bytes: ArraySlice<UInt8>) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        guard let mark = head.firstRange(of: "name=\"") else { return nil }
        name = String(head[mark.upperBound...].prefix { $0 != "\"" })
        self.bytes = Array(bytes[end.upperBound...])
    }
}
