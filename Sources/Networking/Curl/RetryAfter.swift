import CCurl
import FoundationEssentials

extension Duration {
    /// Reads a `Retry-After` header at `now`: seconds, or an HTTP date in any of its three forms (RFC 9110, 10.2.3).
    init?(retryAfter text: String, at now: Date) {
        if let seconds = Int32(text) {
            guard seconds >= 0 else { return nil }
            self = .seconds(seconds)
        } else {
            let date = curl_getdate(text, nil)
            guard date != -1 else { return nil }
            self = max(.zero, .seconds(Double(date) - now.timeIntervalSince1970))
        }
    }
}
