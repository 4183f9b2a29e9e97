import Concurrency
import Glibc
import ServiceRuntime
import Text

/// The processes that `marquee up` starts and stops.
final class ChildProcessGroup: Sendable {
    private struct State {
        var children: [String: ChildProcess] = [:]
        var isStopping = false
    }

    /// The source of the figures, for the first line of the output.
    let description: String
    /// The subcommands to run, in the order of their start.
    let roles: [String]
    /// Whether the worker has no log yet.
    let beginsNewLog: Bool
    /// Whether the notifier writes alerts to our standard output.
    let notifierSharesOutput: Bool
    private let usesSandbox: Bool
    private let liveDays: Int
    private let folder: DataFolder
    private let settings: [String: String]
    private let state = Locked(State())

    /// Prepares worker, notifier and board, and without a KOBIS key also the sandbox as their upstream.
    init(_ configuration: Configuration, liveDays: Int, notifierSharesOutput: Bool) throws {
        self.liveDays = liveDays
        usesSandbox = configuration.kobis.key == nil
        folder = try DataFolder(usesSandbox ? configuration.sandboxDataFolder : configuration.dataFolder)
        beginsNewLog = access(folder.file("worker.db"), F_OK) != 0
        var settings = ["MARQUEE_DATA": folder.path]
        if configuration.schedule == nil { settings["MARQUEE_SCHEDULE"] = "on" }
        // Made-up figures stay in the folder of their own.
        if usesSandbox { for name in ["MARQUEE_DATABASE", "MARQUEE_DATABASE_FILE"] { settings[name] = "" } }
        self.settings = settings
        roles = (usesSandbox ? ["sandbox"] : []) + ["worker", "notifier", "board"]
        description =
            (usesSandbox
                ? localized(
                    "샌드박스의 가상 데이터(MARQUEE_KOBIS_KEY 없음)", "made-up figures of the sandbox: no MARQUEE_KOBIS_KEY is set")
                : localized("\(configuration.kobis.url) 데이터", "figures of \(configuration.kobis.url)"))
            + " · \(folder.path)"
        self.notifierSharesOutput = notifierSharesOutput
    }

    var isStopping: Bool { state.withLock(\.isStopping) }

    /// Starts the process of a role; returns nil if the group is stopping.
    func start(_ role: String) throws -> ChildProcess? {
        try state.withLock { state in
            guard !state.isStopping else { return nil }
            let usesSandboxUpstream = role == "worker" || role == "board" && usesSandbox
            let options =
                (usesSandboxUpstream ? ["--sandbox"] : [])
                + (role == "worker" ? [WorkerCommand.daysOption, "\(liveDays)"] : [])
            let child = try ChildProcess(
                role,
                arguments: [role, ParentMonitor.option.name, Language.option, Language.current.rawValue] + options,
                settings: settings,
                logPath: folder.file("\(role).log"), sharesOutput: role == "notifier" && notifierSharesOutput)
            state.children[role] = child
            return child
        }
    }

    /// Sends a signal to the process of a role, if it runs.
    func signal(_ number: Int32, to role: String) {
        state.withLock { $0.children[role] }?.signal(number)
    }

    /// Sends SIGTERM to all processes, SIGKILL to those that still run after `grace`, and waits until all have ended.
    func stop(grace: Duration) async {
        let children = state.withLock { state in
            state.isStopping = true
            return Array(state.children.values)
        }
        for child in children { child.signal(SIGTERM) }
        await withTaskGroup { tasks in
            tasks.addTask {
                // Fails only if it is cancelled: all processes have ended before.
                guard (try? await Task.sleep(for: grace)) != nil else { return }
                for child in children { child.signal(SIGKILL) }
            }
            for child in children { _ = await child.ended() }
            tasks.cancelAll()
        }
    }
}

/// Detects the end of the parent process: standard input is a pipe from it, which closes however the parent ends.
enum ParentMonitor {
    /// `--attached`, an option of the processes that `marquee up` starts.
    static let option = Usage.Option(hidden: "--attached")

    /// Starts a thread that sends SIGTERM to this process when standard input closes.
    static func start() {
        do {
            try startThread {
                waitForEndOfInput()
                kill(getpid(), SIGTERM)
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static func waitForEndOfInput() {
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            guard count > 0 || (count < 0 && errno == EINTR) else { return }
        }
    }
}
