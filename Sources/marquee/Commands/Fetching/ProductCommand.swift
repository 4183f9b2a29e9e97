import BoxOffice
import Contract
import FoundationEssentials
import Glibc
import OpenMarket
import ServiceRuntime
import Text

struct ProductCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "product",
            arguments: "list | show ID | register IMAGE… | modify ID | remove ID",
            summary: localized(
                "오픈마켓 상품을 조회·등록·수정·삭제하고 결과를 출력합니다.",
                "Lists, shows, registers, changes or removes products of the Open Market, and prints the outcome."),
            details: localized(
                """
                상품 사진은 1~5장이며, 장당 8MB 이하의 JPEG 또는 PNG여야 합니다. 판매자 비밀키는 수집 서버에 설정된 것을 쓰거나
                파일에서 읽습니다. 명령행 인수는 다른 사용자에게 보일 수 있어 사용하지 않습니다. 터미널에서는 삭제 전에 확인합니다.
                """,
                """
                A product has 1 to 5 images, JPEG or PNG of at most 8 MB each. The vendor's secret is the worker's own, or is
                read from a file; it is never an argument, which other users could see. On a terminal, remove asks first.
                """) + "\n\n" + RequestRunner.statuses,
            options: options + RequestRunner.options)
    }

    private static var options: [Usage.Option] {
        [
            Usage.Option("--page", value: "N", "list: 페이지 번호(기본값 1)", "list: which page (default 1)"),
            Usage.Option(
                "--per-page", value: "N", "list: 페이지당 상품 수, 1~100", "list: how many products a page, 1 to 100"),
            Usage.Option("--all", "list: 모든 페이지", "list: all pages"),
            Usage.Option(
                "--refresh", "list, show: 이미 수집된 상품도 오픈마켓에서 다시 조회",
                "list, show: ask the shop even if the log has the data"),
            Usage.Option(
                "--name", value: "TEXT", "register, modify: 상품명, 3자 이상", "register, modify: 3 characters or more"),
            Usage.Option(
                "--description", value: "TEXT", "register, modify: 설명, 10~1,000자",
                "register, modify: 10 to 1,000 characters"),
            Usage.Option("--price", value: "AMOUNT", "register, modify: 정가, 0보다 큼", "register, modify: more than 0"),
            Usage.Option(
                "--currency", value: "KRW|USD", "register, modify: 통화(기본값 KRW)",
                "register, modify: currency of the price (default KRW)"),
            Usage.Option(
                "--discount", value: "AMOUNT", "register, modify: 할인 금액, 정가 이하", "register, modify: at most the price"),
            Usage.Option(
                "--stock", value: "N", "register, modify: 재고 수량(기본값 0)",
                "register, modify: the number in stock (default 0)"),
            Usage.Option(
                "--thumbnail", value: "N", "modify: 대표 사진의 번호", "modify: the number of the image for the thumbnail"),
            Usage.Option(
                "--secret-file", value: "PATH", "register, modify, remove: 판매자 비밀키 파일",
                "register, modify, remove: the vendor's secret"),
            Usage.Option("--yes", "remove: 확인을 묻지 않음", "remove: do not ask for confirmation"),
        ]
    }

    private let request: Request
    private let imagePaths: [String]
    private let secretPath: String?
    private let runner: RequestRunner
    /// The product that is removed only if the user confirms it on the terminal.
    private let unconfirmed: ProductID?

    init(_ arguments: Arguments) throws(UsageError) {
        let words = arguments.positional
        guard let verb = words.first.flatMap(Verb.init(rawValue:)) else {
            throw UsageError(
                "product에는 list, show, register, modify, remove 중 하나를 지정하세요",
                "product takes list, show, register, modify or remove")
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
            let count = imagePaths.count
            try validated { () throws(ProductValidationError) in try ProductConstraints.check(imageCount: count) }
        } else if let surplus = words.dropFirst(verb == .list ? 1 : 2).first {
            throw Arguments.unexpected(surplus)
        }
        request = Request(target, refresh: arguments.has("--refresh"))
        secretPath = arguments.value("--secret-file")
        unconfirmed = verb == .remove && !arguments.has("--yes") ? try Self.id(words) : nil
        runner = try RequestRunner(arguments)
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        var attachments = Attachments()
        do throws(UsageError) {
            for path in imagePaths { attachments.images.append(try bytes(at: path, limit: RequestFrames.imageLimit)) }
            attachments.secret = try secretPath.map { path throws(UsageError) in try secret(at: path) }
        } catch {
            Console.printError("marquee: \(error.message)")
            return .usage
        }
        if let unconfirmed, !Self.isConfirmed(unconfirmed) { return .failed }
        let count = attachments.images.count
        if count > 0, isatty(STDERR_FILENO) == 1 {
            Console.printError("사진 \(count)장을 보내는 중", "sending \(count) image\(count == 1 ? "" : "s")")
        }
        return try await runner.run(request, attaching: attachments, configuration)
    }

    /// Asks on the terminal whether to remove a product; without a terminal nobody can answer, and it is removed.
    private static func isConfirmed(_ id: ProductID) -> Bool {
        guard
            let answer = Console.ask(
                localized("상품 \(id)번을 삭제할까요? [y/N] ", "Remove the product \(id)? [y/N] "))
        else { return true }
        let isConfirmed = ["y", "yes", "예", "네"].contains(answer.lowercased())
        if !isConfirmed { Console.printError("marquee: 삭제하지 않았습니다", "marquee: nothing was removed") }
        return isConfirmed
    }

    private static func id(_ words: [String]) throws(UsageError) -> ProductID {
        guard words.count > 1 else { throw UsageError("ID 인수가 없습니다", "ID is missing") }
        return try Arguments.parse(words[1], as: "ID", expected: localized("상품 번호", "the number of a product")) {
            ProductID($0)
        }
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
            case .remove: ["--secret-file", "--yes"]
            }
        }

        /// Throws a `UsageError` if an option does not belong to this action.
        func check(_ arguments: Arguments) throws(UsageError) {
            let known = Set(options + RequestRunner.options.map(\.name))
            for option in ProductCommand.usage.options where arguments.has(option.name) && !known.contains(option.name)
            {
                throw UsageError(
                    "\(option.name) 옵션은 `product \(rawValue)`에 쓸 수 없습니다",
                    "\(option.name) does not apply to `product \(rawValue)`")
            }
            if arguments.has("--all") {
                try arguments.reject("--page", because: "옵션은 --all과 함께 쓸 수 없습니다", "does not apply with --all")
            }
        }
    }
}

