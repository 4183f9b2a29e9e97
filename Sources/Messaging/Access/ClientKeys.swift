import Concurrency
import FoundationEssentials
import ServiceRuntime
import ZeroMQ

/// The clients that may connect, as the key files in a folder say, which is scanned again at each handshake, and for messages
/// at most once a second.
final class ClientKeys: Sendable {
    struct Client: Sendable, Hashable {
        let name: String
        let key: PublicKey
        let roles: Set<Role>
    }

    private struct State {
        var lastScan: Stopwatch?
        var files: [FileVersion] = []
        var byKey: [PublicKey: Client] = [:]
        var byName: [String: Client] = [:]
        var withdrawn: Set<String> = []
    }

    private struct FileVersion: Hashable {
        let name: String
        let changed: Date?
        let size: UInt64
    }

    private static let scanInterval = Duration.seconds(1)

    private let folder: KeyFolder
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let state = Locked(State())

    init(_ folder: KeyFolder, logger: Logger, clock: any Clock<Duration>) {
        self.folder = folder
        self.logger = logger
        self.clock = clock
    }

    func client(with key: PublicKey) -> Client? {
        state.withLock { state in
            // Always a new scan, because a client whose handshake is refused does not try again by itself.
            scan(&state)
            return state.byKey[key]
        }
    }

    func client(named name: String) -> Client? {
        state.withLock { state in
            if state.lastScan.map({ $0.elapsed >= Self.scanInterval }) ?? true { scan(&state) }
            return state.byName[name]
        }
    }

    /// Returns the names of the clients that have lost their key or a role since the last call.
    func takeWithdrawn() -> Set<String> {
        state.withLock { state in
            scan(&state)
            defer { state.withdrawn = [] }
            return state.withdrawn
        }
    }

    private func scan(_ state: inout State) {
        state.lastScan = Stopwatch(clock)
        // A missing folder means no clients. A file deleted in between has no attributes.
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.clients)) ?? []).sorted()
        let files = names.filter { $0.hasSuffix(".key") }.map { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder.clients)/\(name)")
            return FileVersion(
                name: name, changed: attributes?[.modificationDate] as? Date, size: attributes?[.size] as? UInt64 ?? 0)
        }
        guard files != state.files else { return }
        let former = state.byName
        state.files = files
        state.byKey = [:]
        state.byName = [:]
        for file in files {
            do throws(KeyError) {
                try add(String(file.name.dropLast(".key".count)), from: "\(folder.clients)/\(file.name)", to: &state)
            } catch {
                logger.error("client key ignored", [.error: error])
            }
        }
        for (name, client) in former {
            let present = state.byName[name]
            if present?.key != client.key || present?.roles.isSuperset(of: client.roles) != true {
                state.withdrawn.insert(name)
            }
        }
        logger.info("client keys read", [.path: folder.clients, .count: state.byKey.count])
    }

    private func add(_ name: String, from path: String, to state: inout State) throws(KeyError) {
        guard KeyFolder.isName(name) else {
            throw KeyError(
                "\(path.debugDescription): 클라이언트 이름이 올바르지 않습니다. 영문자, 숫자, 마침표(.), 하이픈(-), 밑줄(_)로 1~64자를 쓰세요",
                "\(path.debugDescription) is not a valid client name: use 1 to 64 letters, digits, dots, hyphens and underscores"
            )
        }
        let file = try KeyFolder.read(path)
        if let other = state.byKey[file.publicKey] {
            throw KeyError(
                "\(path): 다른 클라이언트의 키와 같습니다(\(other.name))",
                "\(path) holds the same key as the client \(other.name)")
        }
        let client = Client(name: name, key: file.publicKey, roles: file.roles)
        state.byKey[client.key] = client
        state.byName[name] = client
    }
}
