import Operations

/// `marquee version`
struct VersionCommand: Subcommand {
    static let usage = Usage(name: "version", summary: "Says which marquee this is.")

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.refusePositional()
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        Console.print("marquee \(version)")
        return .done
    }
}
