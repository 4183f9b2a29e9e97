import BoxOffice
import ServiceRuntime
import Text

struct AreasCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "areas",
            summary: localized("박스오피스 요청에 쓰는 지역 코드를 보여 줍니다.", "Lists the area codes for requests of charts."),
            details: localized(
                "이 목록에 없는 코드도 영화진흥위원회 목록에 있으면 요청할 수 있습니다.",
                "A code that is not in this list can be requested if the list of the Korean Film Council has it."))
    }

    init(_ arguments: Arguments) {}

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        Market.areas.table([.left { "\($0.area)" }, .left { localized($0.name, $0.nameEnglish ?? $0.name) }])
            .forEach(Console.print)
        return .done
    }
}

struct VersionCommand: Subcommand {
    static var usage: Usage {
        Usage(name: "version", summary: localized("버전을 출력합니다.", "Prints the version."))
    }

    init(_ arguments: Arguments) {}

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        Console.print("marquee \(version)")
        return .done
    }
}
