public import Foundation

/// The calendar clock of the programs under test: a Wednesday morning in Korea, whatever day it is on this machine.
///
/// Midnight in Korea, where yesterday's chart appears, is fourteen hours away; no week or month ends. `Tests/Harness/clock.py`
/// is the same clock for Python.
public enum FixedClock {
    /// Where it stood when this process first asked: 2026-06-10, 10:00 in Korea.
    public static let start = Date(timeIntervalSince1970: 1_781_053_200)

    /// What the programs take for now.
    public static var now: Date { Date() + Double(offset) }

    /// The variables with which a program uses this clock. Needs a C compiler.
    public static var environment: [String: String] {
        get throws { ["LD_PRELOAD": try library.get(), "TEST_CLOCK": "\(offset)"] }
    }

    private static let offset = Int64(start.timeIntervalSinceNow.rounded(.up))

    /// The library that moves the clock, compiled once beside the built programs.
    private static let library = Result {
        let path = URL(filePath: BuiltProgram.path).deletingLastPathComponent().path + "/clock.so"
        // Under another name first: another run of the tests may be using it.
        let new = "\(path).\(getpid())"
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Harness/clock.c")
        let compiler = try Process.run(
            URL(filePath: "/usr/bin/cc"), arguments: ["-shared", "-fPIC", "-O2", "-o", new, source.standardized.path])
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0, rename(new, path) == 0 else { throw ClockError() }
        return path
    }
}

/// `Tests/Harness/clock.c` could not be compiled.
private struct ClockError: Error {}
