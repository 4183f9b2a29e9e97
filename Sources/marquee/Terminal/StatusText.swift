import BoxOffice
import Contract
import FoundationEssentials
import Text
import Worker

/// What worker and notifier answer to `status`; a field that one of them does not have is nil.
struct ProcessStatus: Decodable {
    struct Balance: Decodable {
        let limit: Int
        let used: Int
        let left: Int
        let leftForBackfill: Int
        let forBackfill: Int
    }

    struct Run: Decodable {
        let what: String
        let at: String
    }

    struct Deliveries: Decodable {
        let sent: Int
        let waiting: Int
        let dead: Int
    }

    let version: String
    let epoch: String
    let uptime: Int
    let positions: [String: String]
    let quota: [String: Balance]
    let schedule: [Run]?
    let backfill: BackfillProgress?
    let setAside: [String]?
    let sinks: [String: Deliveries]?
    /// The worker's queue, `live` and `backfill`; the notifier's has a number for each sink, which `sinks` repeats.
    let queue: [String: Int]
    /// The process, if others may share its database; of workers, all that do.
    let name: String?
    let workers: [SharingWorker]?
}

/// The text of the status of the worker or the notifier: a line for each fact.
struct StatusText {
    let status: ProcessStatus
    let address: String
    let isOfNotifier: Bool
    var language = Language.current

    /// The process and its address, and a table of names and values.
    var lines: [String] {
        let process = isOfNotifier ? language("알림 서버", "Notifier") : language("수집 서버", "Worker")
        return factTable(
            "\(process) · \(address)",
            [
                (language("버전", "Version"), [status.version]),
                (language("프로세스", "Process"), [status.name]),
                (language("가동 시간", "Uptime"), [Self.text(seconds: status.uptime, in: language)]),
                (language("수집 서버 목록", "Workers"), workers),
                (language("대기열", "Queue"), [queue]),
                (language("API 호출 한도", "API calls today"), quota),
                (language("과거 데이터 수집", "Backfill"), [backfill]),
                (language("다음 실행 예정", "Next runs"), schedule),
                (language("보류된 요청", "Set aside"), status.setAside ?? []),
                (language("알림 발송", "Deliveries"), deliveries),
                (language("이벤트 로그", "Log"), [language("에포크 \(status.epoch)", "epoch \(status.epoch)")]),
                (language("이벤트 번호", "Log positions"), [positions]),
            ])
    }

    private var workers: [String] {
        (status.workers ?? []).table([
            .left { $0.name },
            .right { worker in
                let silence = Self.text(seconds: worker.silence, in: language)
                return language("마지막 신호 \(silence) 전", "seen \(silence) ago")
            },
            .right { language("할당된 요청 \($0.requests.grouped)건", "\($0.requests.grouped) claimed") },
            .left { $0.isLeader ? language("리더", "leader") : "" },
        ])
    }

    private var queue: String? {
        guard !isOfNotifier, let live = status.queue["live"]?.grouped,
            let backfill = status.queue["backfill"]?.grouped
        else { return nil }
        return language("실시간 요청 \(live)건 · 과거 데이터 수집 \(backfill)건", "\(live) live · \(backfill) backfill")
    }

    private var quota: [String] {
        let names = [
            ("kobis", "KOBIS"), ("kakao", language("카카오", "Kakao")), ("openmarket", language("오픈마켓", "Open Market")),
        ]
        return names.compactMap { service, name -> [String]? in
            guard let balance = status.quota[service] else { return nil }
            let (used, limit, left) = (balance.used.grouped, balance.limit.grouped, balance.left.grouped)
            let forBackfill = balance.leftForBackfill.grouped
            return [
                name, language("\(used) / \(limit)회 사용", "\(used) of \(limit) used"),
                language("\(left)회 남음(과거 데이터 수집용 \(forBackfill)회)", "\(left) left (\(forBackfill) for backfill)"),
            ]
        }.aligned(right: [1])
    }

    private var backfill: String? {
        status.backfill.map { backfill in
            let parts = ["\(backfill.first) ~ \(backfill.last)"] + backfill.counts(in: language)
            return (parts + [backfill.state(in: language)].compactMap(\.self)).joined(separator: " · ")
        }
    }

    private var schedule: [String] {
        (status.schedule ?? []).table([.left { Date.koreanText(of: $0.at) }, .left { text(ofRun: $0.what) }])
    }

    /// Returns the text of a scheduled request by the name that `status` gives it: `day.2024-06-04.morning`,
    /// `weekend.2024-06-07.third.2`, `movie.20234675.2024-06-04`.
    private func text(ofRun name: String) -> String {
        let words = name.split(separator: ".")
        guard let date = words.filter({ $0.contains("-") }).lazy.compactMap({ KoreanDate($0) }).first else {
            return name
        }
        if let span = Week.Span(rawValue: String(words[0])) {
            let (week, name) = (Week(of: date, span: span), span.name(in: language))
            return language("\(week) \(name) 박스오피스", "\(name.lowercased()) chart of \(week)")
        }
        return switch words[0] {
        case "day": language("\(date) 박스오피스", "chart of \(date)")
        case "movie": language("\(date) 신규 영화 정보(\(words[1]))", "movie \(words[1]), new on \(date)")
        default: name
        }
    }

    private var deliveries: [String] {
        guard let sinks = status.sinks else { return [] }
        guard !sinks.isEmpty else { return [language("알림 채널 없음", "no sinks are configured")] }
        return sinks.sorted { $0.key < $1.key }.table([
            .left { $0.key },
            .right { language("발송 \($0.value.sent.grouped)", "\($0.value.sent.grouped) sent") },
            .right { language("대기 \($0.value.waiting.grouped)", "\($0.value.waiting.grouped) waiting") },
            .right { sink in
                let dead = sink.value.dead
                return TerminalColor.red.paint(language("실패 \(dead.grouped)", "\(dead.grouped) failed"), if: dead > 0)
            },
        ])
    }

    private var positions: String {
        let parts = status.positions.sorted { $0.key < $1.key }.map { stream, position in
            "\(stream) \(SequenceNumber(position).map { Int($0.value).grouped } ?? position)"
        }
        return parts.isEmpty ? "-" : parts.joined(separator: " · ")
    }

    /// Returns a duration in its two largest units: `2 d 3 h`.
    static func text(seconds: Int, in language: Language) -> String {
        let units = [
            (seconds / 86_400, language("일", " d")), (seconds / 3_600 % 24, language("시간", " h")),
            (seconds / 60 % 60, language("분", " min")), (seconds % 60, language("초", " s")),
        ]
        let first = units.firstIndex { $0.0 > 0 } ?? units.count - 1
        return units[first...].prefix(2).filter { $0.0 > 0 || first == units.count - 1 }.map { "\($0.0)\($0.1)" }
            .joined(separator: " ")
    }
}
