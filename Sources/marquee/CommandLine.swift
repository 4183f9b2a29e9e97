import FoundationEssentials
import Glibc
import Imaging
import Notifier
import Operations
import YAML

/// All subcommands, in the order of `marquee help`.
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

/// The entry point: runs the subcommand in the arguments and exits with its status.
@main enum MarqueeCommand {
    static func main() async {
        // Before anything is started: what this process becomes may do nothing else.
        let words = CommandLine.arguments.dropFirst()
        if words.first == ImageDecoder.command { DecoderChild.run(Array(words.dropFirst())) }
        ProcessLimits.raiseOpenFiles()
        ProcessLimits.disableCoreDumps()
        ProcessLimits.keepFilesPrivate()
        ProcessLimits.refuseNewPrivileges()
        ProcessLimits.setTraceable(false)
        ProcessLimits.keepFreedMemory()
        exit(await status(of: Array(words)).rawValue)
    }

    /// Runs a subcommand and prints its error, if any.
    private static func status(of words: [String]) async -> ExitStatus {
        do {
            var words = words
            let language = try Language.taken(from: &words, environment: ProcessInfo.processInfo.environment)
            return try await Language.$current.withValue(language) { [words] in try await run(words) }
        } catch let error as UsageError {
            Console.printError("marquee: \(error.message)")
            return .usage
        } catch let error as InvalidEnvironmentError {
            for mistake in error.mistakes { Console.printError("marquee: \(mistake)") }
            return .usage
        } catch let error as ConfigurationError {
            Console.printError("marquee: \(error)")
            return .usage
        } catch let error as ConfigurationDiagnosticsError {
            for diagnostic in error.diagnostics { Console.printError("\(diagnostic)") }
            return .usage
        } catch {
            Console.printError("marquee: \(error)")
            return .failed
        }
    }

    private static func run(_ words: [String]) async throws -> ExitStatus {
        guard let name = words.first, !["help", "--help", "-h"].contains(name) else {
            try printHelp(for: words.dropFirst().first)
            return .done
        }
        guard let command = command(named: name) else {
            throw UsageError("unknown command \(name.debugDescription); `marquee help` lists all commands")
        }
        let rest = Array(words.dropFirst())
        if rest.contains("--help") || rest.contains("-h") {
            Console.print(command.usage.help)
            return .done
        }
        let arguments = try Arguments(rest, usage: command.usage)
        let configuration = try Configuration.current()
        if configuration.isTraceable { ProcessLimits.setTraceable(true) }
        return try await command.init(arguments).run(configuration)
    }

    private static func command(named name: String) -> (any Subcommand.Type)? {
        commands.first { $0.usage.name == name }
    }

    private static func printHelp(for name: String?) throws {
        guard let name else {
            let width = commands.map { $0.usage.name.count }.max() ?? 0
            Console.print("marquee turns the Korean box office into events on ZeroMQ.\n")
            for command in commands {
                let padding = String(repeating: " ", count: width - command.usage.name.count)
                Console.print("  marquee \(command.usage.name)\(padding)  \(command.usage.summary)")
            }
            Console.print(
                """

                `marquee help COMMAND` has the details of a command. Settings come from MARQUEE_… variables: see
                docs/configuration.md. Tables and events are in the language of the locale, or of --language ko|en.
                """)
            return
        }
        guard let command = command(named: name) else {
            throw UsageError("unknown command \(name.debugDescription); `marquee help` lists all commands")
        }
        Console.print(command.usage.help)
    }
}
