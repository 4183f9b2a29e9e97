import CCurl
import FoundationEssentials

extension Duration {
    /// Reads a `Retry-After` header at `now`: seconds, or an HTTP date in any of its three forms (RFC 9110, 10.2.3).
    init?(retryAfter text: String, at now: Date) {
        if !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) {
            // More seconds than fit are as good as never, and not none.
            self = .seconds(Int32(text) ?? .max)
        } else {
            let date = curl_getdate(text, nil)
            guard date != -1 else { return nil }
            self = max(.zero, .seconds(Double(date) - now.timeIntervalSince1970))
        }
    }
}
