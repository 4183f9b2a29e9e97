import EventStore
import FoundationEssentials
import Glibc
import Health
import Notifier
import Sandbox
import ServiceRuntime
import Storage
import Text
import Worker

struct InvalidEnvironmentError: Error {
    let mistakes: [ConfigurationError]
}

extension Configuration {
    /// Reads the environment of this process.
    static func current() throws -> Configuration {
        var environment = ProcessInfo.processInfo.environment
        var mistakes: [ConfigurationError] = []
        while true {
            do {
                let configuration = try Configuration(environment: environment)
                guard mistakes.isEmpty else { throw InvalidEnvironmentError(mistakes: mistakes) }
                return configuration
            } catch let mistake as ConfigurationError {
                mistakes.append(mistake)
                // The rest is read as if the variable were not set.
                guard environment.removeValue(forKey: mistake.variable) != nil else {
                    throw InvalidEnvironmentError(mistakes: mistakes)
                }
            }
        }
    }

    /// Reads the rule file at `path`, or else at `MARQUEE_RULES`; without either, returns the built-in rules.
    func ruleFile(_ path: String? = nil) throws -> RuleFile {
        guard let path = path ?? rules else { return .standard }
        return try RuleFile.read(path: path)
    }

    /// Returns the database of the worker's log or of the notifier's, whether it exists or not.
    func logDatabase(ofAlerts: Bool) -> LogDatabase {
        ofAlerts
            ? NotifierProcess.log(in: DatabaseLocation(of: .notifier, self))
            : WorkerProcess.log(in: DatabaseLocation(of: .worker, self))
    }

    /// Returns the database of the worker's log or of the notifier's, for a command that reads it.
    ///
    /// If `MARQUEE_DATA` has none, it is the one of the sandbox, which `marquee up` fills without keys; standard error says
    /// so.
    ///
    /// - Throws: ``MissingLogError`` if neither exists.
    func existingLogDatabase(ofAlerts: Bool) throws(MissingLogError) -> LogDatabase {
        let own = logDatabase(ofAlerts: ofAlerts)
        guard case .file(let path) = own.location else { return own }
        if access(path, F_OK) == 0 || errno != ENOENT { return own }
        var sandbox = self
        sandbox.dataFolder = sandboxDataFolder
        let ofSandbox = sandbox.logDatabase(ofAlerts: ofAlerts)
        let name = ofSandbox.name
        guard access(name, F_OK) == 0 else { throw MissingLogError(path: path, owner: own.owner) }
        Console.printError(
            "marquee: 샌드박스 데이터를 읽습니다: \(name)", "marquee: reading \(name), which has the figures of the sandbox")
        return ofSandbox
    }

    /// Where `marquee up` without keys keeps generated figures, so that they never mix with real ones.
    var sandboxDataFolder: String { "\(dataFolder)/sandbox" }

    /// Returns a configuration that uses the sandbox for all upstreams, or this one if it has a KOBIS key.
    func withSandbox() -> Configuration {
        guard kobis.key == nil else { return self }
        var configuration = self
        configuration.kobis.url = "\(sandboxHTTP.url)\(SandboxServer.kobisPath)"
        configuration.kobis.key = Secret(SandboxOptions.anyKobisKey)
        configuration.kakao.url = sandboxHTTP.url
        configuration.kakao.key = Secret(SandboxOptions.anyKakaoKey)
        if openMarket.url == nil {
            configuration.openMarket.url = "\(sandboxHTTP.url)\(SandboxServer.openMarketPath)"
            configuration.openMarket.identifier = Secret(SandboxOptions.anyOpenMarketIdentifier)
            configuration.openMarket.secret = Secret(SandboxOptions.anyOpenMarketSecret)
        }
        configuration.allowsPrivateImages = true
        return configuration
    }

    /// Returns a logger with the configured level and format that redacts the configured secrets and `others`.
    func logger(_ label: StaticString, secrets others: [Secret] = []) -> Logger {
        Logger(label: label, level: logLevel, format: logFormat, secrets: secrets + others)
    }
}

extension Console {
    /// Says on standard error that an event of a log cannot be read, and is left out.
    static func printUnreadable(_ event: LoggedEvent, _ error: DecodingError) {
        printError(
            "marquee: 읽을 수 없는 이벤트를 건너뜁니다: \(event.topic), \(event.sequence)번\n  원문: \(error)",
            "marquee: left out \(event.topic), event \(event.sequence), which cannot be read: \(error)")
    }
}

/// A log that a command reads does not exist.
struct MissingLogError: BilingualError {
    let path: String
    let owner: String

    /// The path, and what to do.
    var text: BilingualText {
        BilingualText(
            "\(path) 이벤트 로그가 없습니다. `marquee up`이나 `marquee \(owner)`를 실행하거나, "
                + "실행 중인 프로세스의 폴더를 MARQUEE_DATA에 지정하세요",
            "there is no log at \(path): start `marquee up` or `marquee \(owner)`, "
                + "or set MARQUEE_DATA to the folder of one that runs")
    }
}

extension Usage.Option {
    /// Selects the notifier's log instead of the worker's.
    static var alerts: Usage.Option {
        Usage.Option("--alerts", "수집 서버 대신 알림 서버의 데이터베이스", "the notifier's database instead of the worker's")
    }

    /// `--crash-at`: the process dies the N-th time that it reaches a step (docs/reliability.md). Tests use it to prove
    /// that no step loses data.
    static let crashAt = Usage.Option(hidden: "--crash-at", value: "STEP[:N]")
}

extension Arguments {
    /// Returns the steps to crash at, if `--crash-at` was given.
    func failPoints() throws(UsageError) -> FailPoints {
        let steps = FailPoint.allCases.map(\.rawValue).joined(separator: ", ")
        let expected = localized("\(steps) 중 하나, 뒤에 :N을 붙일 수 있음", "one of \(steps), optionally followed by :N")
        return try value("--crash-at", expected: expected) { FailPoints($0) }
            ?? .none
    }
}
