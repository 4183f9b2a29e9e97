import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import Messaging
import Networking
import Notifier
import ServiceRuntime
import Storage
import Text
import Upstreams
import Worker
import YAML
import ZeroMQ

struct CheckCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "check", arguments: "[rules FILE]",
            summary: localized(
                "설정, 프로세스, 외부 서비스를 점검해 한 줄씩 보여 줍니다.",
                "Checks the configuration, the processes and the upstreams, one line each."),
            details: localized(
                """
                영화진흥위원회와 카카오를 한 번씩 호출하며, 이 호출도 하루 한도에 포함됩니다. 데이터 폴더 쓰기 권한, 디스크 여유 공간,
                시스템 시각, 인증키와 영화진흥위원회 연결 중 하나라도 문제가 있으면 실패합니다. 인증키가 없으면 샌드박스를 점검합니다.
                MARQUEE_DATABASE가 있으면 데이터베이스 서버도 점검해, 접수한 요청이 사라질 수 있는지 보여 줍니다.

                `rules FILE`을 지정하면 그 규칙 파일만 점검해 어느 규칙이 어느 알림 채널로 가는지 보여 줍니다. 오류가 있으면 오류마다 위치와
                내용, 올바른 형식을 한 줄로 보여 주고 실패합니다.
                """,
                """
                Calls KOBIS and Kakao once each, as the worker would; these calls count as two of the day's. Fails if something that the worker needs is missing: a data folder that can be
                written, free disk, a right clock, and a KOBIS service with its key. Without a key it checks the sandbox.
                With MARQUEE_DATABASE it checks the server, too, and says where an acknowledged request could be lost.

                With `rules FILE` it checks only that rule file, and prints which rule goes to which sink, or a line for
                each mistake: its position, what is wrong and what was expected. It fails if there is any.
                """))
    }

    private let ruleFile: String?

    init(_ arguments: Arguments) throws(UsageError) {
        switch (arguments.positional.first, arguments.positional.count) {
        case (nil, _): ruleFile = nil
        case ("rules", 2): ruleFile = arguments.positional[1]
        case ("rules", 1): throw UsageError("check rules에는 FILE이 필요합니다", "check rules needs a FILE")
        default: throw UsageError("check에는 인수가 없거나 rules FILE을 지정합니다", "check takes no arguments, or: rules FILE")
        }
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        if let ruleFile { return read(ruleFile, printsRules: true) }
        var report = Report()
        checkFiles(configuration, &report)
        let io = try configuration.makeClientThread()
        // A call is booked by a commit.
        if checkDatabase(configuration, &report) { await checkUpstreams(configuration, io, &report) }
        await checkProcesses(configuration, io, &report)
        await io.shutdown()
        report.lines.forEach(Console.print)
        return report.isGood ? .done : .failed
    }

    /// Checks the data folder, its disk and the rule file.
    private func checkFiles(_ configuration: Configuration, _ report: inout Report) {
        let folder = configuration.dataFolder
        do throws(DataFolder.DataFolderError) {
            try DataFolder(folder).checkWritable()
            report.add(true, "데이터 폴더", "data folder", folder)
        } catch {
            report.add(false, "데이터 폴더", "data folder", error.text(in: .current))
        }
        if let disk = DiskSpace(ofFolder: folder) {
            let isBelow = disk.isBelow(reserve: Double(configuration.diskReserveMegabytes << 20))
            let (free, size) = (Int(disk.free / 1e6).grouped, Int(disk.size / 1e6).grouped)
            let space = localized("\(size) MB 중 \(free) MB 남음", "\(free) of \(size) MB free")
            report.add(!isBelow, "디스크", "disk", isBelow ? "\(space) < MARQUEE_DISK_RESERVE_MB" : space)
        }
        if let path = configuration.rules { report.add(read(path) == .done, "규칙", "rules", path) }
    }

    /// Reads a rule file and prints which rule goes to which sink, or its mistakes.
    private func read(_ path: String, printsRules: Bool = false) -> ExitStatus {
        do throws(ConfigurationDiagnosticsError) {
            let file = try RuleFile.read(path: path)
            let (rules, sinks) = (file.rules.names, file.sinks)
            Console.print(
                "\(path): 규칙 \(rules.count)개, 알림 채널 \(sinks.count)개",
                "\(path): \(rules.count) rule\(rules.count == 1 ? "" : "s"), \(sinks.count) sink\(sinks.count == 1 ? "" : "s")"
            )
            guard printsRules else { return .done }
            rules.map { rule in
                let names = sinks.filter { $0.rules(among: file.rules).contains(rule) }.map(\.name)
                let none = localized("알림 채널 없음", "no sink")
                return [rule.rawValue, names.isEmpty ? none : names.joined(separator: ", ")]
            }.aligned().forEach(Console.print)
            let off = AlertRules.standardNames.filter { !rules.contains($0) }.map(\.rawValue).joined(separator: ", ")
            if !off.isEmpty {
                Console.print(
                    "`rules`에 없어 적용되지 않는 기본 규칙: \(off)", "not in force, because `rules` does not name them: \(off)")
            }
            return .done
        } catch {
            Console.printError(error.text(in: .current))
            return .failed
        }
    }

    /// Checks the keys and the reachability of the upstreams, and the clock. Only KOBIS is required.
    private func checkUpstreams(_ configuration: Configuration, _ io: IOThread, _ report: inout Report) async {
        let worker = await callCounter(configuration, io)
        let client = HTTPClient(retry: .never) { service throws(UpstreamError) in
            try await worker?.book(service)
            return nil
        }
        let (kobis, kakao) = (configuration.kobis, configuration.kakao)
        if let key = kobis.key?.value {
            let call = Kobis(url: kobis.url, key: key).dailyChart(.yesterday(at: Date()), market: .all).dated
            await check(call, at: kobis.url, "KOBIS", "KOBIS", with: client, &report)
            if let key = kakao.key?.value {
                let call = KakaoImageSearch(url: kakao.url, key: key).images(query: "영화 포스터").dated
                await check(call, at: kakao.url, "카카오", "Kakao", with: client, &report)
            } else {
                report.add(
                    nil, "카카오 인증키", "Kakao key",
                    localized("없음, 포스터를 찾지 않음. MARQUEE_KAKAO_KEY를 지정하세요", "none: no posters; set MARQUEE_KAKAO_KEY"))
            }
        } else {
            await checkSandbox(configuration.sandboxHTTP.url, with: client, &report)
        }
        if let url = configuration.openMarket.url {
            let call = OpenMarketAPI(url: url, identifier: "").health()
            do throws(UpstreamError) {
                report.add(try await client.send(call) ? true : nil, "오픈마켓", "Open Market", url)
            } catch {
                report.add(nil, "오픈마켓", "Open Market", error.text(of: url, "OpenMarket"))
            }
        }
        await client.shutdown()
    }

    /// Returns the worker, which counts the calls that this command makes with its keys; nil if it does not answer.
    private func callCounter(_ configuration: Configuration, _ io: IOThread) async -> CommandClient? {
        do {
            let client = try await CommandClient(io, addresses: configuration.reachableCommands)
            _ = try await client.ask("status", within: .seconds(5))
            return client
        } catch {
            return nil  // another check says so
        }
    }

    private func checkSandbox(_ url: String, with client: HTTPClient, _ report: inout Report) async {
        let none = localized("MARQUEE_KOBIS_KEY 없음", "no MARQUEE_KOBIS_KEY is set")
        do throws(UpstreamError) {
            let response = try await head(url, with: client)
            checkClock(against: response.date, &report)
            report.add(true, "샌드박스", "sandbox", "\(url) (\(none))")
        } catch {
            report.add(false, "KOBIS 인증키", "KOBIS key", "\(none), \(error.text(of: url))")
        }
    }

    /// Makes the call that the worker would make first.
    private func check(
        _ call: APICall<Date?>, at url: String, _ korean: String, _ english: String, with client: HTTPClient,
        _ report: inout Report
    ) async {
        let (korean, name) = ("\(korean) 서비스", "\(english) service")
        do throws(UpstreamError) {
            let date = try await client.send(call)
            report.add(true, korean, name, url)
            if english == "KOBIS" { checkClock(against: date, &report) }
        } catch {
            report.add(false, korean, name, error.text(of: url, english))
        }
    }

    /// Checks this machine's clock, from which the worker takes what day it is in Korea.
    private func checkClock(against date: Date?, _ report: inout Report) {
        guard let date else { return }
        let seconds = Int(Date().timeIntervalSince(date).rounded())
        report.add(
            abs(seconds) < 60, "시계", "clock",
            localized(
                "외부 서비스와의 차이 \(seconds)초", "\(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of") the service"))
    }

    /// Checks whether worker, notifier and board answer; none is required.
    private func checkProcesses(_ configuration: Configuration, _ io: IOThread, _ report: inout Report) async {
        for address in configuration.reachableCommands {
            let reason = await silence(at: address, io)
            report.add(reason == nil ? true : nil, "수집 서버", "worker", reason ?? address)
        }
        for address in configuration.reachableAlertCommands {
            let reason = await silence(at: address, io)
            report.add(reason == nil ? true : nil, "알림 서버", "notifier", reason ?? address)
        }
        let client = HTTPClient(retry: .never)
        let url = configuration.boardHTTP.url
        do throws(UpstreamError) {
            _ = try await head("\(url)/healthz", with: client)
            report.add(true, "보드", "board", url)
        } catch {
            report.add(nil, "보드", "board", error.text(of: url))
        }
        await client.shutdown()
    }

    /// Asks for the headers of an address; any status is an answer.
    private func head(_ url: String, with client: HTTPClient) async throws(UpstreamError) -> HTTPResponse {
        let request = HTTPRequest(url, method: .head, deadline: .seconds(5))
        return try await client.send(APICall(service: "check", request: request) { $0 })
    }

    /// Asks a process for its status; returns why there is none, or nil if there is.
    private func silence(at address: String, _ io: IOThread) async -> String? {
        do {
            let client = try await CommandClient(io, addresses: [address])
            let reply = try await client.ask("status", within: .seconds(5))
            await client.close()
            return reply.failure?.summary()
        } catch {
            return Language.current.text(of: error)
        }
    }

    /// Checks the PostgreSQL server of `MARQUEE_DATABASE`, and says where an acknowledged request could be lost.
    ///
    /// Returns whether a commit can end.
    private func checkDatabase(_ configuration: Configuration, _ report: inout Report) -> Bool {
        let logs = [false, true].map(configuration.logDatabase(ofAlerts:))
        var servers: [(owner: String, report: ServerReport)] = []
        do throws(DatabaseError) {
            for log in logs { if let server = try log.serverReport() { servers.append((log.owner, server)) } }
        } catch {
            report.add(false, "데이터베이스", "database", Language.current.text(of: error))
            return true
        }
        guard let server = servers.first?.report else { return true }
        let milliseconds = Int((server.roundTrip / .milliseconds(1)).rounded(.up))
        report.add(true, "데이터베이스", "database", "\(logs[0].name), PostgreSQL \(server.version), \(milliseconds) ms")
        let refused = servers.filter { !$0.report.mayWrite }.map(\.owner).joined(separator: ", ")
        report.add(
            refused.isEmpty, "데이터베이스 권한", "database rights",
            refused.isEmpty
                ? localized("있음", "present")
                : localized("`create` 권한이 없는 스키마: \(refused)", "may not CREATE tables of \(refused)"))
        report.add(
            server.encryption != nil || server.isLocal ? true : nil, "데이터베이스 암호화", "database encryption",
            server.encryption ?? localized("없음(`sslmode=verify-full`로 설정)", "none (sslmode=verify-full sets it)"))
        report.add(
            server.isSynced, "데이터베이스 커밋", "database commits",
            "fsync \(server.isSynced ? "on" : "off"), synchronous_commit \(server.synchronousCommit)")
        let isAlone = server.standbyNames.isEmpty || server.synchronousCommit == "local"
        report.add(
            isAlone ? nil : server.hasStandby, "데이터베이스 대기 서버", "database standby",
            isAlone
                ? localized("없음, 접수한 요청이 한 컴퓨터의 디스크에만 있음", "none: one machine's disk holds acknowledged requests")
                : "synchronous_standby_names '\(server.standbyNames)'"
                    + (server.hasStandby == false ? localized(", 연결 안 됨", ", none is connected") : ""))
        return server.standbyNames.isEmpty || server.hasStandby != false
    }

    private struct Report {
        private var rows: [[String]] = []
        private(set) var isGood = true

        var lines: [String] { rows.aligned() }

        /// Adds a check that has to pass; nil marks something optional that is not there.
        mutating func add(_ passes: Bool?, _ korean: String, _ english: String, _ text: String) {
            isGood = isGood && passes != false
            let failed = TerminalColor.red.paint(localized("실패", "FAILED"))
            rows.append([passes.map { $0 ? localized("정상", "ok") : failed } ?? "-", localized(korean, english), text])
        }
    }
}

