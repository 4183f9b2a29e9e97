import Concurrency
import FoundationEssentials
import TestSupport
import Testing
import Text

@testable import ServiceRuntime

@Suite struct SecretTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func file(_ text: String) throws -> String {
        let path = folder.file("key")
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test("only the value of a secret reveals it")
    func descriptions() {
        let secret = Secret("hunter2")
        let upstream = Configuration.Upstream(url: "http://localhost", key: secret, dailyLimit: 1)
        var dumped = ""
        dump(upstream, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\(upstream)", "\(Optional(secret) as Any)", dumped] {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("***"))
        }
    }

    @Test(
        "what editors and copying add around a secret in a file is removed",
        arguments: [
            "hunter2", "hunter2\n", "hunter2\r\n", "hunter2\n\n", "\u{FEFF}hunter2\n", " hunter2 \n", "hunter2\u{A0}",
            "\"hunter2\"\n", "'hunter2'", "MARQUEE_KAKAO_KEY=hunter2\n", "MARQUEE_KAKAO_KEY=\"hunter2\"\r\n",
        ])
    func fromFile(content: String) throws {
        let path = try file(content)
        let configuration = try Configuration(environment: ["MARQUEE_KAKAO_KEY_FILE": path])
        #expect(configuration.kakao.key == Secret("hunter2"))
    }

    @Test(
        "a file without a usable secret is an error that names the variable and never the content",
        arguments: [
            ("", "is empty"), ("\n", "is empty"), ("\"\"", "is empty"), ("hunter2\nhunter2", "contains a line end"),
            ("hunter2 hunter2", "contains a blank"), ("hunter2\u{A0}hunter2", "contains U+00A0"),
            ("hunter2\0hunter2", "contains U+0000"), ("hunter2é", "contains a character that is not ASCII"),
        ])
    func unusable(content: String, reason: String) throws {
        let path = try file(content)
        let error = try #require(throws: ConfigurationError.self) {
            try Configuration(environment: ["MARQUEE_KAKAO_KEY_FILE": path])
        }
        #expect(error.variable == "MARQUEE_KAKAO_KEY_FILE")
        #expect(error.description.contains(reason))
        #expect(!error.description.contains("hunter2"))
    }

    @Test("a file in UTF-16 is an error that says so")
    func otherEncoding() throws {
        let path = folder.file("key")
        try Data([0xFF, 0xFE, 0x68, 0, 0x75, 0]).write(to: URL(filePath: path))
        let error = try #require(throws: ConfigurationError.self) {
            try Configuration(environment: ["MARQUEE_KAKAO_KEY_FILE": path])
        }
        #expect(error.message.description.hasPrefix("\"\(path)\" is in UTF-16, not in UTF-8"))
    }

    @Test("a file that cannot be read is an error that names the variable, the path and the reason")
    func unreadable() throws {
        let path = folder.file("missing")
        let error = try #require(throws: ConfigurationError.self) {
            try Configuration(environment: ["MARQUEE_KOBIS_KEY_FILE": path])
        }
        #expect(
            error.description == "MARQUEE_KOBIS_KEY_FILE: cannot read \"\(path)\": No such file or directory; "
                + "expected a file that contains the secret")
        let folderError = try #require(throws: ConfigurationError.self) {
            try Configuration(environment: ["MARQUEE_KOBIS_KEY_FILE": folder.path])
        }
        #expect(folderError.description.contains("Is a directory"))
    }

    @Test("a file larger than any secret is refused, and not read to its end")
    func endless() throws {
        let error = try #require(throws: ConfigurationError.self) {
            try Configuration(environment: ["MARQUEE_KAKAO_KEY_FILE": "/dev/zero"])
        }
        #expect(error.description.contains("larger than 65536 bytes"))
    }

    @Test("secrets that are in the environment are named, and those in files are not")
    func inEnvironment() throws {
        let configuration = try Configuration(environment: [
            "MARQUEE_KOBIS_KEY": "hunter2", "MARQUEE_BOARD_PASSWORD": "correct-horse", "MARQUEE_KOBIS_URL": "http://a",
            "MARQUEE_KAKAO_KEY_FILE": try file("hunter2"),
        ])
        #expect(Set(configuration.secretsInEnvironment) == ["MARQUEE_KOBIS_KEY", "MARQUEE_BOARD_PASSWORD"])
        let lines = Locked("")
        Logger(label: "test") { bytes in lines.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
            .warnOfSecretsInEnvironment(configuration)
        let text = lines.withLock { $0 }
        #expect(text.split(separator: "\n").count == 2 && text.contains("variable=MARQUEE_KOBIS_KEY"))
        #expect(!text.contains("hunter2"))
    }

    @Test("setting both variables of a secret is an error")
    func twice() throws {
        let path = try file("hunter2")
        let error = try #require(throws: ConfigurationError.self) {
            try Configuration(environment: ["MARQUEE_KOBIS_KEY": "hunter2", "MARQUEE_KOBIS_KEY_FILE": path])
        }
        #expect(error.description == "MARQUEE_KOBIS_KEY: MARQUEE_KOBIS_KEY_FILE is set, too; set only one of the two")
    }
}
