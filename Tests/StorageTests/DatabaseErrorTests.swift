import Testing

@testable import Storage

@Suite struct DatabaseErrorTests {
    @Test(
        "the error of a disk says what the disk has failed to do",
        arguments: [
            (266, "disk I/O error: a read failed"), (778, "disk I/O error: a write failed"),
            (1_034, "disk I/O error: a sync failed"), (1_290, "disk I/O error: a sync failed"),
        ])
    func disk(code: Int32, reason: String) {
        let error = DatabaseError("running", "notes.db", code: code, on: nil)
        #expect(error.kind == .disk)
        #expect(error.reason == reason)
        #expect(
            error.description
                == "running notes.db: \(reason) (code \(code)); check the disk and the system's log")
    }

    @Test("other errors have SQLite's own text")
    func other() {
        #expect(DatabaseError("running", "notes.db", code: 13, on: nil).reason == "database or disk is full")
    }
}
