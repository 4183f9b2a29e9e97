import BoxOffice
import Contract
import EventStore
import ServiceRuntime
import Text

struct BackupCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "backup", arguments: "FILE",
            summary: localized(
                "수집 서버의 데이터베이스를 FILE로 백업합니다. 서버가 실행 중이어도 됩니다.",
                "Copies the worker's database to FILE, also while the worker runs."),
            details: localized(
                """
                FILE은 새 파일이어야 하며, 복사와 검증이 끝나고 디스크에 기록되면 만들어집니다. 수집 서버와 알림 서버의 백업 시점은
                서로 달라도 됩니다.
                """,
                """
                FILE must not exist; it appears when it is complete, verified and on disk. Backups of worker and notifier
                need not be from the same time.
                """),
            options: [.alerts])
    }

    private let file: String
    private let isOfAlerts: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        file = try arguments.onlyPositional("FILE")
        isOfAlerts = arguments.has("--alerts")
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let log = try configuration.existingLogDatabase(ofAlerts: isOfAlerts)
        try log.backUp(to: file)
        Console.print("\(log.name) → \(file) 백업 완료", "\(log.name) is backed up in \(file)")
        return .done
    }
}

struct RestoreCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "restore", arguments: "FILE",
            summary: localized(
                "수집 서버의 데이터베이스를 백업으로 되돌립니다. 파일을 쓰는 프로세스가 없어야 합니다.",
                "Replaces the worker's database by a copy of a backup, while no process has it open."),
            details: localized(
                """
                FILE은 먼저 검증하며 바뀌지 않습니다. 기존 데이터베이스는 같은 폴더에 보관됩니다. 복원된 이벤트 로그는 새 에포크를 가지므로 구독자는
                처음부터 다시 시작합니다. 손상된 데이터베이스를 FILE로 지정하면 읽을 수 있는 이벤트를 복구합니다.
                """,
                """
                FILE is verified first and not changed; the replaced database is kept beside it. The restored log has a new
                epoch: subscribers start again. FILE may be a damaged database itself, to keep its readable events.
                """),
            options: [.alerts])
    }

    private let file: String
    private let isOfAlerts: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        file = try arguments.onlyPositional("FILE")
        isOfAlerts = arguments.has("--alerts")
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let other = configuration.logDatabase(ofAlerts: !isOfAlerts)
        guard !other.fits(file) else {
            let owner = isOfAlerts ? "수집 서버" : "알림 서버"
            Console.printError(
                "marquee: \(owner)의 데이터베이스입니다: \(file). --alerts 옵션\(isOfAlerts ? " 없이" : "과 함께") 복원하세요",
                "marquee: \(file) is a database of the \(other.owner): restore it with\(isOfAlerts ? "out" : "") "
                    + "--alerts")
            return .failed
        }
        _ = try DataFolder(configuration.dataFolder)
        let log = configuration.logDatabase(ofAlerts: isOfAlerts)
        let kept = try log.restore(from: file)
        let contents = try log.contents()
        Console.print(
            "\(log.name): 이벤트 \(contents.events.grouped)건, 새 에포크 \(contents.epoch)",
            "\(log.name): \(contents.events.grouped) events, now of epoch \(contents.epoch)")
        if let kept {
            Console.print("기존 데이터베이스 보관: \(kept)", "kept what was there: \(kept)")
        }
        return .done
    }
}
