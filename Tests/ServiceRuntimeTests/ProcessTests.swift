import CLibc
import Glibc
import TestSupport
import Testing

@testable import ServiceRuntime

/// Signals and limits belong to a process, so each test runs in a process of its own.
@Suite struct ProcessTests {
    @Test("the first SIGINT or SIGTERM resumes the waiting task", .patience)
    func first() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let signals = TerminationSignals()
            kill(getpid(), SIGINT)
            await signals.first()
            exit(7)
        }
        await #expect(processExitsWith: .exitCode(7)) {
            let signals = TerminationSignals()
            kill(getpid(), SIGTERM)
            await signals.first()
            exit(7)
        }
    }

    @Test("the second signal ends the process with 128 and its number", .patience)
    func second() async {
        await #expect(processExitsWith: .exitCode(128 + SIGTERM)) {
            let signals = TerminationSignals()
            kill(getpid(), SIGINT)
            await signals.first()
            kill(getpid(), SIGTERM)
            for await _ in AsyncStream<Void>.makeStream().stream {}
            while true { pause() }
        }
    }

    @Test("SIGHUP asks to read the configuration again, and then SIGTERM ends", .patience)
    func reload() async {
        await #expect(processExitsWith: .exitCode(7)) {
            // Without a terminal, which a test's process may have and lose.
            setsid()
            let signals = TerminationSignals(reloadsOnHangup: true)
            for _ in 1...2 {
                kill(getpid(), SIGHUP)
                for await _ in signals.reloads { break }
            }
            kill(getpid(), SIGTERM)
            await signals.first()
            exit(7)
        }
    }

    @Test("core dumps cannot be enabled again", .patience)
    func coreDumps() async {
        await #expect(processExitsWith: .exitCode(7)) {
            ProcessLimits.disableCoreDumps()
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            exit(limit.rlim_cur == 0 && limit.rlim_max == 0 ? 7 : 1)
        }
    }

    @Test("new files are their owner's only, whatever the shell says", .patience)
    func privateFiles() async {
        await #expect(processExitsWith: .exitCode(7)) {
            umask(0)
            ProcessLimits.keepFilesPrivate()
            exit(umask(0) == 0o077 ? 7 : 1)
        }
    }

    @Test("a process gains no privileges, and only root can trace it", .patience)
    func privileges() async {
        await #expect(processExitsWith: .exitCode(7)) {
            ProcessLimits.refuseNewPrivileges()
            ProcessLimits.setTraceable(false)
            let isDumpable = marquee_prctl(PR_GET_DUMPABLE, 0) != 0
            ProcessLimits.setTraceable(true)
            let isTraceable = marquee_prctl(PR_GET_DUMPABLE, 0) == 1
            let hasNone = marquee_prctl(PR_GET_NO_NEW_PRIVS, 0) == 1
            exit(!isDumpable && isTraceable && hasNone ? 7 : 1)
        }
    }

    @Test("cancellation ends the wait for a signal", .patience)
    func cancelled() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let signals = TerminationSignals()
            let waiting = Task { await signals.first() }
            waiting.cancel()
            await waiting.value
            exit(7)
        }
    }

    @Test("a write to a closed pipe is an error and does not end the process", .patience)
    func brokenPipe() async {
        await #expect(processExitsWith: .exitCode(7)) {
            _ = TerminationSignals()
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            close(ends[0])
            let (count, code) = (write(ends[1], "x", 1), errno)
            exit(count == -1 && code == EPIPE ? 7 : 1)
        }
    }

    @Test("the limit of open files is raised as far as the system allows", .patience)
    func openFiles() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            getrlimit(resource, &limit)
            limit.rlim_cur = 256
            setrlimit(resource, &limit)
            ProcessLimits.raiseOpenFiles()
            exit(ProcessLimits.openFiles == min(Int(clamping: limit.rlim_max), 65_536) ? 7 : 1)
        }
    }
}
