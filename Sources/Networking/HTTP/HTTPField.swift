internal import Text

/// A query item or a header: a name with a value.
///
/// A secret's value is in the request that is sent and nowhere else: every way of printing a field shows `***`.
public struct HTTPField: Hashable, Sendable {
    /// The name, sent as it is.
    public let name: String
    /// The value, not yet percent-encoded.
    public let value: String
    /// Whether the value must never be printed.
    public let isSecret: Bool

    /// Creates a field.
    public init(_ name: String, _ value: String, isSecret: Bool = false) {
        self.name = name
        self.value = value
        self.isSecret = isSecret
    }
}

extension HTTPField: CustomStringConvertible, CustomReflectable {
    /// The field as a header line, with `***` for a secret value.
    public var description: String {
        "\(name): \(isSecret ? Redactor.mark : value)"
    }

    /// The mirror that `dump` prints, with `***` for a secret value.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "value": isSecret ? Redactor.mark : value])
    }
}

extension HTTPField {
    init?(line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let isBlank: (UInt8) -> Bool = { " \t\r\n".utf8.contains($0) }
        var value = line[(colon + 1)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        self.init(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    /// Whether the field has this name, compared in ASCII without case (RFC 9110, 5.1).
    func isNamed(_ name: String) -> Bool {
        self.name.utf8.elementsEqual(name.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// Whether the field is valid as one header line and cannot add another (RFC 9110, 5.1 and 5.5).
    var isSendable: Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
