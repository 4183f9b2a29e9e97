import Contract
import FoundationEssentials
import OpenMarket
import Operations

/// `marquee product`
struct ProductCommand: Subcommand {
    static let usage = Usage(
        name: "product",
        arguments: "list | show ID | register IMAGE… | modify ID | remove ID",
        summary: "Lists, shows, registers, changes or removes products of the Open Market, and prints the outcome.",
        details: """
            A product has 1 to 5 images, JPEG or PNG of at most 8 MiB each. The vendor's secret is the worker's own, or is
            read from a file; it is never an argument, which other users could see.
            \(RequestRunner.statuses)
            """,
        options: [
            Usage.Option(name: "--page", value: "N", meaning: "list: which page (default 1)"),
            Usage.Option(name: "--per-page", value: "N", meaning: "list: how many products a page, 1 to 100"),
            Usage.Option(name: "--all", meaning: "list: all pages"),
            Usage.Option(name: "--refresh", meaning: "list, show: ask the market even if the log has the data"),
            Usage.Option(name: "--name", value: "TEXT", meaning: "register, modify: 3 characters or more"),
            Usage.Option(name: "--description", value: "TEXT", meaning: "register, modify: 10 to 1,000 characters"),
            Usage.Option(name: "--price", value: "AMOUNT", meaning: "register, modify: more than 0"),
            Usage.Option(
                name: "--currency", value: "KRW|USD", meaning: "register, modify: currency of the price (default KRW)"),
            Usage.Option(name: "--discount", value: "AMOUNT", meaning: "register, modify: at most the price"),
            Usage.Option(name: "--stock", value: "N", meaning: "register, modify: the number in stock (default 0)"),
            Usage.Option(
                name: "--thumbnail", value: "N", meaning: "modify: the number of the image for the thumbnail"),
            Usage.Option(
                name: "--secret-file", value: "PATH", meaning: "register, modify, remove: the vendor's secret"),
        ] + RequestRunner.options)

    private let request: Request
    private let imagePaths: [String]
    private let secretPath: String?
    private let runner: RequestRunner

    init(_ arguments: Arguments) throws(UsageError) {
        let words = arguments.positional
        guard let verb = words.first.flatMap(Verb.init(rawValue:)) else {
            throw UsageError("product takes list, show, register, modify or remove")
        }
        try verb.check(arguments)
        let target: Request.Target
        switch verb {
        case .list:
            let perPage = try arguments.number("--per-page", in: ProductPage.perPage)
            let page = try arguments.number("--page", in: 1...1_000_000) ?? 1
            target = .products(
                arguments.has("--all") ? .catalogue(perPage: perPage ?? 100) : .page(page, perPage: perPage ?? 20))
        case .show: target = .products(.product(try Self.id(words)))
        case .register: target = .productOrder(.register(try arguments.productDraft()))
        case .modify: target = .productOrder(.modify(try Self.id(words), try arguments.productChange()))
        case .remove: target = .productOrder(.remove(try Self.id(words)))
        }
        imagePaths = verb == .register ? Array(words.dropFirst()) : []
        if verb == .register {
            do throws(ProductValidationError) {
                try ProductConstraints.check(imageCount: imagePaths.count)
            } catch {
                throw UsageError(error.message)
            }
        } else if let surplus = words.dropFirst(verb == .list ? 1 : 2).first {
            throw UsageError("unexpected argument \(surplus.debugDescription)")
        }
        request = Request(target, refresh: arguments.has("--refresh"))
        secretPath = arguments.value("--secret-file")
        runner = try RequestRunner(arguments)
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let upload = Upload()
        var attachments = Attachments()
        do throws(UsageError) {
            for path in imagePaths { attachments.images.append(try upload.image(at: path)) }
            attachments.secret = try secretPath.map { path throws(UsageError) in try Upload.secret(at: path) }
        } catch {
            Console.printError("marquee: \(error.message)")
            return .usage
        }
        upload.showStart(attachments.images)
        return try await runner.run(request, attaching: attachments, configuration, progress: upload.showReceipt)
    }

    private static func id(_ words: [String]) throws(UsageError) -> ProductID {
        guard words.count > 1 else { throw UsageError("ID is missing") }
        guard let id = ProductID(words[1]) else {
            throw UsageError("ID must be the number of a product, not \(words[1].debugDescription)")
        }
        return id
    }

    /// The action; the raw value is the first argument.
    private enum Verb: String {
        case list
        case show
        case register
        case modify
        case remove

        private var options: [String] {
            switch self {
            case .list: ["--page", "--per-page", "--all", "--refresh"]
            case .show: ["--refresh"]
            case .register:
                ["--name", "--description", "--price", "--currency", "--discount", "--stock", "--secret-file"]
            case .modify: Self.register.options + ["--thumbnail"]
            case .remove: ["--secret-file"]
            }
        }

        /// Throws a `UsageError` if an option does not belong to this action.
        func check(_ arguments: Arguments) throws(UsageError) {
            let known = Set(options + RequestRunner.options.map(\.name))
            for option in ProductCommand.usage.options where arguments.has(option.name) && !known.contains(option.name)
            {
                throw UsageError("\(option.name) does not apply to `product \(rawValue)`")
            }
            if self == .list, arguments.has("--all") {
                try arguments.reject("--page", because: "does not apply with --all")
            }
        }
    }
}
