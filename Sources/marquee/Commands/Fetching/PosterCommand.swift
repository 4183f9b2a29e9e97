import BoxOffice
import Contract
import JSONCoding
import Messaging
import ServiceRuntime
import Text
import ZeroMQ

struct PosterCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "poster", arguments: "CODE [--reject | URL]",
            summary: localized(
                "영화의 포스터를 보여 주고, 잘못된 포스터를 다른 이미지로 바꿉니다.",
                "Prints a movie's poster, and replaces a wrong one by the next hit or by the image at URL."),
            details: localized(
                """
                지정한 URL은 다시 바꿀 때까지 유지되며, 제외한 이미지는 다시 쓰이지 않습니다. --reject는 지정한 URL도 취소합니다.
                """,
                """
                The image at URL stays until it is changed, and a rejected image does not come back. --reject takes back a
                URL, too.
                """) + "\n\n" + RequestRunner.statuses,
            options: [
                Usage.Option("--reject", "이 포스터를 제외하고 다음 검색 결과를 사용", "reject this poster, and take the next hit")
            ] + RequestRunner.options)
    }

    private struct Body: Encodable {
        let code: MovieCode
        var id: String?
        var reject: Bool?
        var url: String?
    }

    private let code: MovieCode
    private let rejects: Bool
    private let url: String?
    private let runner: RequestRunner

    init(_ arguments: Arguments) throws(UsageError) {
        rejects = arguments.has("--reject")
        let words = arguments.positional
        guard words.count == 1 || words.count == 2 && !rejects else {
            throw UsageError("poster의 인수: \(Self.usage.arguments)", "poster takes \(Self.usage.arguments)")
        }
        code = try arguments.movieCode(words[0])
        url = words.dropFirst().first
        runner = try RequestRunner(arguments)
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        guard rejects || url != nil else { return try await show(configuration) }
        let id = RequestID.random()
        let body = try JSON.text(Body(code: code, id: id.description, reject: rejects ? true : nil, url: url))
        return try await runner.run(configuration, isWhole: true) { client in
            let outcome = try await client.perform(
                RequestFrames(topic: "poster", body: body), id: id,
                answeredOn: Request.Target.movie(code, poster: true).prefixes, within: runner.timeout)
            guard case .done(let done, let events) = outcome else { return outcome }
            return .done(done, events.filter { $0.stream == .poster })
        }
    }

    private func show(_ configuration: Configuration) async throws -> ExitStatus {
        let io = try configuration.makeClientThread()
        let client = try await CommandClient(io, addresses: configuration.reachableCommands)
        let reply = try await client.ask("poster", try JSON.text(Body(code: code)), within: runner.timeout)
        await io.shutdown()
        if let failure = reply.failure {
            guard failure.code == .notFound else { return failure.report() }
            Console.printError(
                localized(
                    "marquee: 아직 포스터를 검색하지 않은 영화입니다. 먼저 `marquee request movie \(code)`를 실행하세요",
                    "marquee: \(failure.message): run `marquee request movie \(code)` first"))
            return .failed
        }
        if runner.printsJSON {
            Console.print(String(decoding: reply.body, as: UTF8.self))
        } else {
            try PosterText(poster: JSON.decode(Poster.self, from: reply.body)).lines.forEach(Console.print)
        }
        return .done
    }
}
