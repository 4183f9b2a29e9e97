import Contract
import Foundation
import OpenMarket
import Storage
import TestSupport
import Testing
import Text

@testable import Worker

/// A vendor's secret that comes with an order: readable for the worker, and for nobody who has the database.
@Suite(.patience) struct VendorSecretTests {
    private static let secret = "hunter2-hunter2-hunter2"

    private let harness: WorkerHarness

    init() async throws {
        harness = try await WorkerHarness()
    }

    private func accept(_ name: String) async throws -> AcceptedRequest {
        let product = try #require(ProductID(1))
        let request = Request(.productOrder(.remove(product)))
        let accepted = AcceptedRequest(id: try #require(RequestID(name)), request: request)
        let attachments = Attachments(secret: Self.secret)
        let item = IntakeItem(accepted: accepted, frames: accepted.request.frames, attachments: attachments)
        #expect(try await harness.accept([item]) == [.accepted])
        return accepted
    }

    private func files(with bytes: Data) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: harness.folder.path).filter { name in
            FileManager.default.contents(atPath: harness.folder.file(name))?.range(of: bytes) != nil
        }
    }

    private func sealed() async throws -> Data {
        let rows = try await harness.database.read { try $0.query("select bytes from attachment", as: [UInt8].self) }
        return Data(try #require(rows.first))
    }

    @Test("it is sealed while the order waits, and its sealed bytes are gone after the end")
    func life() async throws {
        let accepted = try await accept("mine")
        #expect(try files(with: Data(Self.secret.utf8)) == [])
        #expect(try await harness.attachments(of: accepted.id).secret == Self.secret)
        let sealed = try await sealed()
        #expect(try files(with: sealed) != [])
        try await harness.settle(accepted, with: ContractError(.internal, "over"))
        try await harness.database.write { _ in }  // runs after the checkpoint, on the same queue
        #expect(try files(with: sealed) == [])
    }

    @Test("what was sealed for one order opens for no other, nor with another key")
    func bound() async throws {
        let (first, second) = (try await accept("first"), try await accept("second"))
        try await harness.database.write { connection in
            try connection.execute(
                """
                update attachment set bytes = (select bytes from attachment where request = 'first')
                where request = 'second'
                """)
        }
        #expect(try await harness.attachments(of: first.id).secret == Self.secret)
        let error = await #expect(throws: ContractError.self) { try await harness.attachments(of: second.id) }
        #expect(error?.code == .unauthorized)
        let other = WorkerStore(
            database: harness.database, log: harness.store.log, inboxLimit: 1, seal: SecretSeal(),
            runtime: harness.runtime
        ) { _ in }
        await #expect(throws: ContractError.self) {
            try await other.read { try OrderStore($0).attachments(of: first.id) }
        }
    }

    @Test("the key is made once, for its owner only, and a key that others can read is refused")
    func keyFile() throws {
        let path = harness.folder.file(SecretSeal.fileName)
        let id = try #require(RequestID("mine"))
        let sealed = try SecretSeal(file: path).seal(Self.secret, of: id)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try SecretSeal(file: path).open(sealed, of: id) == Self.secret)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let error = #expect(throws: SecretSealError.self) { try SecretSeal(file: path) }
        #expect(error?.description.contains("run `chmod 600 \(path)`") == true)
        #expect(error?.text(in: .ko) == "\(path): 다른 사용자가 읽을 수 있는 비밀 키 파일입니다(권한 644). `chmod 600 \(path)` 명령을 실행하세요")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try Data([1, 2, 3]).write(to: URL(filePath: path))
        #expect(throws: SecretSealError.self) { try SecretSeal(file: path) }
    }
}
