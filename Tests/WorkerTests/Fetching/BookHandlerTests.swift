import Contract
import FoundationEssentials
import Messaging
import Networking
import ServiceRuntime
import Storage
import TestSupport
import Testing
import ZeroMQ

@testable import Worker

@Suite struct BookHandlerTests {
    private func command(_ body: String) -> Command {
        Command(Message([Array("peer".utf8), Array("book".utf8), Array(body.utf8)]))
    }

    @Test("a client's own call counts as one of the day's, until none is left")
    func book() async throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("worker.db"), schema: WorkerStore.schema)
        let quota = QuotaLedger(
            database: database, wallClock: WallClock { WorkerHarness.noon }, limits: ["kobis": 2], reserve: 0)
        for _ in 1...2 { #expect(try await quota.answer(command(#"{"service":"kobis"}"#)).word == "booked") }
        #expect(try await quota.balances()["kobis"]?.used == 2)
        func code(_ body: String) async -> ContractError.Code? {
            await #expect(throws: ContractError.self) { try await quota.answer(command(body)) }?.code
        }
        #expect(await code(#"{"service":"kobis"}"#) == .quotaExhausted)
        for body in ["{}", #"{"service":"openmarket"}"#, "no"] { #expect(await code(body) == .badRequest) }
        await database.close()
    }
}
