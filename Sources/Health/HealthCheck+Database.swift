public import SQLite

extension HealthCheck {
    /// The table that `writes(to:)` writes, for a process's schema.
    public static let schema = Schema.Component(
        "health",
        migrations: [
            """
            create table health_probe (
                only integer primary key check (only = 1),
                count integer not null
            ) strict;
            """
        ])

    /// Whether the database answers at all.
    public static func answers(
        _ database: Database, clock: any Clock<Duration> = ContinuousClock()
    ) -> HealthCheck {
        HealthCheck("database", clock: clock) {
            await reason { try await database.read { _ in } }
        }
    }

    /// Whether something can be written, down to the disk: a full or read-only one shows only then.
    public static func writes(
        to database: Database, clock: any Clock<Duration> = ContinuousClock()
    ) -> HealthCheck {
        HealthCheck("database", clock: clock) {
            await reason {
                try await database.write { connection in
                    // Another value each time: SQLite does not write what is there already.
                    try connection.execute(
                        """
                        insert into health_probe (only, count) values (1, 0)
                        on conflict do update set count = (count + 1) % 1000
                        """)
                }
            }
        }
    }

    private static func reason(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let error as DatabaseError {
            return "database: \(error.reason)"  // without the path, for this may be seen by strangers
        } catch {
            return "database: \(error)"
        }
    }
}
