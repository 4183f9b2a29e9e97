import Concurrency
import FoundationEssentials
import Operations
import ZeroMQ

/// The clients that may come in: what the files in a folder say, looked at again at each handshake, and for messages at most
/// once a second.
///
/// So a key that is put there lets its client in at the next try, and one that is taken away ends what its client may do,
/// though not a connection that is up.
final class ClientKeyStore: Sendable {
    /// A client with a key.
    struct Client: Sendable, Hashable {
        let name: String
        let key: PublicKey
        let roles: Set<Role>
    }

    private struct State {
        var looked: Stopwatch?
        var seen: [Seen] = []
        var byKey: [PublicKey: Client] = [:]
        var byName: [String: Client] = [:]
    }

    /// By what a file that has changed is told from the one it was.
    private struct Seen: Hashable {
        let name: String
        let changed: Date?
        let size: UInt64
    }

    private static let patience = Duration.seconds(1)

    private let folder: KeyFolder
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let state = Locked(State())

    init(_ folder: KeyFolder, logger: Logger, clock: any Clock<Duration>) {
        self.folder = folder
        self.logger = logger
        self.clock = clock
    }

    /// The client with a key, if it may come in.
    func client(with key: PublicKey) -> Client? {
        // At once, since a client whose handshake is refused does not try again by itself.
        current(atOnce: true) { $0.byKey[key] }
    }

    /// The client of a name.
    func client(named name: String) -> Client? {
        current(atOnce: false) { $0.byName[name] }
    }

    private func current(atOnce: Bool, _ find: (State) -> Client?) -> Client? {
        state.withLock { state in
            if atOnce || state.looked.map({ $0.elapsed >= Self.patience }) ?? true {
                state.looked = Stopwatch(clock)
                look(&state)
            }
            return find(state)
        }
    }

    private func look(_ state: inout State) {
        // No folder is no clients, and a file that is gone by now has no attributes.
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.clients)) ?? []).sorted()
        let seen = names.filter { $0.hasSuffix(".key") }.map { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder.clients)/\(name)")
            return Seen(
                name: name, changed: attributes?[.modificationDate] as? Date, size: attributes?[.size] as? UInt64 ?? 0)
        }
        guard seen != state.seen else { return }
        state.seen = seen
        state.byKey = [:]
        state.byName = [:]
        for file in seen {
            do throws(KeyError) {
                try add(String(file.name.dropLast(".key".count)), from: "\(folder.clients)/\(file.name)", to: &state)
            } catch {
                logger.error("a client's key cannot be used", [.error: error])
            }
        }
        logger.info("client keys read", [.path: folder.clients, .count: state.byKey.count])
    }

    private func add(_ name: String, from path: String, to state: inout State) throws(KeyError) {
        guard KeyFolder.isName(name) else { throw KeyError("\(path.debugDescription) is not named as a client can be") }
        let file = try KeyFolder.read(path)
        if let other = state.byKey[file.publicKey] {
            throw KeyError("\(path) holds the same key as that of \(other.name)")
        }
        let client = Client(name: name, key: file.publicKey, roles: file.roles)
        state.byKey[client.key] = client
        state.byName[name] = client
    }
}
