import FoundationEssentials
import TestSupport
import Testing
import Text

@testable import ServiceRuntime

@Suite struct ConfigurationTests {
    @Test("an empty environment gives the defaults of the contract")
    func defaults() throws {
        let configuration = try Configuration(environment: ["PATH": "/bin"])
        #expect(configuration.requests.description == "tcp://127.0.0.1:5550")
        #expect(configuration.alertCommands.description == "tcp://127.0.0.1:5554")
        #expect(configuration.sandboxHTTP.url == "http://127.0.0.1:8590")
        #expect(configuration.kobis.url == "https://www.kobis.or.kr/kobisopenapi/webservice/rest")
        #expect(configuration.kobis.key == nil)
        #expect(configuration.kobis.dailyLimit == 3000)
        #expect(configuration.kakao.dailyLimit == 30_000)
        #expect(configuration.openMarket.url == nil)
        #expect(configuration.dataFolder == FileManager.default.currentDirectoryPath + "/marquee-data")
        #expect(configuration.logLevel == .info)
        #expect(configuration.logFormat == .text)
        #expect(!configuration.allowsPrivateImages)
    }

    @Test("variables that are set count, and empty ones count as not set")
    func given() throws {
        let configuration = try Configuration(environment: [
            "MARQUEE_EVENTS": "ipc:///run/marquee/events", "MARQUEE_WORKER_HTTP": "[::]:0",
            "MARQUEE_KOBIS_URL": "HTTP://sandbox:8590/kobisopenapi/webservice/rest/", "MARQUEE_KOBIS_KEY": "k1",
            "MARQUEE_KAKAO_KEY": "", "MARQUEE_KAKAO_DAILY_LIMIT": "7", "MARQUEE_OPENMARKET_SECRET": "s1",
            "MARQUEE_DATA": "/data", "MARQUEE_LOG_LEVEL": "debug", "MARQUEE_LOG_FORMAT": "json",
            "MARQUEE_PRIVATE_IMAGES": "allow",
        ])
        #expect(configuration.events.description == "ipc:///run/marquee/events")
        #expect(configuration.workerHTTP.url == "http://[::1]:0")
        #expect(configuration.kobis.url == "http://sandbox:8590/kobisopenapi/webservice/rest")
        #expect(configuration.kobis.key?.value == "k1")
        #expect(configuration.kakao.key == nil)
        #expect(configuration.kakao.dailyLimit == 7)
        #expect(configuration.dataFolder == "/data")
        #expect(configuration.logLevel == .debug)
        #expect(configuration.logFormat == .json)
        #expect(configuration.allowsPrivateImages)
        #expect(configuration.secrets.map(\.value) == ["k1", "s1"])
    }

