import BoxOffice
import Contract
import FoundationEssentials
import Messaging
import Networking
import Notifier
import ServiceRuntime
import Text
import Upstreams
import Worker
import YAML
import ZeroMQ

struct CheckCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "check", arguments: "[rules FILE]",
            summary: Language.current(
                "설정, 프로세스, 외부 서비스를 점검해 한 줄씩 보여 줍니다.",
                "Checks the configuration, the processes and the upstreams, one line each."),
            details: Language.current(
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
        for line in report.lines { Console.print(line) }
        return report.isGood ? .done : .failed
    }

    /// Checks the data folder, its disk and the rule file.
    private func checkFiles(_ configuration: Configuration, _ report: inout Report) {
        report.add(true, Language.current("설정", "configuration"), Language.current("오류 없음", "read"))
        let proxies = ["http_proxy", "https_proxy", "all_proxy"].flatMap { [$0, $0.uppercased()] }
        if let proxy = proxies.first(where: { ProcessInfo.processInfo.environment[$0]?.isEmpty == false }) {
            report.addMissing(
                Language.current("프록시", "proxy"),
                Language.current(
                    "\(proxy)가 설정되어 있지만 프록시는 쓰지 않음", "\(proxy) is set, but marquee uses no proxies"))
        }
        let folder = configuration.dataFolder
        do throws(DataFolder.DataFolderError) {
            try DataFolder(folder).checkWritable()
            report.add(true, Language.current("데이터 폴더", "data folder"), folder)
        } catch {
            report.add(false, Language.current("데이터 폴더", "data folder"), error.text(in: .current))
        }
        if let disk = DiskSpace(ofFolder: folder) {
            let reserve = Double(configuration.diskReserveMegabytes << 20)
            let (free, size) = (Int(disk.free / 1e6).grouped, Int(disk.size / 1e6).grouped)
            let space = Language.current("\(size) MB 중 \(free) MB 남음", "\(free) of \(size) MB free")
            report.add(
                !disk.isBelow(reserve: reserve), Language.current("디스크", "disk"),
                disk.isBelow(reserve: reserve)
                    ? space
                        + Language.current(
                            ". 수집 서버가 요청을 거절합니다(MARQUEE_DISK_RESERVE_MB)",
                            "; the worker refuses requests (MARQUEE_DISK_RESERVE_MB)") : space)
        }
        if let path = configuration.rules { report.add(read(path) == .done, Language.current("규칙", "rules"), path) }
    }

    /// Checks the keys and the reachability of the upstreams, and the clock. Only KOBIS is required.
    private func checkUpstreams(_ configuration: Configuration, _ io: IOThread, _ report: inout Report) async {
        let booking = await CallBooking(configuration, io)
        let client = HTTPClient(retry: .never) { service throws(UpstreamError) in
            try await booking.book(service)
            return nil
        }
        let (kobis, kakao) = (configuration.kobis, configuration.kakao)
        if kobis.key == nil {
            await checkSandbox(configuration.sandboxHTTP.url, with: client, &report)
        } else {
            await check(kobis, "KOBIS", "KOBIS", with: client, &report) { key in
                Kobis(url: kobis.url, key: key).dailyChart(.yesterday(at: Date()), market: .all).dated
            }
            await check(kakao, "KAKAO", Language.current("카카오", "Kakao"), with: client, &report) { key in
                KakaoImageSearch(url: kakao.url, key: key).images(query: "영화 포스터").dated
            }
        }
        await checkOpenMarket(configuration.openMarket, with: client, &report)
        await client.shutdown()
    }

    private func checkSandbox(_ url: String, with client: HTTPClient, _ report: inout Report) async {
        let keys = Language.current(
            "MARQUEE_KOBIS_KEY나 MARQUEE_KOBIS_KEY_FILE이 없음", "no MARQUEE_KOBIS_KEY or MARQUEE_KOBIS_KEY_FILE is set")
        do throws(UpstreamError) {
            let response = try await head(url, with: client)
            checkClock(against: response.date, of: Language.current("샌드박스", "the sandbox"), &report)
            report.add(
                true, Language.current("샌드박스", "sandbox"),
                Language.current("\(url), 모든 외부 서비스 대신 사용: \(keys)", "\(url), in place of all services: \(keys)"))
        } catch {
            report.add(
                false, Language.current("KOBIS 인증키", "KOBIS key"),
                Language.current(
                    "\(keys), 샌드박스도 응답 없음: \(url)", "\(keys), and no sandbox answers: \(error.message)"))
        }
    }

    /// Makes the call that the worker would make first.
    ///
    /// - Parameter word: the part of the names of the upstream's variables
    private func check(
        _ upstream: Configuration.Upstream, _ word: String, _ name: String, with client: HTTPClient,
        _ report: inout Report,
        _ call: (_ key: String) -> APICall<Date?>
    ) async {
        let variable = "MARQUEE_\(word)_KEY"
        guard let key = upstream.key else {
            return report.addMissing(
                Language.current("\(name) 인증키", "\(name) key"),
                Language.current(
                    "없음, 포스터를 찾지 않음. \(variable)나 \(variable)_FILE을 지정하세요",
                    "none: no posters; set \(variable) or \(variable)_FILE"))
        }
        report.add(true, Language.current("\(name) 인증키", "\(name) key"), Language.current("있음", "present"))
        do throws(UpstreamError) {
            let date = try await client.send(call(key.value))
            report.add(true, Language.current("\(name) 서비스", "\(name) service"), upstream.url)
            if word == "KOBIS" { checkClock(against: date, of: name, &report) }
        } catch {
            report.add(
                false, Language.current("\(name) 서비스", "\(name) service"), error.text(of: upstream.url, word))
        }
    }

    /// Checks this machine's clock, from which the worker takes what day it is in Korea.
    private func checkClock(against date: Date?, of service: String, _ report: inout Report) {
        guard let date else { return }
        let seconds = Int(Date().timeIntervalSince(date).rounded())
        let text =
            abs(seconds) <= 2
            ? Language.current("\(service) 시계와 같음", "as that of \(service)")
            : Language.current(
                "\(service) 시계보다 \(abs(seconds))초 \(seconds > 0 ? "빠름" : "느림")",
                "\(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") that of \(service)")
        report.add(abs(seconds) < 60, Language.current("시계", "clock"), text)
    }

    /// Checks whether worker, notifier and board answer; none is required.
    private func checkProcesses(_ configuration: Configuration, _ io: IOThread, _ report: inout Report) async {
        let worker = Language.current("수집 서버", "worker")
        let notifier = Language.current("알림 서버", "notifier")
        for (name, address) in configuration.reachableCommands.map({ (worker, $0) })
            + configuration.reachableAlertCommands.map({ (notifier, $0) })
        {
            if let reason = await silence(at: address, io) {
                report.addMissing(name, reason)
            } else {
                report.add(true, name, address)
            }
        }
        let client = HTTPClient(retry: .never)
        do throws(UpstreamError) {
            _ = try await head("\(configuration.boardHTTP.url)/healthz", with: client)
            report.add(true, Language.current("보드", "board"), configuration.boardHTTP.url)
        } catch {
            report.addMissing(Language.current("보드", "board"), error.text(of: configuration.boardHTTP.url))
        }
        await client.shutdown()
    }

    /// Reads a rule file and prints what it holds, or its mistakes.
    private func read(_ path: String, printsRules: Bool = false) -> ExitStatus {
        do throws(ConfigurationDiagnosticsError) {
            let file = try RuleFile.read(path: path)
            let rules = file.rules.names.count
            let sinks = file.sinks.count
            Console.print(
                "\(path): 규칙 \(rules)개, 알림 채널 \(sinks)개",
                "\(path): \(Self.count(rules, "rule")), \(Self.count(sinks, "sink"))")
            if printsRules { printRules(of: file) }
            return .done
        } catch {
            Console.printError(error.text(in: .current))
            return .failed
        }
    }

    /// Prints which rule goes to which sink, and what a reader of the file may not expect.
    private func printRules(of file: RuleFile) {
        var table = TextTable([.left, .left])
        for rule in file.rules.names {
            let sinks = file.sinks.filter { $0.rules(among: file.rules).contains(rule) }.map(\.name)
            table.add([
                rule.rawValue, sinks.isEmpty ? Language.current("알림 채널 없음", "no sink") : sinks.joined(separator: ", "),
            ])
        }
        table.lines.forEach(Console.print)
        let off = AlertRules.standardNames.filter { !file.rules.names.contains($0) }.map(\.rawValue)
        if !off.isEmpty {
            let names = off.joined(separator: ", ")
            Console.print(
                "`rules`에 없어 적용되지 않는 기본 규칙: \(names)", "not in force, because `rules` does not name them: \(names)")
        }
        for sink in file.sinks {
            let missing = sink.rules(notAmong: file.rules).map(\.rawValue).joined(separator: ", ")
            guard !missing.isEmpty else { continue }
            Console.print(
                "\(sink.name): 적용되지 않는 규칙을 지정함: \(missing)",
                "\(sink.name) names rules that are not in force: \(missing)")
        }
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }

    /// Checks the Open Market and the vendor's credentials, if it is configured; the worker needs neither.
    private func checkOpenMarket(
        _ openMarket: Configuration.OpenMarket, with client: HTTPClient, _ report: inout Report
    ) async {
        guard let url = openMarket.url else { return }
        let market = Language.current("오픈마켓", "Open Market")
        // All generations have the same health check.
        let api = OpenMarketAPI(url: url, generation: .v3, identifier: "")
        do throws(UpstreamError) {
            if try await client.send(api.health()) {
                report.add(true, market, url)
            } else {
                report.addMissing(
                    market, Language.current("\(url) 서비스가 정상이 아님", "\(url) says that it is not healthy"))
            }
        } catch {
            report.addMissing(market, error.text(of: url, "OpenMarket"))
        }
        let isVendor = openMarket.identifier != nil && openMarket.secret != nil
        report.add(
            true, Language.current("오픈마켓 판매자", "Open Market vendor"),
            isVendor
                ? Language.current("있음", "present")
                : Language.current(
                    "없음. 상품 조회는 가능하나 등록, 수정, 삭제는 할 수 없음",
                    "none; products can be read, but not registered, changed or removed"))
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

    struct Report {
        private var table = TextTable([.left, .left, .left])
        private(set) var isGood = true

        var lines: [String] { table.lines }

        /// Adds a check that has to pass.
        mutating func add(_ isGood: Bool, _ name: String, _ text: String) {
            self.isGood = self.isGood && isGood
            let verdict = isGood ? Language.current("정상", "ok") : Language.current("실패", "FAILED")
            table.add([verdict, name, text], paint: isGood ? [:] : [0: TerminalColor.red.paint])
        }

        /// Adds something optional that is not there.
        mutating func addMissing(_ name: String, _ reason: String) {
            table.add(["-", name, reason])
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
        return Language.current("\(text). \(variable) 값을 확인하세요", "\(text); check \(variable)")
    }
}
