public import FoundationEssentials
public import JSONCoding

/// An HTTP response of any status, with the whole body.
public struct HTTPResponse: Sendable {
    /// The status of the response; after redirects, of the last one.
    public let status: Int
    /// The headers of the response, in the order received; after redirects, of the last one.
    public let headers: [HTTPField]
    /// The body, decompressed.
    public let body: Data
    /// The longest time that a `Retry-After` header asks clients to wait.
    public internal(set) var retryAfter: Duration?

    /// The URL to which the service redirects, without its query, which may hold a secret; nil if it does not redirect,
    /// or the redirect was followed.
    public let redirect: String?

    /// When the service made the response by its own clock, in whole seconds; nil if it does not say so.
    public var date: Date? { self["Date"].flatMap { Date(http: $0) } }

    /// The first value of the header with this name, compared without case.
    public subscript(name: String) -> String? {
        headers.first { $0.isNamed(name) }?.value
    }

    /// Creates a response.
    public init(
        status: Int = 200, headers: [HTTPField] = [], body: Data = Data(), retryAfter: Duration? = nil,
        redirect: String? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.retryAfter = retryAfter
        self.redirect = redirect.map { String($0.prefix { $0 != "?" && $0 != "#" }) }
    }
}

extension HTTPResponse: CustomStringConvertible {
    /// The status and the size. The body may hold secrets or personal data and is not printed.
    public var description: String {
        "\(status), \(body.count) bytes"
    }
}

// MARK: - Reading

extension HTTPResponse {
    /// Whether the body begins with a tag.
    public var isMarkup: Bool { body.firstSign == UInt8(ascii: "<") }

    /// Whether the body is XML and no web page, which may begin as XML does.
    public var isXML: Bool {
        // Nearly every body is JSON, whose beginning need not be searched.
        guard isMarkup else { return false }
        let beginning = String(decoding: body.prefix(1_000), as: UTF8.self).lowercased()
        return !beginning.contains("<html")
            && (beginning.contains("<?xml") || self["Content-Type"]?.lowercased().contains("/xml") == true)
    }

    /// Whether the body is HTML. The label decides only where the bytes do not.
    public var isHTML: Bool {
        if isMarkup { return !isXML }
        guard body.firstSign != nil, !body.beginsLikeJSON else { return false }
        return self["Content-Type"]?.lowercased().hasPrefix("text/html") == true
    }

    /// Whether the status allows that a page in place of data is a notice that goes away by itself, as during maintenance.
    public var mayBeNotice: Bool {
        (200...299).contains(status) || (500...599).contains(status) && !Self.lastingFailures.contains(status)
    }

    var isNotice: Bool { isHTML && mayBeNotice }

    /// The server errors that do not pass by themselves: what is not supported, and a network that demands a login.
    private static let lastingFailures = [501, 505, 511]

    /// Returns the error that the status means where the service sends no better explanation; nil for 200…299.
    ///
    /// - Parameter hasFixedPaths: Whether all paths of the service are known, so that one that is not there means that
    ///   something else answers.
    public func failure(of service: String, hasFixedPaths: Bool = false) -> UpstreamError? {
        let kind: UpstreamError.Kind
        var advice = ""
        switch status {
        case 200...299: return nil
        case 300...399:
            kind = .wrongAddress
            if let redirect { advice = " and redirects to \(redirect): correct the service's address" }
        // 400 is the answer in HTML to plain HTTP at a port for TLS.
        case 400 where hasFixedPaths && isHTML, 421 where hasFixedPaths, 426 where hasFixedPaths,
            404 where hasFixedPaths, 405 where hasFixedPaths, 410 where hasFixedPaths:
            kind = .wrongAddress
            advice = ": it is not the service that is at this address; correct it"
        case 407, 511:
            kind = .wrongAddress
            advice = ": a proxy on the way demands a login"
        case 401: kind = .unauthorized
        case 403: kind = .forbidden
        case 404: kind = .notFound
        case 408: kind = .timeout
        case 425: kind = .unavailable
        case 429: kind = .quotaExhausted
        case 400...499: kind = .badRequest
        case 503: kind = .maintenance
        case _ where Self.lastingFailures.contains(status): kind = .invalid
        default: kind = .unavailable
        }
        return UpstreamError(
            service: service, kind: kind, message: "the service answered \(status)\(advice)", status: status)
    }

