import Foundation
import Testing
import Text

@testable import Networking

struct RedactionTests {
    private let request = HTTPRequest(
        "https://example.org/list?fixed=1",
        query: [HTTPField("key", "a/b+C d", isSecret: true), HTTPField("name", "파묘 1&2")],
        headers: [HTTPField("Authorization", "KakaoAK 0123abcd", isSecret: true), HTTPField("Accept", "*/*")])

    @Test("The address that is sent holds the encoded values")
    func address() {
        #expect(
            request.address
                == "https://example.org/list?fixed=1&key=a%2Fb%2BC%20d&name=%ED%8C%8C%EB%AC%98%201%262")
    }

    @Test("No way of printing a request shows a secret")
    func printing() {
        var dumped = ""
        dump(request, to: &dumped)
        dump(APICall.text(request), to: &dumped)
        let texts = [
            "\(request)", String(reflecting: request), "\(APICall.text(request))", "\(request.headers)", dumped,
        ]
        for text in texts {
            #expect(!text.contains("a/b"))
            #expect(!text.contains("a%2Fb"))
            #expect(!text.contains("0123abcd"))
        }
        #expect("\(request)" == "GET https://example.org/list?fixed=1&key=***&name=%ED%8C%8C%EB%AC%98%201%262")
    }

    @Test("A token in an address is not shown, and no redirect takes it along")
    func token() {
        let request = HTTPRequest(
            "https://example.org/bot123:abc/send", secrets: ["123:abc"], method: .post, redirects: 3)
        var dumped = ""
        dump(request, to: &dumped)
        #expect("\(request)" == "POST https://example.org/bot***/send")
        #expect(!dumped.contains("123:abc"))
        #expect(request.address == "https://example.org/bot123:abc/send")
        #expect(request.redirectsFollowed == 0)
    }

    @Test(
        "Secrets of a request are redacted in a text that echoes them, however it is written",
        arguments: [
            ("wrong key a/b+C d!", "wrong key ***!"), ("key=a%2Fb%2BC%20d", "key=***"), ("key=a%2fb+c%20D", "key=***"),
            ("%61/b+%43 d", "***"), ("wrong appKey(0123ABCD) format", "wrong appKey(***) format"),
            ("KakaoAK 0123abcd, 0123abcd0123abcd", "***, ******"), ("a/b+C 파묘 %", "a/b+C 파묘 %"), ("", ""),
        ])
    func echoes(text: String, clean: String) {
        #expect(request.redactor.redact(text) == clean)
    }

    @Test("A user name and password in a URL are rejected, and a header cannot add another")
    func invalidRequests() {
        #expect(HTTPRequest("ftp://a").validationError != nil)
        #expect(HTTPRequest("file:///etc/passwd").validationError != nil)
        #expect(HTTPRequest("a").validationError != nil)
        #expect(HTTPRequest("http://a", headers: [HTTPField("X", "1\r\nY: 2")]).validationError != nil)
        #expect(HTTPRequest("http://a", headers: [HTTPField("X:", "1")]).validationError != nil)
        #expect(HTTPRequest("HTTP://a", headers: [HTTPField("X", "파묘")]).validationError == nil)
    }

    @Test("An untrusted URL is percent-encoded")
    func untrustedURL() {
        #expect(HTTPRequest("http://a/b c/파.jpg?x=%20#top").address == "http://a/b%20c/%ED%8C%8C.jpg?x=%20")
        #expect(HTTPRequest("http://A.b:80?c/d#e").origin == "http://a.b:80")
        #expect(HTTPRequest("https://a.b/c/d").origin == "https://a.b")
    }
}
