import Concurrency
import Contract
import Foundation
import ServiceRuntime
import TestSupport
import Testing
import Text

@testable import Messaging
@testable import ZeroMQ

@Suite("Access") struct AccessControlTests {
    private let folder: TemporaryFolder
    private let keys: KeyFolder
    private let clock = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
        keys = KeyFolder(folder.file("keys"))
    }

    private var clients: ClientKeys {
        ClientKeys(keys, logger: Logger(label: "test") { _ in }, clock: clock)
    }

    @Test("a key pair is written once, and only its owner can read the secret half")
    func files() throws {
        let files = try keys.makeClient("ann", roles: [.read, .operate])
        let mode = try FileManager.default.attributesOfItem(atPath: files.secret)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let pair = try keys.pair("ann")
        let open = try KeyFolder.read(files.open)
        #expect(open.publicKey == pair.publicKey)
        #expect(open.keys == nil)
        #expect(open.roles == [.read, .operate])
        #expect(!(try String(contentsOfFile: files.open, encoding: .utf8)).contains(pair.secret))
        #expect(throws: KeyError.self) { try keys.makeClient("ann", roles: []) }
        #expect(try keys.pair("ann").publicKey == pair.publicKey)
    }

    @Test(
        "an invalid key file is rejected without quoting it",
        arguments: [
            "", "public-key = \"short\"", "secret-key = \"hunter2\"", "\u{0}\u{1}", "= = =",
            "public-key = \"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID\"\nsecret-key = \"hunter2\"",
            "public-key = \"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID\"\nroles = \"king\"",
            // The secret key of another pair (zmq_curve(7)).
            "public-key = \"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7\"\nsecret-key = \"D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs\"",
        ])
    func wrongFiles(text: String) {
        let error = #expect(throws: KeyError.self) { try KeyFile(text: text) }
        #expect(error?.description.contains("hunter2") == false)
        #expect(error?.description.contains("king") == false)
    }

    @Test("the key pair of zmq_curve(7) is read from the form that CZMQ writes")
    func published() throws {
        let file = try KeyFile(
            text: """
                #   ****  Generated on 2026-11-21 by CZMQ  ****
                metadata
                    name = 'somebody'
                    roles = "request   read"
                curve
                    public-key = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
                    secret-key = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"
                """)
        #expect(file.keys?.secret == "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs")
        #expect(file.roles == [.request, .read])
    }

    @Test("an added key admits its client, and a removed key withdraws the client's roles")
    func rereading() throws {
        let clients = clients
        let first = try keys.pair(made: "ann")
        #expect(clients.client(with: first)?.name == "ann")
        let second = try keys.pair(made: "bob")
        #expect(clients.client(named: "bob") == nil)
        #expect(clients.client(with: second)?.roles == [.read])
        try FileManager.default.removeItem(atPath: "\(keys.clients)/ann.key")
        #expect(clients.client(named: "ann") != nil)
        clock.advance(by: .seconds(1))
        #expect(clients.client(named: "ann") == nil)
        #expect(clients.client(with: first) == nil)
        #expect(clients.client(named: "bob") != nil)
    }

    @Test("duplicate, broken and misnamed key files admit no other client and lock out none")
    func badNeighbours() throws {
        let key = try keys.pair(made: "bob")
        let good = try String(contentsOfFile: "\(keys.clients)/bob.key", encoding: .utf8)
        for (name, text) in [("bob-again", good), ("broken", "x"), ("a b", good), (".hidden", good)] {
            try text.write(toFile: "\(keys.clients)/\(name).key", atomically: true, encoding: .utf8)
        }
        #expect(clients.client(with: key) != nil)
        for name in ["broken", "a b", ".hidden"] { #expect(clients.client(named: name) == nil) }
    }

    private func door(_ clients: ClientKeys?, rate: Int = 100, waiting: Int = 10) -> RequestGuard {
        let limits = Configuration.ClientLimits(requestsPerSecond: rate, waitingRequests: waiting)
        return RequestGuard(clients, limits: limits, metrics: Metrics(), clock: clock)
    }

    @Test("as many clients may connect to an address as the configuration says")
    func connections() throws {
        let configuration = try Configuration(environment: ["MARQUEE_CLIENT_CONNECTIONS": "7"])
        let access = try AccessControl(
            configuration, of: .worker, Runtime(logger: Logger(label: "test", write: { _ in })))
        #expect(access.socketOptions.maximumConnections == 7)
    }

    @Test("a client may do only what its roles permit")
    func roles() throws {
        for role in Role.allCases { _ = try keys.makeClient(role.rawValue, roles: [role]) }
        let requestGuard = door(clients)
        let rights: [Role: [String]] = [
            .read: ["latest"], .request: ["fetch.day", "fetch day", "fetch.movie", "fetch.product"],
            .replay: ["replay"], .shop: ["product.register", "product.modify", "product.remove", "product remove"],
            .operate: ["backfill", "retry", "", "sing", "replay ", "Replay", "products"],
        ]
        for role in Role.allCases {
            let sender = PeerIdentity(address: "192.0.2.1", name: role.rawValue)
            #expect(requestGuard.refusal(of: "status", from: sender) == nil)
            for (needed, commands) in rights {
                for command in commands {
                    let code = requestGuard.refusal(of: command, from: sender)?.code
                    #expect(code == (needed == role ? nil : .forbidden), "\(role) \(command)")
                }
            }
        }
        for stranger in [PeerIdentity(address: "127.0.0.1", name: nil), PeerIdentity(address: "", name: "nobody"), nil]
        {
            #expect(requestGuard.refusal(of: "replay", from: stranger)?.code == .forbidden)
        }
    }

    @Test("a client connects to the sockets that its roles are for", arguments: Role.allCases)
    func sockets(role: Role) {
        #expect(AccessControl.mayUse(.publisher, [role]) == (role == .read))
        #expect(AccessControl.mayUse(.subscriber, [role]) == [.request, .shop].contains(role))
        #expect(AccessControl.mayUse(.router, [role]) && AccessControl.mayUse(.router, []))
    }

    @Test(
        "a secret key that other users can read is refused with the command that mends it", arguments: [0o640, 0o604])
    func readableByOthers(mode: Int) throws {
        let path = try keys.makeClient("ann", roles: []).secret
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let error = #expect(throws: KeyError.self) { try keys.pair("ann") }
        #expect(error?.description.hasSuffix("run `chmod 600 \(path)`") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
        #expect(throws: Never.self) { try keys.pair("ann") }
    }

    @Test("only its owner may enter a new folder of keys")
    func newFolder() throws {
        _ = try keys.makeServer("server")
        for path in [keys.path, keys.clients] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
    }

    @Test("orders and refusals are logged with key and address, other requests are not")
    func audit() throws {
        _ = try keys.makeClient("ann", roles: [.shop])
        let lines = Locked("")
        let logger = Logger(label: "test") { bytes in lines.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
        let limits = Configuration.ClientLimits(requestsPerSecond: 100, waitingRequests: 10)
        let requestGuard = RequestGuard(clients, limits: limits, metrics: Metrics(), logger: logger, clock: clock)
        let ann = PeerIdentity(address: "192.0.2.1", name: "ann")
        let id = try #require(RequestID("mine"))
        requestGuard.recordAccepted(.fetchDay, id, from: ann)
        #expect(requestGuard.refusal(of: "product.remove", from: ann) == nil)
        #expect(lines.withLock { $0 } == "")
        requestGuard.recordAccepted(.productRemove, id, from: ann)
        let order = lines.withLock { $0 }
        for text in ["order accepted", "request=mine", "topic=product.remove", "key=ann", "address=192.0.2.1"] {
            #expect(order.contains(text))
        }
        let name = "backfill\n" + String(repeating: "x", count: 1_000)
        let error = try #require(requestGuard.refusal(of: name, from: ann))
        requestGuard.recordRefused(Command(Message([[1], Array(name.utf8)], peer: ann)), .refused(error))
        let refusal = lines.withLock { $0.dropFirst(order.count) }
        #expect(refusal.count { $0 == "\n" } == 1 && refusal.utf8.count < 400)
        for text in ["request refused", "key=ann", "address=192.0.2.1", "code=forbidden", "role operate"] {
            #expect(refusal.contains(text))
        }
    }

    @Test("a withdrawn key is logged, also if its client has connected again and was refused before")
    func withdrawnAndRefused() {
        let lines = Locked("")
        let logger = Logger(label: "test") { bytes in lines.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
        let log = ConnectionAuditLog(metrics: Metrics(), logger: logger)
        log.record(HandshakeFailure(socket: .publisher, address: "127.0.0.1", reason: .unknownKey, key: nil))
        log.record(DroppedConnection(socket: .publisher, address: "127.0.0.1", reason: .revoked))
        #expect(lines.withLock { $0 }.contains("reason=revoked"))
    }

    @Test("without keys every client may do everything within the limits")
    func withoutKeys() {
        let requestGuard = door(nil)
        #expect(requestGuard.refusal(of: "replay", from: nil) == nil)
        #expect(requestGuard.refusal(withQueued: 9) == nil)
        #expect(requestGuard.refusal(withQueued: 10)?.code == .overloaded)
    }

    @Test("a client over its rate is refused until time has passed, and no other client is")
    func rate() {
        let requestGuard = door(nil, rate: 2)
        let eager = PeerIdentity(address: "192.0.2.1", name: nil)
        let other = PeerIdentity(address: "192.0.2.2", name: nil)
        #expect(
            (0..<12).map { _ in requestGuard.refusal(of: "status", from: eager)?.code }.filter { $0 == nil }.count == 10
        )
        #expect(requestGuard.refusal(of: "status", from: eager)?.retryAfter == 1)
        #expect(requestGuard.refusal(of: "status", from: other) == nil)
        clock.advance(by: .seconds(1))
        #expect((0..<3).map { _ in requestGuard.refusal(of: "status", from: eager)?.code } == [nil, nil, .overloaded])
    }
}

extension KeyFolder {
    /// The public key of a new client that may read.
    fileprivate func pair(made name: String) throws -> PublicKey {
        _ = try makeClient(name, roles: [.read])
        return try pair(name).publicKey
    }
}