    /// Decodes the body as JSON, whatever the status.
    ///
    /// - Throws: `maintenance` for a notice in HTML; `invalid` for anything else that is not a `Value`, with the path of
    ///   the field.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, of service: String
    ) throws(UpstreamError) -> Value {
        try check(of: service)
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch let error as DecodingError {
            throw invalid(error, of: service)
        } catch {
            throw UpstreamError(service: service, kind: .invalid, message: "\(error)", status: status)
        }
    }

    /// Reads the body as JSON without `Decoder`. Throws the same errors as the other `decode`.
    public func decode<Value>(
        of service: String, _ read: (JSONValue) throws(DecodingError) -> Value
    ) throws(UpstreamError) -> Value {
        try check(of: service)
        do throws(DecodingError) {
            return try read(JSONValue(parsing: Array(body)))
        } catch {
            throw invalid(error, of: service)
        }
    }

    /// The most values of a JSON body. A decoder needs some 60 bytes for each, a body two: `[0,0,…`.
    static let valueLimit = 100_000

    /// Throws if the body is a page, or has more values than any answer of an upstream, counted by the characters before
    /// them.
    private func check(of service: String) throws(UpstreamError) {
        guard !isHTML else {
            throw UpstreamError(
                service: service, kind: isNotice ? .maintenance : .invalid,
                message: "the service answered \(status) with an HTML page instead of JSON",
                status: status)
        }
        // Each value takes at least one byte, so a short body, which nearly all are, need not be searched.
        guard body.count > Self.valueLimit else { return }
        let count = body.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
        guard count > Self.valueLimit else { return }
        throw UpstreamError(
            service: service, kind: .invalid,
            message: "the service answered with JSON of more than \(Self.valueLimit) values",
            status: status)
    }

    private func invalid(_ error: DecodingError, of service: String) -> UpstreamError {
        let (path, reason) = error.cause
        // No path: the document as a whole is wrong.
        return UpstreamError(
            service: service, kind: .invalid, message: reason, status: status,
            field: path.isEmpty ? nil : path.fieldPath)
    }
}

// MARK: - Bytes

extension Data {
    /// The first byte that is neither white space nor part of a byte order mark.
    fileprivate var firstSign: UInt8? {
        let blank: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
        return first { !blank.contains($0) }
    }

    fileprivate var beginsLikeJSON: Bool {
        firstSign == UInt8(ascii: "{") || firstSign == UInt8(ascii: "[")
    }

    /// Whether the bytes are a JSON object or array with its end.
    var isWholeJSON: Bool {
        // A longer text is no answer of a service, and its values would take many times its memory.
        guard count <= 1 << 20, beginsLikeJSON else { return false }
        return (try? JSONValue(parsing: Array(self))) != nil  // why it is not does not matter
    }
}

extension DecodingError {
    /// The coding path of the value that could not be decoded; for a missing key, the path of that key.
    public var codingPath: [any CodingKey] { cause.path }

    fileprivate var cause: (path: [any CodingKey], reason: String) {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            // Foundation leaves the description empty for some errors, such as a Boolean in place of a Decimal.
            let reason = context.debugDescription
            return (context.codingPath, reason.isEmpty ? "the value has the wrong type" : reason)
        case .keyNotFound(let key, let context): return (context.codingPath + [key], "the key is missing")
        @unknown default: return ([], "\(self)")
        }
    }
}

extension Sequence<any CodingKey> {
    /// The keys as a field path, such as `dailyBoxOfficeList[3].audiCnt`.
    public var fieldPath: String {
        var path = ""
        for key in self {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return path
    }
}
