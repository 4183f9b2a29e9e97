import Messaging
import Operations

/// `marquee keys`
struct KeysCommand: Subcommand {
    static let usage = Usage(
        name: "keys", arguments: "new server|client NAME",
        summary: "Makes a key pair for encrypted connections.",
        details: """
            Writes NAME.key_secret and a public key into MARQUEE_CURVE_KEYS: NAME.key for a server, clients/NAME.key for a
            client, which may then connect wherever that folder is used. Existing files are not changed.
            """,
        options: [
            Usage.Option(
                name: "--roles", value: "ROLE,…",
                meaning: "client: any of read, request, replay, shop, operate (default read,request), or none")
        ])

    private enum Kind: String {
        case server
        case client
    }

    private let kind: Kind
    private let name: String
    private let roles: Set<Role>

    init(_ arguments: Arguments) throws(UsageError) {
        let words = arguments.positional
        guard words.count == 3, words[0] == "new", let kind = Kind(rawValue: words[1]) else {
            throw UsageError("keys takes three arguments: new server NAME, or new client NAME")
        }
        guard KeyFolder.isName(words[2]) else {
            throw UsageError(
                "NAME must have 1 to 64 letters, digits, dots, dashes and underscores, and not begin with a dot")
        }
        if kind == .server { try arguments.reject("--roles", because: "is for a client, not for a server") }
        self.kind = kind
        name = words[2]
        let expected = "any of \(Role.allCases.map(\.rawValue).joined(separator: ",")), separated by commas, or none"
        roles =
            try arguments.value("--roles", expected: expected) { text in
                if text == "none" { return [] }
                let words = text.split(separator: ",", omittingEmptySubsequences: false)
                let roles = words.compactMap { Role(rawValue: String($0)) }
                return roles.count == words.count ? Set(roles) : nil
            } ?? [.read, .request]
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let folder = KeyFolder(configuration.curve.folder)
        let files =
            switch kind {
            case .server: try folder.makeServer(name)
            case .client: try folder.makeClient(name, roles: roles)
            }
        Console.print("\(files.secret)  secret: for the \(kind.rawValue) alone")
        Console.print("\(files.open)  public")
        return .done
    }
}
