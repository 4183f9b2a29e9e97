import FoundationEssentials
import Messaging
import Sandbox
import ServiceRuntime
import TestSupport
import Testing
import Text
import ZeroMQ

@testable import marquee

/// What the command line says in Korean of errors that lower modules throw.
@Suite struct KoreanErrorTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Names that stand in Korean texts beside those of variables.
    private static let names: Set<String> = [
        "marquee", "IP", "URL", "UTF", "ASCII", "MiB", "MB", "ZeroMQ", "tcp", "ipc", "http", "https", "chmod", "keys",
        "new", "kobis", "web", "errors",
    ]

    /// Expects that a text is in Korean and has no Latin word but names, variables, and those of the values.
    private func expectKorean(_ text: String, values: String = "", _ location: SourceLocation = #_sourceLocation) {
        let known = Self.names.union(KoreanTextTests.words(of: "\(values) \(folder.path)"))
        let other = KoreanTextTests.words(of: text).subtracting(known).filter { !$0.hasPrefix("MARQUEE_") }
        #expect(other.isEmpty, "\(text)", sourceLocation: location)
        #expect(KoreanTextTests.hasHangul(text), "\(text)", sourceLocation: location)
    }

    // MARK: - Variables

    /// An environment with each kind of mistake, and what Korean says of it.
    private static let mistakes: [(variable: String, value: String, korean: String)] = [
        ("MARQUEE_KOBI_KEY", "1", "없는 환경 변수입니다. 비슷한 변수: MARQUEE_KOBIS_KEY"),
        (
            "MARQUEE_REQUESTS", "tcp://x",
            #"값이 올바르지 않습니다("tcp://x"). 사용할 수 있는 값: "#
                + "tcp://호스트:포트(호스트는 이름, 127.0.0.1 같은 IP 주소 또는 *, 포트는 숫자 또는 *), ipc://경로"
        ),
        (
            "MARQUEE_WORKERS", "a:1",
            #"값이 올바르지 않습니다("a:1"). 사용할 수 있는 값: 포트 없는 호스트 이름이나 IP 주소(콜론이 있으면 대괄호로 감쌈), 여러 개는 쉼표로 구분"#
        ),
        ("MARQUEE_BOARD_HTTP", "8080", #"값이 올바르지 않습니다("8080"). 사용할 수 있는 값: 호스트:포트. 예: 127.0.0.1:8080"#),
        ("MARQUEE_BOARD_PROXIES", "a", #"값이 올바르지 않습니다("a"). 사용할 수 있는 값: 포트 없는 IP 주소, 여러 개는 쉼표로 구분"#),
        ("MARQUEE_BOARD_HOSTS", "*.a", #"값이 올바르지 않습니다("*.a"). 사용할 수 있는 값: 포트 없는 호스트 이름, 여러 개는 쉼표로 구분"#),
        ("MARQUEE_BOARD_RATE", "0", #"값이 올바르지 않습니다("0"). 사용할 수 있는 값: 1~1000000000의 정수"#),
        ("MARQUEE_MEMORY", "1", #"값이 올바르지 않습니다("1"). 사용할 수 있는 값: 64~1048576의 정수(MiB)"#),
        ("MARQUEE_REQUEST_DAYS", "0", #"값이 올바르지 않습니다("0"). 사용할 수 있는 값: 1~36500의 정수(일)"#),
        ("MARQUEE_DISK_RESERVE_MB", "-1", #"값이 올바르지 않습니다("-1"). 사용할 수 있는 값: 0~1000000의 정수(MB)"#),
        ("MARQUEE_QUOTA_RESERVE", "101", #"값이 올바르지 않습니다("101"). 사용할 수 있는 값: 0~100의 정수(%)"#),
        ("MARQUEE_CALLS_AT_ONCE", "0", #"값이 올바르지 않습니다("0"). 사용할 수 있는 값: 1~500의 정수"#),
        ("MARQUEE_HISTORY_DAYS", "401", #"값이 올바르지 않습니다("401"). 사용할 수 있는 값: 0~400의 정수(일)"#),
        ("MARQUEE_SCHEDULE", "1", #"값이 올바르지 않습니다("1"). 사용할 수 있는 값: on, off"#),
        ("MARQUEE_INSECURE", "1", #"값이 올바르지 않습니다("1"). 사용할 수 있는 값: yes 또는 빈 값"#),
        ("MARQUEE_LOG_FORMAT", "1", #"값이 올바르지 않습니다("1"). 사용할 수 있는 값: text, json"#),
        ("MARQUEE_CURVE_CLIENT", "a/b", #"값이 올바르지 않습니다("a/b"). 사용할 수 있는 값: 키 이름. 예: client"#),
        ("MARQUEE_DATA", "~/a", #"경로가 올바르지 않습니다("~/a"). 보이지 않는 문자 없이 전체 경로를 쓰세요. 맨 앞의 ~와 $는 다른 값으로 바뀌지 않습니다"#),
        ("MARQUEE_KOBIS_URL", "http://a b", "쓸 수 없는 문자가 있습니다(공백). \(urlForm)"),
        ("MARQUEE_KOBIS_URL", "http://a\u{A0}b", "쓸 수 없는 문자가 있습니다(U+00A0). \(urlForm)"),
        ("MARQUEE_KOBIS_URL", "http://한국", "쓸 수 없는 문자가 있습니다(ASCII가 아닌 문자). \(urlForm)"),
        ("MARQUEE_KOBIS_URL", "http://[", "올바른 URL이 아닙니다. \(urlForm)"),
        ("MARQUEE_KOBIS_URL", "ftp://a", "올바른 URL이 아닙니다. \(urlForm)"),
        ("MARQUEE_KOBIS_URL", "http:///a", "올바른 URL이 아닙니다. \(urlForm)"),
        ("MARQUEE_KOBIS_URL", "http://a:0", "올바른 URL이 아닙니다. \(urlForm)"),
        ("MARQUEE_KOBIS_URL", "http://u:p@a", "올바른 URL이 아닙니다. \(urlForm)"),
        ("MARQUEE_KOBIS_URL", "http://a?b", "올바른 URL이 아닙니다. \(urlForm)"),
        ("MARQUEE_KOBIS_KEY", "a b", "쓸 수 없는 문자가 있습니다(공백). 공백 없이 ASCII 문자로만 쓰세요"),
        ("MARQUEE_KOBIS_KEY", "é", "쓸 수 없는 문자가 있습니다(ASCII가 아닌 문자). 공백 없이 ASCII 문자로만 쓰세요"),
        ("MARQUEE_BOARD_PASSWORD", "short", "비밀번호가 너무 짧습니다. 8자 이상으로 정하세요"),
    ]

    private static let urlForm = "쿼리와 비밀번호 없이 http://호스트/경로 또는 https://호스트/경로 형식으로 쓰세요"

    @Test("each mistake in a variable is said in Korean: what is wrong, then what to write")
    func variables() throws {
        for (variable, value, korean) in Self.mistakes {
            let error = #expect(throws: ConfigurationError.self) { try Configuration(environment: [variable: value]) }
            let text = try #require(error).text(in: .ko)
            #expect(text == "\(variable): \(korean)")
            expectKorean(text, values: "\(value) on off yes text json client U 00A0")
            #expect(error?.text(in: .en) == error?.description)
            #expect(error.map { KoreanTextTests.hasHangul($0.description) } == false)
        }
    }

    @Test("a secret that cannot be used is said in Korean")
    func secrets() throws {
        let variable = "MARQUEE_KOBIS_KEY"
        let contents: [[UInt8]] = [
            [], [0xFF, 0xFE, 0x61, 0], Array("a\tb".utf8), Array(repeating: 0x61, count: 70_000),
        ]
        var environments = [[variable: "a", "\(variable)_FILE": "/a"]]
        for path in [folder.file("none"), folder.path, "$HOME/a"] { environments.append(["\(variable)_FILE": path]) }
        for (number, content) in contents.enumerated() {
            try Data(content).write(to: URL(filePath: folder.file("\(number)")))
            environments.append(["\(variable)_FILE": folder.file("\(number)")])
        }
        for environment in environments {
            let error = #expect(throws: ConfigurationError.self) { try Configuration(environment: environment) }
            expectKorean(try #require(error).text(in: .ko), values: "none HOME a")
        }
    }

    @Test("an address at which a process may not listen is said in Korean")
    func addresses() throws {
        let mistakes: [(environment: [String: String], role: Configuration.ProcessRole, korean: String)] = [
            (
                ["MARQUEE_REQUESTS": "tcp://worker:5550"], .worker,
                "이 컴퓨터에 없는 주소입니다(tcp://worker:5550). IP 주소, 인터페이스 이름 또는 *를 지정하세요. 예: tcp://*:5550"
            ),
            (
                ["MARQUEE_BOARD_HTTP": "board:80"], .board,
                "이 컴퓨터에 없는 주소입니다(board:80). IP 주소 또는 *를 지정하세요. 예: 0.0.0.0:8550"
            ),
            (
                ["MARQUEE_ALERTS": "tcp://*:5553"], .notifier,
                "다른 컴퓨터에서 연결할 수 있는 주소이지만(tcp://*:5553) 암호화가 꺼져 있습니다. MARQUEE_CURVE=on을 설정하거나, "
                    + "이 컴퓨터 안의 주소를 지정하거나, MARQUEE_INSECURE=yes로 허용하세요"
            ),
        ]
        for (environment, role, korean) in mistakes {
            let configuration = try Configuration(environment: environment)
            let error = #expect(throws: ConfigurationError.self) { try configuration.checkAddresses(of: role) }
            let text = try #require(error).text(in: .ko)
            #expect(text.hasSuffix(": \(korean)"))
            expectKorean(text, values: "worker board on yes")
        }
    }

    // MARK: - Files and addresses

    @Test("a key that cannot be used is said in Korean")
    func keys() async throws {
        let keys = KeyFolder(folder.file("keys"))
        let variables = ["MARQUEE_CURVE": "on", "MARQUEE_CURVE_KEYS": keys.path]
        func expectKoreanRefusal() throws {
            let configuration = try Configuration(environment: variables)
            let error = #expect(throws: KeyError.self) { try configuration.makeClientThread() }
            expectKorean(Language.ko.text(of: try #require(error)), values: "client.key_secret server.key keys")
        }
        try expectKoreanRefusal()
        let path = try keys.makeClient("client", roles: []).secret
        try expectKoreanRefusal()
        for text in ["", "public-key = \"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID\"\nsecret-key = \"hunter2\""] {
            try Data(text.utf8).write(to: URL(filePath: path))
            try expectKoreanRefusal()
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try expectKoreanRefusal()
        let existing = #expect(throws: KeyError.self) { try keys.makeClient("client", roles: []) }
        expectKorean(Language.ko.text(of: try #require(existing)), values: path)
    }

    @Test("an address in use is said in Korean", .patience)
    func addressInUse() async throws {
        let sandbox = try SandboxServer(options: Self.options { $0.address = "127.0.0.1:0" })
        let server = #expect(throws: SandboxError.self) {
            try SandboxServer(options: Self.options { $0.address = sandbox.address })
        }
        #expect(
            Language.ko.text(of: try #require(server))
                == "\(sandbox.address) 주소를 열 수 없습니다(이미 사용 중인 주소). 사용 중인 프로그램을 종료하거나 다른 주소를 지정하세요")
        await sandbox.shutdown()
        let io = try IOThread()
        // Held: a socket that is gone frees its address.
        let socket = try await io.open(.router, bind: ["tcp://127.0.0.1:*"])
        let address = socket.addresses[0]
        for wrong in [address, "ipc:///nowhere/socket", "tcp://192.0.2.1:5550", "http://127.0.0.1:5550"] {
            let error = await #expect(throws: ZeroMQError.self) { try await io.open(.router, bind: [wrong]) }
            expectKorean(Language.ko.text(of: try #require(error)), values: wrong)
        }
        #expect(socket.addresses == [address])
        await io.shutdown()
    }

    private static func options(_ change: (inout SandboxOptions) -> Void) -> SandboxOptions {
        var options = SandboxOptions()
        change(&options)
        return options
    }

    @Test("a switch or a folder that the sandbox cannot use is said in Korean")
    func sandbox() throws {
        for fault in ["kobis", "kobis.nothing=1", "kobis.hang=2", "kobis.latency=0.5", "kobis.errors.99=1"] {
            var faults = Faults()
            let error = #expect(throws: SandboxError.self) { try faults.set(fault) }
            expectKorean(Language.ko.text(of: try #require(error)), values: fault)
        }
        let error = #expect(throws: SandboxError.self) {
            try SandboxServer(options: Self.options { $0.recordings = folder.path })
        }
        expectKorean(Language.ko.text(of: try #require(error)), values: "kakao")
    }

    @Test("the system's reasons are Korean, and rare ones their numbers")
    func reasons() {
        for code in Int32(1)...133 {
            let reason = BilingualText(errno: code)
            #expect(KoreanTextTests.hasHangul(reason.text(in: .ko)))
            #expect(KoreanTextTests.words(of: reason.text(in: .ko)).isEmpty)
        }
        #expect(BilingualText(errno: 2).description == "No such file or directory")
    }
}
