import Messaging
import ServiceRuntime
import Text

struct KeysCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "keys", arguments: "new server|client NAME",
            summary: localized("암호화 연결에 쓸 키 쌍을 만듭니다.", "Makes a key pair for encrypted connections."),
            details: localized(
                """
                NAME.key_secret과 공개 키를 MARQUEE_CURVE_KEYS 폴더에 만듭니다. 공개 키는 서버의 경우 NAME.key, 클라이언트의 경우
                clients/NAME.key이며, 그 클라이언트는 이 폴더를 쓰는 모든 프로세스에 연결할 수 있습니다. 기존 파일은 바꾸지 않습니다.
                """,
                """
                Writes NAME.key_secret and a public key into MARQUEE_CURVE_KEYS: NAME.key for a server, clients/NAME.key for a
                client, which may then connect wherever that folder is used. Existing files are not changed.
                """),
            options: [
                Usage.Option(
                    "--roles", value: "ROLE,…",
                    "client: read, request, replay, shop, operate 중에서(기본값 read,request) 또는 none",
                    "client: any of read, request, replay, shop, operate (default read,request), or none")
            ])
    }

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
            throw UsageError(
                "keys에는 인수가 세 개 필요합니다: new server NAME 또는 new client NAME",
                "keys takes three arguments: new server NAME, or new client NAME")
        }
        guard KeyFolder.isName(words[2]) else {
            throw UsageError(
                "NAME은 영문자, 숫자, 마침표(.), 하이픈(-), 밑줄(_)로 1~64자여야 하며 마침표로 시작할 수 없습니다",
                "NAME must have 1 to 64 letters, digits, dots, dashes and underscores, and not begin with a dot")
        }
        if kind == .server {
            try arguments.reject("--roles", because: "옵션은 client에만 쓸 수 있습니다", "is for a client, not for a server")
        }
        self.kind = kind
        name = words[2]
        let known = Role.allCases.map(\.rawValue).joined(separator: ",")
        let expected = localized("\(known) 중에서 쉼표로 구분, 또는 none", "any of \(known), separated by commas, or none")
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
        Console.print(
            "\(files.secret)  비밀 키(\(kind.rawValue) 전용)", "\(files.secret)  secret: for the \(kind.rawValue) alone")
        Console.print("\(files.open)  공개 키", "\(files.open)  public")
        return .done
    }
}
