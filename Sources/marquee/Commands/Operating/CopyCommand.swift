import BoxOffice
import EventStore
import ServiceRuntime
import Storage
import Text

struct CopyCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "copy", arguments: "--to TARGET",
            summary: localized(
                "수집 서버와 알림 서버의 데이터베이스를 PostgreSQL로, 또는 PostgreSQL에서 파일로 복사합니다.",
                "Copies the databases of worker and notifier to PostgreSQL, or from there to files."),
            details: localized(
                """
                두 서버를 먼저 종료해야 합니다. 번호와 에포크가 그대로이므로 구독자는 이어서 받습니다. 모든 행을 원본과 비교한 뒤에만
                복사본이 생기며, TARGET에 데이터베이스가 이미 있으면 실패합니다. 원본은 그대로 남지만 다시 실행하지 마세요.

                비밀번호는 명령행 대신 `PGPASSFILE`로 지정하세요.
                """,
                """
                Both must be stopped. Numbers and epoch stay, so subscribers go on where they were. The copy is there only
                when all its rows are compared with those of the source; it fails if TARGET has a database already. The
                source stays as it is: do not start on it again.

                Give a password by PGPASSFILE, because other users see command lines.
                """),
            options: [
                Usage.Option(
                    "--to", value: "TARGET",
                    "postgresql://USER@HOST/DATABASE(MARQUEE_DATA의 파일을 복사) 또는 폴더(MARQUEE_DATABASE를 복사)",
                    "postgresql://USER@HOST/DATABASE, for the files in MARQUEE_DATA; or a folder, for MARQUEE_DATABASE")
            ])
    }

    private let target: String

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.rejectPositional()
        guard let target = arguments.value("--to")?.trimmingHidden, !target.isEmpty else {
            throw UsageError("--to TARGET을 지정하세요", "--to TARGET is missing")
        }
        self.target = target
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let (from, to) = try places(configuration)
        var copies: [(from: LogDatabase, to: LogDatabase, copy: DatabaseCopy)] = []
        // Both are opened before one is copied: what is refused has changed nothing.
        for isOfAlerts in [false, true] {
            let (from, to) = (from.logDatabase(ofAlerts: isOfAlerts), to.logDatabase(ofAlerts: isOfAlerts))
            if let copy = try from.beginCopy(to: to) { copies.append((from, to, copy)) }
        }
        guard !copies.isEmpty else {
            let worker = from.logDatabase(ofAlerts: false)
            throw MissingLogError(path: worker.name, owner: worker.owner)
        }
        let results = try copies.map { from, _, copy in
            // The log's checksums, too, are verified before the copy is there.
            (rows: try copy.run(), events: try from.contents().events)
        }
        for (_, _, copy) in copies { try copy.finish() }
        for ((from, to, _), (rows, events)) in zip(copies, results) {
            Console.print(
                "\(from.owner): 이벤트 \(events.grouped)건, 행 \(rows.grouped)개, 에포크 동일: \(from.name) → \(to.name)",
                "\(from.owner): \(events.grouped) events, \(rows.grouped) rows, same epoch: \(from.name) → \(to.name)")
        }
        return .done
    }

    /// Returns the settings of the source and of the target.
    private func places(_ configuration: Configuration) throws -> (from: Configuration, to: Configuration) {
        var (from, to) = (configuration, configuration)
        if ["postgresql://", "postgres://"].contains(where: target.hasPrefix) {
            from.database = nil
            to.database = Secret(target)
        } else {
            guard configuration.database != nil, !target.contains("://") else {
                throw UsageError(
                    "TARGET은 postgresql://USER@HOST/DATABASE여야 합니다. 폴더로 복사하려면 MARQUEE_DATABASE를 지정하세요",
                    "TARGET must be postgresql://USER@HOST/DATABASE; to copy to a folder, set MARQUEE_DATABASE")
            }
            to.database = nil
            to.dataFolder = try DataFolder(target).path
        }
        return (from, to)
    }
}
