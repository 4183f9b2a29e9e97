import EventStore
import ServiceRuntime
import Storage
import Text

extension CheckCommand {
    /// Checks the PostgreSQL server of `MARQUEE_DATABASE`, and says where an acknowledged request could be lost.
    ///
    /// Returns whether a commit can end.
    func checkDatabase(_ configuration: Configuration, _ report: inout Report) -> Bool {
        let name = Language.current("데이터베이스", "database")
        let logs = [false, true].map(configuration.logDatabase(ofAlerts:))
        var servers: [(owner: String, report: ServerReport)] = []
        do throws(DatabaseError) {
            for log in logs { if let server = try log.serverReport() { servers.append((log.owner, server)) } }
        } catch {
            report.add(false, name, Language.current.text(of: error))
            return true
        }
        guard let server = servers.first?.report else { return true }
        report.add(true, name, "\(logs[0].name), PostgreSQL \(server.version)")
        let microseconds = Int(server.roundTrip / .microseconds(1))
        report.add(
            true, Language.current("\(name) 응답", "\(name) round trip"),
            "\(microseconds / 1_000).\(String(microseconds % 1_000 / 10 + 100).dropFirst()) ms")
        let refused = servers.filter { !$0.report.mayWrite }.map(\.owner).joined(separator: ", ")
        report.add(
            refused.isEmpty, Language.current("\(name) 권한", "\(name) rights"),
            refused.isEmpty
                ? Language.current("테이블을 만들 수 있음", "may make its tables")
                : Language.current(
                    "테이블을 만들거나 쓸 수 없는 스키마: \(refused). 데이터베이스나 스키마에 `create` 권한을 주세요",
                    "may not make or write tables of \(refused): grant CREATE on the database or on the schemas"))
        checkEncryption(of: server, name, &report)
        checkCommits(of: server, name, &report)
        checkStandby(of: server, name, &report)
        return server.standbyNames.isEmpty || server.hasStandby != false
    }

    private func checkEncryption(of server: ServerReport, _ name: String, _ report: inout Report) {
        let line = Language.current("\(name) 암호화", "\(name) encryption")
        if let encryption = server.encryption {
            report.add(true, line, encryption)
        } else if server.isLocal {
            report.add(true, line, Language.current("없음, 이 컴퓨터 안의 연결", "none, within this machine"))
        } else {
            report.addMissing(
                line,
                Language.current(
                    "없음, 네트워크에서 내용을 볼 수 있음. MARQUEE_DATABASE에 `sslmode=verify-full`을 지정하세요",
                    "none: the network can read all; set sslmode=verify-full in MARQUEE_DATABASE"))
        }
    }

    private func checkCommits(of server: ServerReport, _ name: String, _ report: inout Report) {
        let line = Language.current("\(name) 커밋", "\(name) commits")
        guard server.isSynced else {
            return report.add(
                false, line,
                Language.current(
                    "`fsync`가 off라 정전 때 접수한 요청이 사라질 수 있음. on으로 바꾸세요",
                    "fsync is off: a power loss may lose acknowledged requests; turn it on"))
        }
        report.add(
            true, line,
            server.synchronousCommit == "off"
                ? Language.current(
                    "서버의 `synchronous_commit`은 off, marquee의 연결은 on",
                    "synchronous_commit is off there, and on for marquee")
                : "synchronous_commit \(server.synchronousCommit)")
    }

    private func checkStandby(of server: ServerReport, _ name: String, _ report: inout Report) {
        let line = Language.current("\(name) 대기 서버", "\(name) standby")
        let isAwaited = server.synchronousCommit != "local"
        switch (server.standbyNames.isEmpty || !isAwaited, server.hasStandby) {
        case (true, _):
            let why =
                isAwaited
                ? Language.current("동기 대기 서버 없음", "no synchronous one")
                : Language.current("`synchronous_commit`이 `local`이라 기다리지 않음", "synchronous_commit local awaits none")
            report.addMissing(
                line,
                Language.current(
                    "\(why), 접수한 요청이 한 컴퓨터의 디스크에만 있음", "\(why): one machine's disk holds acknowledged requests"))
        case (false, true): report.add(true, line, "synchronous_standby_names '\(server.standbyNames)'")
        case (false, false):
            report.add(
                false, line,
                Language.current(
                    "연결된 동기 대기 서버가 없어 커밋이 끝나지 않음: `synchronous_standby_names` '\(server.standbyNames)'",
                    "none is connected, and every commit waits for one: synchronous_standby_names "
                        + "'\(server.standbyNames)'"))
        case (false, nil):
            report.addMissing(
                line,
                Language.current(
                    "`synchronous_standby_names` '\(server.standbyNames)', 연결 여부는 `pg_monitor` 권한이 있어야 알 수 있음",
                    "synchronous_standby_names '\(server.standbyNames)'; only a user with pg_monitor sees whether one is "
                        + "connected"))
        }
    }
}
