import BoxOffice
import Operations

/// `marquee areas`
struct AreasCommand: Subcommand {
    static let usage = Usage(
        name: "areas", summary: "Lists the area codes for requests of charts.",
        details:
            "A code that is not in this list can be requested if the list of the Korean Film Council has it.")

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.rejectPositional()
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        var table = TextTable([.left, .left, .left])
        for area in Market.areas { table.add(["\(area.area)", area.name, area.nameEnglish ?? ""]) }
        table.lines.forEach(Console.print)
        return .done
    }
}

/// `marquee version`
struct VersionCommand: Subcommand {
    static let usage = Usage(name: "version", summary: "Prints the version.")

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.rejectPositional()
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        Console.print("marquee \(version)")
        return .done
    }
}
