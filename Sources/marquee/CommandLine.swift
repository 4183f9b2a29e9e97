import FoundationEssentials
import Glibc
import Operations
import YAML

/// Every subcommand, in the order in which `marquee help` lists them.
private let commands: [any Subcommand.Type] = [
    UpCommand.self,
    WorkerCommand.self,
    NotifierCommand.self,
    BoardCommand.self,
    SandboxCommand.self,
    RequestCommand.self,
    ProductCommand.self,
    BackfillCommand.self,
    WatchCommand.self,
    AreasCommand.self,
    StatusCommand.self,
    CheckCommand.self,
    HistoryCommand.self,
    ExportCommand.self,
    LogCommand.self,
    BackupCommand.self,
    RestoreCommand.self,
    ReplayCommand.self,
    NotifyCommand.self,
    KeysCommand.self,
    VersionCommand.self,
]

/// Runs the subcommand that the process was started with, and ends the process with its status.
func runCommandLine() async {
    ProcessLimits.raiseOpenFiles()
    ProcessLimits.disableCoreDumps()
    ProcessLimits.keepFreedMemory()
    let status: ExitStatus
    do {
        status = try await run(Array(CommandLine.arguments.dropFirst()))
    } catch let error as UsageError {
        Console.complain("marquee: \(error.message)")
        status = .usage
    } catch let error as ConfigurationError {
        Console.complain("marquee: \(error)")
        status = .usage
    } catch let error as ConfigurationDiagnosticsError {
        for mistake in error.diagnostics { Console.complain("\(mistake)") }
        status = .usage
    } catch {
        Console.complain("marquee: \(error)")
        status = .failed
    }
    exit(status.rawValue)
}

private func run(_ words: [String]) async throws -> ExitStatus {
    guard let name = words.first, !["help", "--help", "-h"].contains(name) else {
        try printHelp(for: words.dropFirst().first)
        return .done
    }
    guard let command = command(named: name) else {
        throw UsageError("there is no command \(name.debugDescription); `marquee help` lists them")
    }
    let rest = Array(words.dropFirst())
    if rest.contains("--help") || rest.contains("-h") {
        Console.print(command.usage.help)
        return .done
    }
    let arguments = try Arguments(rest, usage: command.usage)
    let configuration = try Configuration(environment: ProcessInfo.processInfo.environment)
    return try await command.init(arguments).run(configuration)
}

private func command(named name: String) -> (any Subcommand.Type)? {
    commands.first { $0.usage.name == name }
}

private func printHelp(for name: String?) throws {
    guard let name else {
        let width = commands.map { $0.usage.name.count }.max() ?? 0
        Console.print("marquee turns the Korean box office into events on ZeroMQ.\n")
        for command in commands {
            let padding = String(repeating: " ", count: width - command.usage.name.count)
            Console.print("  marquee \(command.usage.name)\(padding)  \(command.usage.summary)")
        }
        Console.print("\nmarquee help COMMAND tells more. Settings come from MARQUEE_… variables: see README.md.")
        return
    }
    guard let command = command(named: name) else {
        throw UsageError("there is no command \(name.debugDescription); `marquee help` lists them")
    }
    Console.print(command.usage.help)
}
