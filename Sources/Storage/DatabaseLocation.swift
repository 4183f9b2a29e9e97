/// Where a database is.
public enum DatabaseLocation: Hashable, Sendable {
    /// A file of SQLite, by its path.
    case file(String)
    /// A part of a PostgreSQL database.
    case server(DatabaseServer)

    /// What messages call the database: its path, or its address without the password.
    public var name: String {
        switch self {
        case .file(let path): path
        case .server(let server): server.name
        }
    }
}

/// A schema in a PostgreSQL database.
public struct DatabaseServer: Hashable, Sendable, CustomStringConvertible {
    /// The address as libpq reads it, a URL or words such as `host=a,b`; it may have a password.
    let address: String
    /// The schema, in PostgreSQL's sense, that has all tables; it is made if it is missing.
    let namespace: String
    /// What messages call the database: `postgresql://HOST:PORT/DATABASE`, without user and password.
    let name: String

    /// The name; the address may have a password.
    public var description: String { name }

    /// Names a schema of the database at an address; does not connect.
    ///
    /// - Parameter namespace: A word of small letters.
    public init(address: String, namespace: String) {
        self.address = address
        self.namespace = namespace
        name = PostgreSQLSession.name(of: address)
    }
}
