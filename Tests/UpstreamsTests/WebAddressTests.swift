import Testing

@testable import Upstreams

@Suite struct WebAddressTests {
    @Test(arguments: [
        ("http://a.kr/1.jpg", ["https://a.kr/1.jpg", "http://a.kr/1.jpg"]),
        ("HTTP://a.kr/1.jpg", ["https://a.kr/1.jpg", "HTTP://a.kr/1.jpg"]),
        ("https://a.kr/1.jpg?type=w3", ["https://a.kr/1.jpg?type=w3"]),
        ("http://127.0.0.1:8590/a.png", ["http://127.0.0.1:8590/a.png"]),
        ("http://[::1]:8590/a.png", ["http://[::1]:8590/a.png"]),
        ("https://a.kr/첫눈 1.jpg", ["https://a.kr/%EC%B2%AB%EB%88%88%201.jpg"]),
        ("https://a.kr/%C4%DD.JPG", ["https://a.kr/%C4%DD.JPG"]),
        ("https://a.kr/%c4%dd 첫눈.jpg", ["https://a.kr/%c4%dd%20%EC%B2%AB%EB%88%88.jpg"]),
        ("https://a.kr/?u=http%3A%2F%2Fb.kr%2F%25ED&x=눈", ["https://a.kr/?u=http%3A%2F%2Fb.kr%2F%25ED&x=%EB%88%88"]),
        ("https://a.kr/100%[1]%20b.jpg", ["https://a.kr/100%25%5B1%5D%20b.jpg"]),
        ("https://a.kr/a b#눈#2", ["https://a.kr/a%20b#%EB%88%88%232"]),
    ])
    func httpsIsTriedBeforeHTTP(text: String, alternatives: [String]) {
        #expect(WebAddress(text)?.alternatives == alternatives)
    }

    @Test(arguments: [
        "", "a.kr/1.jpg", "//a.kr/1.jpg", "ftp://a.kr/1.jpg", "file:///etc/passwd", "data:image/png;base64,AAAA",
        "javascript:alert(1)", "http://", "http:///1.jpg", "https:a.kr",
    ])
    func aTextThatIsNotAWebAddressIsNil(text: String) {
        #expect(WebAddress(text) == nil)
    }
}