/// Reads a secret from the first line of a file.
private func secret(at path: String) throws(UsageError) -> String {
    let line = try bytes(at: path, limit: 4_096).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard let secret = String(validating: line, as: UTF8.self), !secret.isEmpty else {
        throw UsageError("\(path)의 첫 줄에 비밀키가 없습니다", "\(path) has no secret in its first line")
    }
    return secret
}

private func bytes(at path: String, limit: Int) throws(UsageError) -> [UInt8] {
    // Checked before reading: a device or a very large file would exhaust the memory.
    var status = stat()
    let isFile = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    guard !isFile || status.st_size <= limit else {
        throw UsageError("\(path)의 크기가 \(limit.grouped)바이트를 넘습니다", "\(path) has more than \(limit.grouped) bytes")
    }
    guard isFile, let data = FileManager.default.contents(atPath: path) else {
        throw UsageError("\(path) 파일을 읽을 수 없습니다", "\(path) is not a readable file")
    }
    return Array(data)
}

/// Returns what `make` does; a mistake in a product is one in the arguments.
private func validated<Value>(_ make: () throws(ProductValidationError) -> Value) throws(UsageError) -> Value {
    do throws(ProductValidationError) {
        return try make()
    } catch {
        throw UsageError(error.text())
    }
}

extension Arguments {
    /// Returns the product that the options describe.
    fileprivate func productDraft() throws(UsageError) -> ProductDraft {
        guard let name = value("--name") else { throw Self.missing("--name") }
        guard let description = value("--description") else { throw Self.missing("--description") }
        guard let price = try amount("--price") else { throw Self.missing("--price") }
        let (currency, discount, stock) = (
            try currency(), try amount("--discount"), try number("--stock", in: 0...Int.max)
        )
        return try validated { () throws(ProductValidationError) in
            try ProductDraft(
                name: name, description: description, currency: currency ?? .won, price: price,
                discount: discount ?? 0, stock: stock ?? 0)
        }
    }

    /// Returns the change that the options describe.
    fileprivate func productChange() throws(UsageError) -> ProductChange {
        let (currency, price, discount) = (try currency(), try amount("--price"), try amount("--discount"))
        let (stock, thumbnail) = (try number("--stock", in: 0...Int.max), try number("--thumbnail", in: 1...Int.max))
        return try validated { () throws(ProductValidationError) in
            try ProductChange(
                name: value("--name"), description: value("--description"), thumbnail: thumbnail, currency: currency,
                price: price, discount: discount, stock: stock)
        }
    }

    private static func missing(_ option: String) -> UsageError {
        UsageError("\(option) 옵션이 없습니다", "\(option) is missing")
    }

    private func currency() throws(UsageError) -> Currency? {
        try value("--currency", expected: localized("KRW, USD", "KRW or USD")) { Currency(rawValue: $0) }
    }

    /// Returns an amount of money: digits, and decimals after a point.
    private func amount(_ name: String) throws(UsageError) -> Decimal? {
        try value(name, expected: localized("15000, 9.99 같은 금액", "an amount such as 15000 or 9.99")) { text in
            let digits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == 0x2E }
            return digits && text.utf8.count <= 30 ? Decimal(string: text) : nil
        }
    }
}
