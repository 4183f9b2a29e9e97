import Concurrency
public import ServiceRuntime
public import Storage

/// A condition that a process needs to be alive, or to be ready, and the function that checks it.
///
/// A check answers within its time limit, even if the function hangs. Callers at the same time share one run of the
/// function, and those of the next second its result: a hanging disk is asked once, and a working one is written once a
/// second, however often health is probed.
public final class HealthCheck: Sendable {
    /// The subject of the check, in one word; the label `check` of the metric `marquee_ready`.
    public let name: String
    private let limit: Duration
    private let clock: any Clock<Duration>
    private let check: @Sendable () async -> String?
    /// The result of the last run, and its age.
    private let last = Locked<(reason: String?, age: Stopwatch)?>(nil)
    // A run that hangs goes on when its callers give up, and later callers join it.
    private let flight = SingleFlight<String, String?>(cancelsAbandonedRuns: false)

    /// How long a result stands for all who ask.
    private static let lifetime = Duration.seconds(1)

    /// Makes a check.
    ///
    /// `check` returns nil if the condition holds, otherwise one line that says why not: it begins with the name of the
    /// check, and has nothing that strangers must not read.
    public init(
        _ name: StaticString, within limit: Duration = .seconds(2), clock: any Clock<Duration> = ContinuousClock(),
        check: @escaping @Sendable () async -> String?
    ) {
        self.name = name.description
        self.limit = limit
        self.clock = clock
        self.check = check
    }

    /// Runs the check, or joins the run that is under way, or returns the result of a run that ended within a second.
    public func failureReason() async -> String? {
        let cancelled = "\(name): the check was cancelled"
        return await withTaskGroup(of: String?.self) { tasks in
            // Starts at once, so that callers at the same time share a run even if one of them is cancelled.
            tasks.addImmediateTask { [self] in
                do throws(CancellationError) {
                    return try await flight.run(name) { [self] in await result() }
                } catch {
                    return cancelled
                }
            }
            tasks.addTask { [name, clock, limit] in
                guard (try? await clock.sleep(for: limit)) != nil else { return cancelled }
                return "\(name): no answer within \(limit.components.seconds) s"
            }
            defer { tasks.cancelAll() }
            return await tasks.next() ?? nil
        }
    }

    /// Returns the last result if it still stands, and that of a new run otherwise.
    private func result() async -> String? {
        if let last = last.withLock({ $0 }), last.age.elapsed < Self.lifetime { return last.reason }
        let reason = await check()
        let age = Stopwatch(clock)
        last.withLock { $0 = (reason, age) }
        return reason
    }
}

extension [HealthCheck] {
    /// Runs all checks at the same time, and returns them in their order, each with the reason why it failed, if it did.
    func failureReasons() async -> [(check: HealthCheck, reason: String?)] {
        await withTaskGroup { tasks in
            for (index, check) in enumerated() {
                tasks.addTask { (index, await check.failureReason()) }
            }
            var reasons = map { (check: $0, reason: String?.none) }
            for await (index, reason) in tasks { reasons[index].reason = reason }
            return reasons
        }
    }
}

// MARK: - Databases

extension HealthCheck {
    /// The script that makes the table that ``databaseWrite(_:logger:clock:)`` writes, for the schema of the process's
    /// database.
    public static let table = """
        create table health_probe (
            id integer primary key check (id = 1),
            count integer not null
        ) strict;
        """

    /// Checks that a database can be read, and logs why not.
    public static func databaseRead(
        _ database: Database, logger: Logger, clock: any Clock<Duration> = ContinuousClock()
    ) -> HealthCheck {
        HealthCheck("database", clock: clock) {
            await failureReason(logger) { try await database.read { _ in } }
        }
    }

    /// Checks that a database can be written, by a committed transaction, and logs why not.
    ///
    /// The schema of the database must have ``table``.
    public static func databaseWrite(
        _ database: Database, logger: Logger, clock: any Clock<Duration> = ContinuousClock()
    ) -> HealthCheck {
        HealthCheck("database", clock: clock) {
            await failureReason(logger) {
                // Only a write down to the disk shows that the disk is full or read-only.
                try await database.write { connection in
                    // Another value each time, because SQLite does not write a row that stays the same.
                    try connection.execute(
                        """
                        insert into health_probe (id, count) values (1, 0)
                        on conflict (id) do update set count = (health_probe.count + 1) % 1000
                        """)
                }
            }
        }
    }

    private static func failureReason(_ logger: Logger, _ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            logger.error("the check of the database failed", [.error: "\(error)"])
            // Strangers may read the page, and the database's own words name hosts, users and files.
            return "database: \((error as? DatabaseError)?.kind.summary ?? "it cannot be used")"
        }
    }
}

extension DatabaseError.Kind {
    /// What is wrong with an open database, in a few words.
    fileprivate var summary: String {
        switch self {
        case .unreachable, .refused: "the server cannot be used"
        case .readOnly: "it is read-only"
        case .full: "its disk is full"
        case .busy: "it is busy"
        case .corrupt, .notADatabase: "it is damaged"
        case .disk: "its disk fails"
        case .closed: "it is closed"
        case .cannotOpen, .inUse, .foreign, .newerSchema, .olderSchema, .exists, .constraint, .unsupported, .remote,
            .other:
            "it cannot be used"
        }
    }
}

extension DatabaseLocation {
    /// The database of a process: a schema at `MARQUEE_DATABASE`, or a file in `MARQUEE_DATA`, each with the name of the
    /// process.
    public init(of process: Configuration.ProcessRole, _ configuration: Configuration) {
        self.init(configuration.database?.value ?? "\(configuration.dataFolder)/\(process.rawValue).db", of: process)
    }

    /// The database of a process: a schema at an address such as `postgresql://HOST/DATABASE`, or a file by its path.
    public init(_ text: String, of process: Configuration.ProcessRole) {
        let isAddress = ["postgresql://", "postgres://"].contains(where: text.hasPrefix)
        self = isAddress ? .server(DatabaseServer(address: text, namespace: process.rawValue)) : .file(text)
    }
}
