import BoxOffice
import Operations

/// `marquee areas`
struct AreasCommand: Subcommand {
    static let usage = Usage(
        name: "areas", summary: "Lists the codes of the areas that charts can be asked for.",
        details:
            "A code that is not among them is asked for too, unless the council's own list does not have it either.")

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
    static let usage = Usage(name: "version", summary: "Says which marquee this is.")

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.rejectPositional()
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        Console.print("marquee \(version)")
        return .done
    }
}
