import FoundationEssentials
import Glibc
import Imaging
import Messaging
import ServiceRuntime
import Text
import YAML

/// All subcommands, in the order of `marquee help`.
let commands: [any Subcommand.Type] = [
    UpCommand.self,
    WorkerCommand.self,
    NotifierCommand.self,
    BoardCommand.self,
    SandboxCommand.self,
    RequestCommand.self,
    PosterCommand.self,
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
    CopyCommand.self,
    ReplayCommand.self,
    NotifyCommand.self,
    KeysCommand.self,
    VersionCommand.self,
]

/// The entry point: runs the subcommand in the arguments and exits with its status.
@main enum MarqueeCommand {
    static func main() async {
        Console.reserveDescriptors()
        // Before anything is started: what this process becomes may do nothing else.
        let words = CommandLine.arguments.dropFirst()
        if words.first == ImageDecoder.command { DecoderChild.run(Array(words.dropFirst())) }
        ProcessLimits.raiseOpenFiles()
        ProcessLimits.disableCoreDumps()
        ProcessLimits.keepFilesPrivate()
        ProcessLimits.refuseNewPrivileges()
        ProcessLimits.setTraceable(false)
        ProcessLimits.keepFreedMemory()
        let status = await status(of: Array(words))
        LogWriter.standardError.flush()
        exit(status.rawValue)
    }

    /// Runs a subcommand and prints its error, if any.
    private static func status(of words: [String]) async -> ExitStatus {
        do throws(UsageError) {
            var words = words
            let language = try Language.taken(from: &words, environment: ProcessInfo.processInfo.environment)
            return await Language.$current.withValue(language) { [words] in await status(running: words) }
        } catch {
            Console.printError("marquee: \(error.message)")
            return .usage
        }
    }

    /// Runs a subcommand in the language that is chosen, and prints its error, if any.
    private static func status(running words: [String]) async -> ExitStatus {
        do {
            return try await run(words)
        } catch let error as UsageError {
            Console.printError("marquee: \(error.message)")
            return .usage
        } catch let error as InvalidEnvironmentError {
            for mistake in error.mistakes { Console.printError("marquee: \(mistake.text(in: .current))") }
            return .usage
        } catch let error as ConfigurationDiagnosticsError {
            Console.printError(error.text(in: .current))
            return .usage
        } catch {
            Console.printError("marquee: \(Language.current.text(of: error))")
            switch error {
            case is ConfigurationError: return .usage
            case is ResponseTimeoutError: return .timedOut
            default: return .failed
            }
        }
    }

    private static func run(_ words: [String]) async throws -> ExitStatus {
        guard let name = words.first, !["help", "--help", "-h"].contains(name) else {
            try printHelp(for: words.dropFirst().first)
            return .done
        }
        let command = try command(named: ["--version", "-V"].contains(name) ? VersionCommand.usage.name : name)
        let rest = Array(words.dropFirst())
        if rest.contains("--help") || rest.contains("-h") {
            Console.print(command.usage.help)
            return .done
        }
        let arguments = try Arguments(rest, usage: command.usage)
        let configuration = try Configuration.current()
        if configuration.isTraceable { ProcessLimits.setTraceable(true) }
        let prepared = try command.init(arguments)
        if arguments.has(ParentMonitor.option.name) { ParentMonitor.start() }
        return try await prepared.run(configuration)
    }

    private static func command(named name: String) throws(UsageError) -> any Subcommand.Type {
        if let command = commands.first(where: { $0.usage.name == name }) { return command }
        let nearest = commands.map { $0.usage.name }.nearest(to: name, within: 2)
        throw UsageError(
            "\(name.visiblyQuoted) 명령이 없습니다." + (nearest.map { " 비슷한 명령: \($0)." } ?? "")
                + " 전체 목록: marquee help",
            "unknown command \(name.visiblyQuoted)" + (nearest.map { "; did you mean \($0)?" } ?? ";")
                + " `marquee help` lists all commands")
    }

    private static func printHelp(for name: String?) throws {
        guard let name else {
            let width = commands.map { $0.usage.name.count }.max() ?? 0
            let columns = min(Console.width, Usage.columns)
            Console.print(
                "marquee: 한국 박스오피스를 ZeroMQ 이벤트로 발행합니다.\n",
                "marquee turns the Korean box office into events on ZeroMQ.\n")
            for usage in commands.map({ $0.usage }) {
                usage.summary.wrapped(after: "  marquee \(usage.name)", indent: width + 12, columns: columns)
                    .forEach(Console.print)
            }
            Console.print("")
            localized(
                """
                명령별 자세한 설명은 `marquee help COMMAND`에서 볼 수 있습니다. 설정은 MARQUEE_… 환경 변수로 합니다(docs/configuration.md).
                언어는 로캘을 따르며, 모든 명령에서 --language ko|en으로 바꿀 수 있습니다.
                """,
                """
                `marquee help COMMAND` has the details of a command. Settings come from MARQUEE_… variables: see
                docs/configuration.md. The language is that of the locale; each command accepts --language ko|en.
                """
            ).wrapped(columns: columns).forEach(Console.print)
            return
        }
        Console.print(try command(named: name).usage.help)
    }
}
