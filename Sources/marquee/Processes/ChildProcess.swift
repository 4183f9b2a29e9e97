import Concurrency
import Dispatch
import FoundationEssentials
import Glibc
import ServiceRuntime
import Text

/// A child process that runs this program, with a log file as standard error.
final class ChildProcess: Sendable {
    /// The name of the child in messages.
    let name: String
    let logPath: String
    private let identifier: pid_t
    private let age = Stopwatch(ContinuousClock())
    /// The size of the log file when the child was started.
    private let logStart: Int
    /// Our end of the pipe to the child's standard input. The kernel closes it when this process ends, even by SIGKILL, so
    /// that the child ends too.
    private let inputPipe: Int32
    /// The exit status, or the negative number of the signal that ended the child; nil while it runs.
    private let status = AsyncCondition<Int32?>(nil)

    /// Starts `marquee` with `arguments`; `settings` override variables of the environment.
    init(_ name: String, arguments: [String], settings: [String: String], logPath: String, sharesOutput: Bool) throws {
        self.name = name
        self.logPath = logPath
        var file = stat()
        logStart = stat(logPath, &file) == 0 ? Int(file.st_size) : 0
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw StartError(name: name, reason: BilingualText(errno: errno)) }
        // Otherwise the child would keep its own pipe open, and those of its siblings.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        for descriptor in sharesOutput ? [STDERR_FILENO] : [STDOUT_FILENO, STDERR_FILENO] {
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
            throw StartError(name: name, reason: BilingualText(errno: status))
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

    var uptime: Duration { age.elapsed }

    /// Says how the child ended, with its own error or by which signal, and where its log is.
    func cause(of status: Int32) -> String {
        if status < 0 {
            let name = String(cString: strsignal(-status))
            return localized("시그널 \(-status)번으로 종료됨", "signal \(-status) (\(name)) ended it") + " (\(logPath))"
        }
        let line = lastLogLine
        // The log is in English, so that in Korean its line stands below, and says where it is from.
        return localized(
            "종료 코드 \(status) (\(logPath))" + (line.map { "\n  마지막 로그: \($0)" } ?? ""),
            "it ended with status \(status)" + (line.map { ": \($0)" } ?? "") + " (\(logPath))")
    }

    /// The name of a process in Korean; each ends in a vowel.
    static func korean(_ role: String) -> String {
        switch role {
        case "worker": "수집 서버"
        case "notifier": "알림 서버"
        case "board": "보드"
        default: "샌드박스"
        }
    }

    /// The last line that the child has written into its log; nil if there is none.
    private var lastLogLine: String? {
        // The log of a child that could not write one does not exist.
        guard let log = try? Data(contentsOf: URL(filePath: logPath)) else { return nil }
        return log.dropFirst(logStart).split(separator: UInt8(ascii: "\n")).last.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private struct StartError: BilingualError {
        let name: String
        let reason: BilingualText
        var text: BilingualText {
            BilingualText(
                "\(ChildProcess.korean(name)) 시작 실패: \(reason.text(in: .ko))", "cannot start the \(name): \(reason)")
        }
    }
}
