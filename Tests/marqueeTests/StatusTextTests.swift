import FoundationEssentials
import JSONCoding
import Notifier
import Testing
import Text

@testable import marquee

/// The text of a process's status.
@Suite struct StatusTextTests {
    private let worker = """
        {"version":"0.1.0","epoch":"e1","uptime":7325,"queue":{"live":1,"backfill":2000},"setAside":["a","b"],
        "positions":{"ranking":"0000000000001234","movie":"0000000000000005"},
        "quota":{"kakao":{"day":"2026-11-25","limit":30000,"used":0,"left":30000,"leftForBackfill":24000,"forBackfill":24000},
        "kobis":{"day":"2026-11-25","limit":3000,"used":2,"left":2998,"leftForBackfill":2398,"forBackfill":2400}},
        "schedule":[{"what":"day.2026-11-22.second","at":"2026-11-24T20:13:57Z"},
        {"what":"movie.20262172.2026-11-24","at":"2026-11-24T20:13:57Z"},
        {"what":"weekend.2026-11-20.third.2","at":"2026-11-24T20:13:57Z"},{"what":"later","at":"soon"}],
        "backfill":{"number":1,"first":"2024-05-01","last":"2024-06-04","isInitial":false,"isOver":false,"total":35,"done":8,"failed":1,
        "rests":"quotaExhausted","restsUntil":"2026-11-25T15:00:00Z"}}
        """
    private let notifier = """
        {"version":"0.1.0","epoch":"e2","uptime":59,"positions":{},"learned":{},"queue":{"phone":3},"quota":{},
        "sinks":{"phone":{"waiting":3,"sent":1200,"dead":1},"file":{"waiting":0,"sent":0,"dead":0}}}
        """

    @Test("the worker's status is a table of queue, calls, backfill, schedule and positions")
    func ofWorker() throws {
        let status = try JSON.decode(ProcessStatus.self, from: Array(worker.utf8))
        #expect(
            StatusText(status: status, address: "tcp://h:1", isOfNotifier: false, language: .en).lines == [
                "Worker · tcp://h:1", "Version          0.1.0", "Uptime           2 h 2 min",
                "Queue            1 live · 2,000 backfill",
                "API calls today  KOBIS   2 of 3,000 used  2,998 left (2,398 for backfill)",
                "                 Kakao  0 of 30,000 used  30,000 left (24,000 for backfill)",
                "Backfill         2024-05-01 ~ 2024-06-04 · 9 of 35 · 1 not available · paused: quotaExhausted",
                "Next runs        2026-11-25 05:13:57  chart of 2026-11-22",
                "                 2026-11-25 05:13:57  movie 20262172, new on 2026-11-24",
                "                 2026-11-25 05:13:57  weekend chart of 2026-11-20~2026-11-22",
                "                 soon                 later", "Set aside        a", "                 b",
                "Log              epoch e1", "Log positions    movie 5 · ranking 1,234",
            ])
    }

    @Test("the notifier's status has the deliveries of each sink, in Korean in the trade's terms")
    func ofNotifier() throws {
        let status = try JSON.decode(ProcessStatus.self, from: Array(notifier.utf8))
        #expect(
            StatusText(status: status, address: "tcp://h:2", isOfNotifier: true, language: .ko).lines == [
                "알림 서버 · tcp://h:2", "버전         0.1.0", "가동 시간    59초",
                "알림 발송    file       발송 0  대기 0  실패 0", "             phone  발송 1,200  대기 3  실패 1",
                "이벤트 로그  에포크 e2", "이벤트 번호  -",
            ])
    }

    @Test("workers that share a database are listed, and the one that answers is named")
    func ofSeveral() throws {
        let several =
            worker.dropLast() + """
                ,"name":"12@b","workers":[{"name":"4711@a","silence":2,"requests":1200,"isLeader":true},
                {"name":"12@b","silence":14,"requests":0,"isLeader":false}]}
                """
        let status = try JSON.decode(ProcessStatus.self, from: Array(several.utf8))
        let texts = [Language.en, .ko].map { language in
            StatusText(status: status, address: "tcp://h:1", isOfNotifier: false, language: language).lines
        }
        #expect(
            Array(texts[0][2...5]) == [
                "Process          12@b", "Uptime           2 h 2 min",
                "Workers          4711@a   seen 2 s ago  1,200 claimed  leader",
                "                 12@b    seen 14 s ago      0 claimed",
            ])
        #expect(
            Array(texts[1][2...5]) == [
                "프로세스          12@b", "가동 시간         2시간 2분",
                "수집 서버 목록    4711@a   마지막 신호 2초 전  할당된 요청 1,200건  리더",
                "                  12@b    마지막 신호 14초 전      할당된 요청 0건",
            ])
    }

    @Test(
        "a duration has its two largest units",
        arguments: [(0, "0 s"), (61, "1 min 1 s"), (3_600, "1 h"), (90_061, "1 d 1 h")])
    func uptime(_ seconds: Int, _ text: String) {
        #expect(StatusText.text(seconds: seconds, in: .en) == text)
    }
}
