import Concurrency
import Dispatch
import FoundationEssentials
import Glibc
import Operations

/// A child process that runs this program, with a log file as standard output and standard error.
final class ChildProcess: Sendable {
    /// The name of the child in messages.
    let name: String
    /// The path of its log file.
    let logPath: String
    private let identifier: pid_t
    /// Our end of the pipe to the child's standard input. The kernel closes it when this process ends, even by SIGKILL, so
    /// that the child ends too.
    private let inputPipe: Int32
    /// The exit status, or the negative number of the signal that ended the child; nil while it runs.
    private let status = AsyncCondition<Int32?>(nil)

    /// Starts `marquee` with `arguments`; `settings` override variables of the environment.
    ///
    /// - Throws: if the process cannot be started; the error names it and the reason.
    init(_ name: String, arguments: [String], settings: [String: String], logPath: String) throws {
        self.name = name
        self.logPath = logPath
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw StartError(name: name, reason: String(cString: strerror(errno))) }
        // Otherwise the child would keep its own pipe open, and those of its siblings.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, logPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
        // A process group of its own: Ctrl-C reaches only this process, which then sends one SIGTERM.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        let environment = ProcessInfo.processInfo.environment.merging(settings) { _, new in new }
        var words = ([CommandLine.arguments[0]] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for copy in words + variables { free(copy) } }
        var child = pid_t()
        let status = posix_spawn(&child, "/proc/self/exe", &actions, &attributes, &words, &variables)
        guard status == 0 else {
            close(ends[1])
            throw StartError(name: name, reason: String(cString: strerror(status)))
        }
        identifier = child
        inputPipe = ends[1]
        DispatchQueue.global().async { [self] in reap() }
    }

    deinit {
        close(inputPipe)
    }

    /// Sends a signal, unless the child has ended.
    func signal(_ number: Int32) {
        // Under the lock: after the child is reaped, its process id may belong to another process.
        status.read { status in
            if status == nil { kill(identifier, number) }
        }
    }

    /// Waits until the child has ended. Returns its exit status, or the negative number of the signal that ended it.
    ///
    /// Ignores cancellation: use `signal(SIGKILL)` to end the wait.
    func ended() async -> Int32 {
        await status.waitIgnoringCancellation(\.self)
    }

    /// Blocks the thread until the child has ended.
    private func reap() {
        // WNOWAIT keeps the process id reserved until `status` is set, so that no signal reaches another process.
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        status.update { status in
            var ending: Int32 = 0
            while waitpid(identifier, &ending, 0) < 0, errno == EINTR {}
            let signal = ending & 0x7F
            status = signal == 0 ? (ending >> 8) & 0xFF : -signal
        }
    }

    /// The last line of the child's log; empty if there is none.
    var lastLogLine: String {
        guard let log = try? String(contentsOfFile: logPath, encoding: .utf8) else { return "" }  // no log file yet
        return log.split(separator: "\n").last.map(String.init) ?? ""
    }

    private struct StartError: Error, CustomStringConvertible {
        let name: String
        let reason: String
        var description: String { "cannot start the \(name): \(reason)" }
    }
}

/// The processes that `marquee up` starts and stops.
final class ChildProcessGroup: Sendable {
    /// The source of the figures, for the first line of the output.
    let description: String
    let processes: [ChildProcess]

    /// Starts worker, notifier and board, and without a KOBIS key also the sandbox as their upstream.
    init(_ configuration: Configuration) throws {
        let usesSandbox = configuration.kobis.key == nil
        // Generated figures have a separate folder, so that they never mix with real ones.
        let folder = try DataFolder(configuration.dataFolder + (usesSandbox ? "/sandbox" : ""))
        var settings = ["MARQUEE_DATA": folder.path]
        if configuration.schedule == nil { settings["MARQUEE_SCHEDULE"] = "on" }
        var roles = ["worker", "notifier", "board"]
        if usesSandbox {
            roles.insert("sandbox", at: 0)
            description = "made-up figures of the sandbox: no MARQUEE_KOBIS_KEY is set · \(folder.path)"
        } else {
            description = "figures of \(configuration.kobis.url) · \(folder.path)"
        }
        processes = try roles.map { role in
            let usesSandboxUpstream = role == "worker" || role == "board" && usesSandbox
            let arguments = [role, ParentMonitor.option.name] + (usesSandboxUpstream ? ["--sandbox"] : [])
            return try ChildProcess(role, arguments: arguments, settings: settings, logPath: folder.file("\(role).log"))
        }
    }

    /// Sends a signal to all processes.
    func signal(_ number: Int32) {
        for child in processes { child.signal(number) }
    }
}
