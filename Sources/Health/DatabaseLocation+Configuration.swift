public import ServiceRuntime
public import Storage

extension DatabaseLocation {
    /// The database of a process: a schema at `MARQUEE_DATABASE`, or a file in `MARQUEE_DATA`, each with the name of the
    /// process.
    public init(of process: Configuration.ProcessRole, _ configuration: Configuration) {
        self.init(configuration.database?.value ?? "\(configuration.dataFolder)/\(process.rawValue).db", of: process)
    }

    /// The database of a process: a schema at an address such as `postgresql://HOST/DATABASE`, or a file by its path.
    public init(_ text: String, of process: Configuration.ProcessRole) {
        let isAddress = ["postgresql://", "postgres://"].contains(where: text.hasPrefix)
        self = isAddress ? .server(DatabaseServer(address: text, namespace: process.rawValue)) : .file(text)
    }
}