    @Test(
        "the error of a wrong value is one line: the variable, what is wrong, what is expected",
        arguments: [
            ("MARQUEE_REQUESTS", "tcp://127.0.0.1", #""tcp://127.0.0.1" is not valid; expected tcp://host:port"#),
            ("MARQUEE_EVENTS", "udp://1.2.3.4:5", "or * as host and a number or * as port, or ipc://path"),
            ("MARQUEE_EVENTS", "tcp://127.1:5", "tcp://host:port with a name, an IP address such as 127.0.0.1 or *"),
            ("MARQUEE_ALERTS", "tcp://127.0.0.1:65536\nERROR forged", #"65536\nERROR forged" is not valid"#),
            ("MARQUEE_WORKERS", "a,b:5551", #""a,b:5551" is not valid; expected hosts without ports"#),
            ("MARQUEE_NOTIFIERS", "fd00::5", "IPv6 addresses in brackets"),
            ("MARQUEE_BOARD_HTTP", "8080", "expected host:port, such as 127.0.0.1:8080"),
            ("MARQUEE_KOBIS_URL", "ftp://www.kobis.or.kr", "expected http://host/path or https://host/path"),
            ("MARQUEE_KOBIS_URL", "https:///rest", "expected http://host/path or https://host/path"),
            ("MARQUEE_KAKAO_URL", "https://me:hunter2@dapi.kakao.com", "without query or password"),
            ("MARQUEE_KAKAO_URL", "https://dapi.kakao.com?key=hunter2", "without query or password"),
            ("MARQUEE_OPENMARKET_URL", "open market", "it contains a blank"),
            ("MARQUEE_KOBIS_DAILY_LIMIT", "0", #""0" is not valid; expected a whole number from 1 to 1000000000"#),
            ("MARQUEE_KOBIS_DAILY_LIMIT", "9223372036854775807", "expected a whole number from 1 to 1000000000"),
            ("MARQUEE_CLIENT_DAILY_MB", "9223372036854775807", "expected a whole number from 1 to 1000000000"),
            ("MARQUEE_HISTORY_DAYS", "401", "expected a number of days from 0 to 400"),
            ("MARQUEE_CALLS_AT_ONCE", "501", "expected a whole number from 1 to 500"),
            ("MARQUEE_KAKAO_DAILY_LIMIT", "3e4", "expected a whole number from 1 to 1000000000"),
            ("MARQUEE_LOG_LEVEL", "INFO", "expected one of debug, info, warning, error"),
            ("MARQUEE_LOG_FORMAT", "xml", "expected one of text, json"),
            ("MARQUEE_PRIVATE_IMAGES", "yes", "expected allow, or no value"),
            ("MARQUEE_KOBIS_KEY", "hunter2 hunter2", "the secret contains a blank; expected printable ASCII"),
            ("MARQUEE_KOBIS_URL", "https://www\u{A0}.kobis.or.kr", "it contains U+00A0"),
            ("MARQUEE_KOBIS_URL", "https://한국.kr", "it contains a letter that is not ASCII"),
            ("MARQUEE_EVENTS", "tcp://127.0.0.1\u{200B}:1", #""tcp://127.0.0.1\u{200B}:1" is not valid"#),
            ("MARQUEE_DATA", "/srv\u{A0}/data", #""/srv\u{A0}/data" is not valid"#),
            ("MARQUEE_DATA", "~/data", "written out: nothing replaces ~ or $ at its beginning"),
            ("MARQUEE_RULES", "$HOME/rules.yml", "written out: nothing replaces ~ or $ at its beginning"),
            ("MARQUEE_CURVE_KEYS", "keys\r/a", #""keys\r/a" is not valid; expected a path"#),
            ("MARQUEE_BOARD_HOSTS", "*.example.org", "expected host names without ports, separated by commas"),
            ("MARQUEE_PORT", "5555", "unknown variable"),
        ])
    func wrong(variable: String, value: String, message: String) throws {
        let error = try #require(throws: ConfigurationError.self) {
            try Configuration(environment: [variable: value])
        }
        #expect(error.description.hasPrefix("\(variable): "))
        #expect(error.description.contains(message))
        #expect(!error.description.contains("hunter2"))
        #expect(!error.description.contains("\n"))
    }

    @Test(
        "the error of an unknown variable names the nearest known one",
        arguments: [
            ("MARQUEE_KOBIS_KYE", "MARQUEE_KOBIS_KEY"),
            ("MARQUEE_REQUEST", "MARQUEE_REQUESTS"),
            ("MARQUEE_LOGLEVEL", "MARQUEE_LOG_LEVEL"),
            ("MARQUEE_KAKAO_KEYFILE", "MARQUEE_KAKAO_KEY_FILE"),
            ("MARQUEE_ALERTS_COMMANDS", "MARQUEE_ALERT_COMMANDS"),
            ("MARQUEE_LOG_LEVEL_FILE", "MARQUEE_LOG_LEVEL"),
            ("MARQUEE_data", "MARQUEE_DATA"),
        ])
    func unknown(variable: String, nearest: String) throws {
        let error = try #require(throws: ConfigurationError.self) {
            try Configuration(environment: [variable: "hunter2"])
        }
        #expect(error.description == "\(variable): unknown variable; did you mean \(nearest)?")
    }

    @Test(
        "the prefix alone is not a variable", arguments: ["MARQUEE_"])
    func prefix(variable: String) {
        #expect(throws: ConfigurationError.self) { try Configuration(environment: [variable: ""]) }
    }

    @Test("a new log begins with 40 days of history where the worker has a schedule, or with as many as are set")
    func historyDays() throws {
        func days(_ environment: [String: String]) throws -> Int {
            try Configuration(environment: environment).historyDays
        }
        #expect(try days([:]) == 0)
        #expect(try days(["MARQUEE_KOBIS_KEY": "k1"]) == 40)
        #expect(try days(["MARQUEE_SCHEDULE": "on"]) == 40)
        #expect(try days(["MARQUEE_SCHEDULE": "on", "MARQUEE_HISTORY_DAYS": "0"]) == 0)
        #expect(try days(["MARQUEE_HISTORY_DAYS": "90"]) == 90)
    }

    @Test(
        "what copying, editors and files of variables add around a value is not part of it",
        arguments: ["debug\r", " debug ", "\u{FEFF}debug\n\n", "debug\u{A0}", "\"debug\"", "MARQUEE_LOG_LEVEL=debug"])
    func wrapped(value: String) throws {
        #expect(try Configuration(environment: ["MARQUEE_LOG_LEVEL": value]).logLevel == .debug)
    }

    @Test("a path is used without the signs around it")
    func paths() throws {
        let configuration = try Configuration(environment: [
            "MARQUEE_DATA": "/srv/data\r", "MARQUEE_RULES": "'/srv/rules.yml'\n", "MARQUEE_KAKAO_KEY": "\"\"",
        ])
        #expect(configuration.dataFolder == "/srv/data")
        #expect(configuration.rules == "/srv/rules.yml")
        #expect(configuration.kakao.key == nil)
    }

    @Test("what Kubernetes says of services beside a process is ignored")
    func serviceLinks() throws {
        for service in ["MARQUEE", "MARQUEE_WORKER", "MARQUEE_BOARD_2"] {
            let configuration = try Configuration(environment: [
                "\(service)_SERVICE_HOST": "10.0.0.1", "\(service)_SERVICE_PORT": "5555",
                "\(service)_SERVICE_PORT_HTTP_API": "5555", "\(service)_PORT": "tcp://10.0.0.1:5555",
                "\(service)_PORT_5555_TCP": "tcp://10.0.0.1:5555", "\(service)_PORT_5555_TCP_PROTO": "tcp",
                "\(service)_PORT_5555_TCP_PORT": "5555", "\(service)_PORT_5555_TCP_ADDR": "10.0.0.1",
            ])
            #expect(configuration.logLevel == .info)
        }
    }

    @Test("variables of other programs are ignored")
    func others() throws {
        _ = try Configuration(environment: ["XMARQUEE_DATA": "", "marquee_data": "", "KOBIS_KEY": ""])
    }
}
