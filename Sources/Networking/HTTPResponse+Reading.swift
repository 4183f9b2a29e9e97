import FoundationEssentials
public import JSONCoding

extension HTTPResponse {
    /// Whether the body is a page for people, which services put in the place of JSON while they are being repaired.
    public var isHTML: Bool {
        if let type = self["Content-Type"], type.lowercased().hasPrefix("text/html") { return true }
        let blank: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]  // white space and the byte order mark
        return body.first { !blank.contains($0) } == UInt8(ascii: "<")
    }

    /// What a status outside 200…299 means where the service has no better word for it; nil within.
    public func failure(of service: String) -> UpstreamError? {
        let kind: UpstreamError.Kind
        switch status {
        case 200...299: return nil
        case 300...399: kind = .invalid
        case 401: kind = .unauthorized
        case 403: kind = .forbidden
        case 404: kind = .notFound
        case 408: kind = .timeout
        case 425: kind = .unavailable
        case 429: kind = .quotaExhausted
        case 400...499: kind = .badRequest
        case 503: kind = .maintenance
        default: kind = .unavailable
        }
        return UpstreamError(service: service, kind: kind, message: "answered \(status)", status: status)
    }

    /// Reads the body as JSON, whatever the status.
    ///
    /// A page in place of JSON is `maintenance`; anything else that is not a `Value` is `invalid` and names the field.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, of service: String
    ) throws(UpstreamError) -> Value {
        try refusePage(of: service)
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch let error as DecodingError {
            throw invalid(error, of: service)
        } catch {
            throw UpstreamError(service: service, kind: .invalid, message: "\(error)", status: status)
        }
    }

    /// Reads the body as JSON, of a type that is read straight from the text; errors are those of the other `decode`.
    public func decode<Value: JSONReadable>(
        _ type: Value.Type = Value.self, of service: String
    ) throws(UpstreamError) -> Value {
        try refusePage(of: service)
        do throws(DecodingError) {
            return try Value(json: Array(body))
        } catch {
            throw invalid(error, of: service)
        }
    }

    private func refusePage(of service: String) throws(UpstreamError) {
        guard isHTML else { return }
        throw UpstreamError(
            service: service, kind: .maintenance, message: "answered \(status) with a page instead of JSON",
            status: status)
    }

    private func invalid(_ error: DecodingError, of service: String) -> UpstreamError {
        UpstreamError(
            service: service, kind: .invalid, message: error.reason, status: status, field: error.fieldPath)
    }
}