extension CommandClient {
    /// Books a call. Nothing is booked by a worker that does not know the command, or does not allow it.
    ///
    /// - Throws: `quotaExhausted` if no call is left.
    fileprivate func book(_ service: String) async throws(UpstreamError) {
        guard [Kobis.service, KakaoImageSearch.service].contains(service) else { return }
        do {
            let body = try JSON.text(["service": service])
            let failure = try await ask("book", body, within: .seconds(5)).failure
            guard let failure, failure.code == .quotaExhausted else { return }
            throw UpstreamError(service: service, kind: .quotaExhausted, message: failure.message)
        } catch let error as UpstreamError {
            throw error
        } catch {
            return  // the call is made all the same: it shows whether the service answers
        }
    }
}

extension APICall {
    /// The endpoint whose value is the time of the response by the service's clock. A day without figures is an answer.
    fileprivate var dated: APICall<Date?> {
        APICall<Date?>(service: service, request: request) { response throws(UpstreamError) in
            do throws(UpstreamError) {
                _ = try read(response)
            } catch {
                guard error.kind == .notPublished else { throw error }
            }
            return response.date
        }
    }
}

extension UpstreamError {
    /// Why the service at a URL gave no answer, and the variable that may be wrong.
    fileprivate func text(of url: String, _ name: String) -> String {
        let text = text(of: url)
        let word: String
        switch kind {
        case .unauthorized, .forbidden: word = "KEY"
        case .wrongAddress: word = "URL"
        // Nothing answers there: an unknown host, or one that refuses.
        case .unavailable where status == nil: word = "URL"
        default: return text
        }
        let variable = "MARQUEE_\(name.uppercased())_\(word)"
        return localized("\(text). \(variable) 값을 확인하세요", "\(text); check \(variable)")
    }
}
