import FoundationEssentials
import Networking
import Text

/// The text of a web page that shows an image: its title, and the lines that a reader sees.
struct PosterPage: Hashable, Sendable {
    /// Maximum size of a page in bytes.
    static let responseLimit = 2 << 20
    /// Maximum number of bytes of text that are kept: what follows is comments and links to other pages.
    static let textLimit = 24_000
    /// Maximum number of bytes of a title that are kept.
    private static let titleLimit = 1_000

    /// The page's title.
    let title: String
    /// The visible text, a line for each block.
    let lines: [String]

    /// Returns the endpoint that fetches the page at `url`; it fails if that is no HTML.
    static func endpoint(_ url: String, addressPolicy: HTTPRequest.AddressPolicy) -> Endpoint<PosterPage> {
        let request = HTTPRequest(
            url, headers: [HTTPField("Accept", "text/html")], deadline: VerifiedImage.deadline,
            responseLimit: responseLimit, redirects: VerifiedImage.redirects, addressPolicy: addressPolicy)
        return Endpoint(service: PosterFinder.service, request: request) { response throws(UpstreamError) in
            if var failure = response.failure(of: PosterFinder.service) {
                failure.isTransient = false  // trying the next candidate is faster than a retry
                throw failure
            }
            guard response.isHTML else {
                throw UpstreamError(
                    service: PosterFinder.service, kind: .invalid, message: "answered with a page that is not HTML")
            }
            return PosterPage(html: response.body)
        }
    }

    init(title: String, lines: [String]) {
        self.title = title
        self.lines = lines
    }

    /// Reads a page in UTF-8. Whatever its markup, the time is linear in its size.
    init(html: Data) {
        var reader = HTMLTextReader(html)
        reader.read()
        // The title for sharing is without the site's name, which may be part of the other.
        let bytes = reader.sharedTitle.isEmpty ? reader.title : reader.sharedTitle
        title = Self.text(Array(bytes.prefix(Self.titleLimit))).onOneLine.trimmed
        lines = Self.text(reader.text).split(whereSeparator: \.isNewline).map { String($0).clean }
            .filter { !$0.isEmpty }
    }

    /// Returns text with its character references replaced.
    private static func text(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[start...]
            guard let end = rest.prefix(10).firstIndex(of: ";"),
                let character = character(rest[rest.index(after: start)..<end])
            else {
                result.append("&")
                rest = rest.dropFirst()
                continue
            }
            result.unicodeScalars.append(character)
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> Unicode.Scalar? {
        switch name {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        case "nbsp": " "
        case _ where name.lowercased().hasPrefix("#x"):
            UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        case _ where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
        default: nil
        }
    }
}

/// Reads the title and the visible text of an HTML document, byte by byte; it follows no rules of nesting.
private struct HTMLTextReader {
    private(set) var title: [UInt8] = []
    private(set) var sharedTitle: [UInt8] = []
    private(set) var text: [UInt8] = []
    private let bytes: [UInt8]
    private var position = 0

    init(_ data: Data) {
        bytes = Array(data)
    }

    mutating func read() {
        while position < bytes.count, text.count < PosterPage.textLimit {
            if bytes[position] == UInt8(ascii: "<") {
                readTag()
            } else {
                text.append(bytes[position])
                position += 1
            }
        }
    }

    private mutating func readTag() {
        if starts(with: "<!--") {
            skip(past: "-->")
            return
        }
        let start = position + 1
        skip(past: ">")
        let tag = bytes[start..<max(start, position - 1)]
        let name = String(decoding: tag.prefix { !Self.isBlank($0) }.map(Self.lowercased), as: UTF8.self)
        switch name {
        case "script", "style", "noscript", "template", "svg": _ = content(of: name)
        case "title": if title.isEmpty { title = content(of: name) } else { _ = content(of: name) }
        case "meta":
            if sharedTitle.isEmpty, Self.attribute("property", of: tag)?.elementsEqual("og:title".utf8) == true {
                sharedTitle = Array(Self.attribute("content", of: tag) ?? [])
            }
        // Marks within a word, such as bold letters, end no line.
        case "b", "/b", "i", "/i", "em", "/em", "strong", "/strong", "span", "/span", "a", "/a", "mark", "/mark",
            "font",
            "/font", "u", "/u":
            break
        default: text.append(UInt8(ascii: "\n"))
        }
    }

    /// Returns the bytes up to an element's end tag, and goes behind it.
    private mutating func content(of name: String) -> [UInt8] {
        let start = position
        let end = Array("</\(name)".utf8)
        while position < bytes.count {
            let isEnd =
                bytes[position] == UInt8(ascii: "<") && position + end.count <= bytes.count
                && zip(end, bytes[position...]).allSatisfy { $0 == Self.lowercased($1) }
            if isEnd { break }
            position += 1
        }
        let content = Array(bytes[start..<position])
        skip(past: ">")
        return content
    }

    /// Returns an attribute's value in quotes.
    private static func attribute(_ name: String, of tag: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let start = tag.map(lowercased).firstRange(of: Array("\(name)=".utf8))?.upperBound else { return nil }
        let value = tag.dropFirst(start)
        guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        return value.dropFirst().prefix { $0 != quote }
    }

    private func starts(with text: String) -> Bool {
        bytes[position...].starts(with: text.utf8)
    }

    private mutating func skip(past text: String) {
        let end = Array(text.utf8)
        while position < bytes.count, !bytes[position...].starts(with: end) { position += 1 }
        position = min(bytes.count, position + end.count)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(byte)
    }

    /// Returns the small letter of an ASCII letter, and any other byte as it is.
    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
