import Foundation
import TestSupport
import Testing

extension Failures {
    /// What other users of the machine can read of the files that the processes write.
    struct PrivateFilesTests {
        /// The rights of the group and of others, by path.
        private func foreignRights(under folder: String) throws -> [String: Int] {
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
            let rights = try ([""] + names).map { name in
                let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.posixPermissions]
                return (name, try #require(mode as? Int) & 0o077)
            }
            return Dictionary(uniqueKeysWithValues: rights).filter { $0.value != 0 }
        }

        /// The names of the files that contain `text`, a dump of the database on a server among them.
        private func files(of harness: ProcessHarness, with text: String) async throws -> [String] {
            let folder = harness.data()
            try await harness.state.dump(to: harness.data("database.sql"))
            return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { name in
                FileManager.default.contents(atPath: "\(folder)/\(name)")?.range(of: Data(text.utf8)) != nil
            }
        }

        @Test("no other user can read a file of the processes, also one that somebody copied by hand", .onFilesOnly)
        func permissions() async throws {
            try await ProcessHarness.run { harness, client in
                #expect(try await client.day("2024-06-04").isDone)
                let data = try #require(harness.environment["MARQUEE_DATA"])
                #expect(try foreignRights(under: data) == [:])

                let backup = "\(data)/backup.db"
                #expect(try await harness.marquee("backup", backup).status == 0)
                #expect(try foreignRights(under: data) == [:])
                try FileManager.default.removeItem(atPath: backup)

                for name in ["", "worker.db", "worker.db-wal", "worker.db-lock"] {
                    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(data)/\(name)")
                }
                try await harness.restart(.worker, by: SIGKILL)
                try #require(try foreignRights(under: data) == [:])  // else no line says that they were narrowed
                #expect(try await harness[.worker].error(containing: "permissions narrowed") != nil)
            }
        }

        @Test("a vendor's secret is in no file, neither while its order waits nor after")
        func vendorSecret() async throws {
            let secret = "a-vendor-of-its-own-4711"
            let commands = ["MARQUEE_COMMANDS": "tcp://127.0.0.1:\(try reservePort())"]
            try await ProcessHarness.run(settings: commands) { harness, client in
                try await harness.setFaults(["openmarket": ["hang": 1]])
                let order = #"{"id":"mine","product":1,"stock":2,"secret":"\#(secret)"}"#
                let frames = [Array("product.modify".utf8), Array(order.utf8)]
                #expect(try await client.ask(frames: frames).word == "accepted")
                #expect(try await files(of: harness, with: "product.modify") != [], "nothing was looked through")
                #expect(try await files(of: harness, with: secret) == [])
                let audit = try #require(try await harness[.worker].error(containing: "order accepted"))
                #expect(audit.contains(#""request":"mine""#) && audit.contains(#""address":"127.0.0.1""#))
                // It has not been lost either: the order is carried out with it after a crash, and the shop refuses it.
                try await harness.setFaults([:])
                try await harness.restart(.worker, by: SIGKILL)
                // From the log, because the end may be published before the client is connected again.
                let end = try await client.logged("request.failed.mine")
                #expect(end["data"]["error"]["code"] == "unauthorized")
                #expect(try await files(of: harness, with: secret) == [])
            }
        }

        @Test("a secret key that others can read ends the start with the command that mends it")
        func readableKey() async throws {
            let folder = try TemporaryFolder()
            let settings = [
                "MARQUEE_CURVE": "on", "MARQUEE_CURVE_KEYS": folder.file("keys"), "MARQUEE_DATA": folder.file("data"),
                "MARQUEE_WORKER_HTTP": "127.0.0.1:0", "MARQUEE_EVENTS": "tcp://127.0.0.1:*",
                "MARQUEE_COMMANDS": "tcp://127.0.0.1:*", "MARQUEE_REQUESTS": "tcp://127.0.0.1:*",
            ]
            let made = try await Program.run(
                ProcessHarness.marquee, ["keys", "new", "server", "server"], environment: settings)
            #expect(made.status == 0)
            let key = folder.file("keys/server.key_secret")
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key)
            let ending = try await Program.run(ProcessHarness.marquee, ["worker"], environment: settings)
            #expect(ending.status == 1)
            #expect(ending.errors.last?.contains("run `chmod 600 \(key)`") == true, "\(ending.errors)")
        }
    }
}
