import Testing

@testable import Text

@Suite("Secrets in text") struct RedactorTests {
    @Test(
        "a secret is found plain and percent-encoded, in either case",
        arguments: [
            ("wrong key a/b+C d!", "wrong key ***!"), ("key=a%2Fb%2BC%20d", "key=***"), ("key=a%2fb+c%20D", "key=***"),
            ("%61/b+%43 d", "***"), ("wrong appKey(0123ABCD) format", "wrong appKey(***) format"),
            ("KakaoAK 0123abcd, 0123abcd0123abcd", "***, ******"), ("a/b+C 파묘 %", "a/b+C 파묘 %"), ("", ""),
        ])
    func echoes(text: String, clean: String) {
        #expect(Redactor(["a/b+C d", "KakaoAK 0123abcd", "0123abcd"]).redact(text) == clean)
    }

    @Test(
        "a secret with percent signs is found in every form in which a server may return it",
        arguments: [
            ("key=s3cr+t/%x==&a=1", "key=***&a=1"), ("key=s3cr%2Bt%2F%25x%3D%3D", "key=***"),
            ("key=s3cr%2bt/%25x%3d=&a=1", "key=***&a=1"), ("%733cr%2Bt%2F%25x%3D%3D", "***"),
            ("S3CR+T/%X==", "***"), ("s3cr+t/%x==s3cr+t/%x==", "******"), ("s3cr+t/%y", "***+t/%y"),
        ])
    func percentSigns(text: String, clean: String) {
        #expect(Redactor(["s3cr", "s3cr+t/%x=="]).redact(text) == clean)
    }

    @Test(
        "a secret that looks encoded is found plain and encoded",
        arguments: ["100%25", "100%2525", "%3100%25", "100%2525%", "100%25%"])
    func encodedSecret(text: String) {
        #expect(!Redactor(["100%25"]).redact(text).contains("00"))
    }

    @Test("a longer secret is replaced before its part, and an empty one is ignored")
    func lengths() {
        #expect(Redactor(["", "abc", "b", "abcd"]).redact("abc-b-abcd-x") == "***-***-***-x")
        #expect(Redactor([""]).redact("abc") == "abc")
        #expect(Redactor([]).redact("abc") == "abc")
    }

    @Test("overlapping secrets are replaced whole")
    func overlap() {
        #expect(Redactor(["xab", "abcdef"]).redact("-xabcdef-") == "-***-")
        #expect(Redactor(["aba"]).redact("-ababa-aba") == "-***-***")
    }

    @Test("the text around a secret stays")
    func neighbours() {
        let redactor = Redactor(["abc", ""])
        #expect(redactor.redact("xabcab가abc%") == "x***ab가***%")
        #expect(redactor.redact("ab%6") == "ab%6")
        #expect(Redactor(["가"]).redact("나가%EA%B0%80다") == "나******다")
    }
}
