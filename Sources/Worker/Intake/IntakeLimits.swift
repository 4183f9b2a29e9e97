import Concurrency
import Contract
import FoundationEssentials
import Health
import Operations

/// Bounds what clients' requests put on the disk: a share of bytes a day for each client, and a reserve of free disk.
///
/// The shares are counted in memory: a restart begins the day anew.
struct IntakeLimits: Sendable {
    /// What a request puts on the disk beside its own bytes: an inbox row, its two events, and their indexes.
    static let requestCost = 2 << 10
    /// The number of clients whose shares are counted; bounded because clients without a key choose their addresses.
    private static let clientLimit = 10_000
    private struct Day: Sendable {
        var number = 0
        var bytes: [String: Int] = [:]
    }

    private struct Disk: Sendable {
        var lastCheck: Duration?
        var isFull = false
    }

    private let share: Int
    private let reserve: Int
    private let folder: String
    /// The largest part of the disk that the reserve may be.
    private let largestPart: Double
    private let age = Stopwatch(ContinuousClock())
    private let day = Locked(Day())
    private let disk = Locked(Disk())

    /// Makes the limits of a worker.
    ///
    /// - Parameters:
    ///   - share: The bytes that one client's requests may put on the disk in a day (UTC).
    ///   - reserve: The bytes of the disk that requests leave free, but at most a twentieth of the disk.
    ///   - folder: A folder on the disk.
    ///   - largestPart: On a small disk the reserve is no more than this part of it.
    init(share: Int, reserve: Int, folder: String, largestPart: Double = 0.05) {
        self.share = share
        self.reserve = reserve
        self.folder = folder
        self.largestPart = largestPart
    }

    /// Limits that refuse nothing.
    static let none = IntakeLimits(share: .max, reserve: 0, folder: "/")

    /// Counts a request of a client; returns its refusal if the client's share of the day is used up.
    func refusal(of bytes: Int, from client: String, at now: Date) -> ContractError? {
        let seconds = Int(now.timeIntervalSince1970)
        let isWithin = day.withLock { day in
            if day.number != seconds / 86_400 || day.bytes.count >= Self.clientLimit && day.bytes[client] == nil {
                day = Day(number: seconds / 86_400)
            }
            let used = day.bytes[client, default: 0]
            guard used <= share else { return false }
            day.bytes[client] = used + bytes + Self.requestCost
            return true
        }
        guard !isWithin else { return nil }
        return ContractError(
            .overloaded, "the client's requests have used its \(share >> 20) MiB of today",
            retryAfter: 86_400 - seconds % 86_400)
    }

    /// The refusal of all requests while the disk has no more than the reserve; nil if it has. Looks once a second.
    func diskRefusal() -> ContractError? {
        guard reserve > 0 else { return nil }
        let now = age.elapsed
        let isFull = disk.withLock { disk in
            if disk.lastCheck.map({ now - $0 >= .seconds(1) }) ?? true {
                disk = Disk(lastCheck: now, isFull: isBelowReserve)
            }
            return disk.isFull
        }
        guard isFull else { return nil }
        return ContractError(
            .internal, "the disk of \(folder) is nearly full; what is left is for requests that were accepted",
            retryAfter: 60)
    }

    /// The health check that fails while requests are refused because the disk has no more than the reserve.
    var diskCheck: HealthCheck {
        // Without the folder, because strangers may read the page.
        HealthCheck("disk") {
            diskRefusal() == nil
                ? nil : "disk: nearly full, requests are refused; free space, or see MARQUEE_DISK_RESERVE_MB"
        }
    }

    private var isBelowReserve: Bool {
        // If the system does not answer, the writes fail by themselves.
        DiskSpace(ofFolder: folder)?.isBelow(reserve: Double(reserve), largestPart: largestPart) ?? false
    }
}
