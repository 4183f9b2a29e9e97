import Concurrency
import Dispatch
import FoundationEssentials
import Glibc

/// Another run of this same program, with a log file in the place of its standard error.
final class ChildProcess: Sendable {
    /// What the child is called in messages.
    let name: String
    /// Where its log goes.
    let logPath: String
    private let identifier: pid_t
    /// Our end of the child's standard input, which ends when we do, even by `kill -9`: the child notices.
    private let lifeline: Int32
    /// The exit status, or minus the signal that ended the child; nil while it runs.
    private let status = AsyncCondition<Int32?>(nil)

    /// Starts `marquee` with `arguments` in the present environment changed by `settings`.
    init(_ name: String, arguments: [String], settings: [String: String], logPath: String) throws {
        self.name = name
        self.logPath = logPath
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw StartError(name: name, reason: String(cString: strerror(errno))) }
        // Or the child would hold its own line, and its siblings' too.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, logPath, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        }
        // In a group of its own: Ctrl-C is for us to hear, and for us to pass on once.
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
        lifeline = ends[1]
        DispatchQueue.global().async { [self] in reap() }
    }

    deinit {
        close(lifeline)
    }

    /// Sends the child a signal, unless it has ended.
    func signal(_ number: Int32) {
        // Under the lock: once the child has been reaped, its number may be another process's.
        status.read { status in
            if status == nil { kill(identifier, number) }
        }
    }

    /// Waits until the child has ended, and returns its exit status, or minus the signal that ended it.
    ///
    /// Not to be cancelled: a child ends, and if it is by `signal(SIGKILL)`.
    func ended() async -> Int32 {
        await status.waitIgnoringCancellation(\.self)
    }

    /// Waits for the child on a thread that may block.
    private func reap() {
        // WNOWAIT leaves the child's number taken until its end is known to all who may signal it.
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        status.update { status in
            var ending: Int32 = 0
            while waitpid(identifier, &ending, 0) < 0, errno == EINTR {}
            let signal = ending & 0x7F
            status = signal == 0 ? (ending >> 8) & 0xFF : -signal
        }
    }

    /// The last line of the child's log.
    var lastWords: String {
        guard let log = try? String(contentsOfFile: logPath, encoding: .utf8) else { return "" }  // no log, no words
        return log.split(separator: "\n").last.map(String.init) ?? ""
    }

    private struct StartError: Error, CustomStringConvertible {
        let name: String
        let reason: String
        var description: String { "the \(name) cannot be started: \(reason)" }
    }
}
