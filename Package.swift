// swift-tools-version: 6.2
import PackageDescription

/// The rules that every target is compiled under.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    // A call from one module to another costs what it does within one, if it is public: without library evolution Swift
    // does not optimize `package` declarations across modules. Unsafe to SwiftPM is any flag it does not know.
    .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
]

/// The linker for programs: unlike SwiftPM's usual one, it does not warn of what Foundation has in it and nobody calls.
/// It resolves all functions at the start, so that the table of their addresses is read-only afterwards (full RELRO).
let linker: [LinkerSetting] = [
    .unsafeFlags(["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "now"], .when(configuration: .release))
]

func systemLibrary(_ name: String, pkgConfig: String? = nil, packages: [String]) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt(packages)])
}

func module(_ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(of name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies,
        swiftSettings: settings)
}

let package = Package(
    name: "marquee",
    products: [
        .executable(name: "marquee", targets: ["marquee"])
    ],
    targets: [
        // A module imports only modules that stand above it here: Tests/Structure/check fails otherwise.
        // Floor 0: libraries of the system, locks and threads, text, JSON.
        // Without pkg-config: SwiftPM refuses flags in Debian's libzmq.pc.
        systemLibrary("CZMQ", packages: ["libzmq3-dev"]),
        systemLibrary("CSQLite", pkgConfig: "sqlite3", packages: ["libsqlite3-dev"]),
        systemLibrary("CPostgreSQL", pkgConfig: "libpq", packages: ["libpq-dev"]),
        systemLibrary("CCurl", pkgConfig: "libcurl", packages: ["libcurl4-openssl-dev"]),
        systemLibrary("CCrypto", pkgConfig: "libcrypto", packages: ["libssl-dev"]),
        systemLibrary("CMicrohttpd", pkgConfig: "libmicrohttpd", packages: ["libmicrohttpd-dev"]),
        systemLibrary("CZlib", pkgConfig: "zlib", packages: ["zlib1g-dev"]),
        systemLibrary(
            "CImaging", pkgConfig: "libturbojpeg", packages: ["libturbojpeg0-dev", "libpng-dev", "libwebp-dev"]),
        systemLibrary("CXXHash", pkgConfig: "libxxhash", packages: ["libxxhash-dev"]),
        systemLibrary("CLibc", packages: ["libc6-dev"]),
        systemLibrary("CYAML", pkgConfig: "yaml-0.1", packages: ["libyaml-dev"]),
        module("Concurrency", uses: ["CLibc"]),
        module("Text"),
        module("JSONCoding", uses: ["Text"]),
        module("Compression", uses: ["CZlib"]),
        module("Crypto", uses: ["CCrypto", "Text"]),

        // Floor 1: one module per outside world.
        module("ZeroMQ", uses: ["CLibc", "CZMQ", "Concurrency"]),
        module("Storage", uses: ["CSQLite", "CPostgreSQL", "Concurrency", "Text"]),
        module("Networking", uses: ["CCurl", "Concurrency", "Text", "JSONCoding", "Compression"]),
        module("WebServer", uses: ["CMicrohttpd", "Concurrency", "Text", "Compression"]),
        module("Imaging", uses: ["CImaging", "CLibc", "Concurrency"]),
        module("ServiceRuntime", uses: ["CLibc", "Concurrency", "Text", "JSONCoding"]),
        module("YAML", uses: ["CYAML", "Text"]),

        // Floor 2: the domain, and the health pages of a process.
        module("BoxOffice", uses: ["Text", "JSONCoding"]),
        module("OpenMarket", uses: ["Text", "JSONCoding"]),
        module("Health", uses: ["Concurrency", "ZeroMQ", "Storage", "WebServer", "ServiceRuntime"]),

        // Floor 3: the domain's two borders, upstream and on the wire.
        module(
            "Upstreams", uses: ["Crypto", "Text", "JSONCoding", "Networking", "Imaging", "BoxOffice", "OpenMarket"]),
        module("Contract", uses: ["Text", "JSONCoding", "BoxOffice", "OpenMarket"]),

        // Floor 4: the log of events, and what publishes and reads it over ZeroMQ.
        module("EventStore", uses: ["CXXHash", "JSONCoding", "Storage", "BoxOffice", "Contract"]),
        module(
            "Messaging",
            uses: [
                "Concurrency", "Text", "JSONCoding", "ZeroMQ", "Storage", "ServiceRuntime", "Contract", "EventStore",
            ]),

        // Floor 5: the processes.
        module(
            "Worker",
            uses: [
                "Concurrency", "Crypto", "Text", "JSONCoding", "ZeroMQ", "Storage", "Networking", "Imaging",
                "ServiceRuntime",
                "BoxOffice", "OpenMarket", "Health", "Upstreams", "Contract", "EventStore", "Messaging",
            ]),
        module(
            "Notifier",
            uses: [
                "Concurrency", "Crypto", "Text", "JSONCoding", "ZeroMQ", "Storage", "Networking", "ServiceRuntime",
                "YAML",
                "BoxOffice", "OpenMarket", "Health", "Contract", "EventStore", "Messaging",
            ]),
        .target(
            name: "Board",
            dependencies: [
                "Concurrency", "Crypto", "Text", "JSONCoding", "ZeroMQ", "Storage", "Networking", "WebServer",
                "Imaging",
                "ServiceRuntime",
                "BoxOffice", "OpenMarket", "Health", "Contract", "Messaging",
            ], exclude: ["Web"], swiftSettings: settings),
        module("Sandbox", uses: ["Concurrency", "Text", "JSONCoding", "WebServer", "Imaging", "BoxOffice"]),

        // Floor 6: the command line.
        .executableTarget(
            name: "marquee",
            dependencies: [
                "Concurrency", "Text", "JSONCoding", "ZeroMQ", "Storage", "Networking", "Imaging", "ServiceRuntime",
                "YAML",
                "BoxOffice",
                "OpenMarket", "Health", "Upstreams", "Contract", "EventStore", "Messaging", "Worker", "Notifier",
                "Board",
                "Sandbox",
            ], swiftSettings: settings, linkerSettings: linker),
        .executableTarget(
            name: "ExampleDay", dependencies: ["ZeroMQ", "BoxOffice", "Contract", "Messaging"], path: "Examples",
            exclude: [
                "day.c", "day.pl", "day.py", "day.rb", "encrypted.c", "encrypted.py", "rules.yml", "subscription.py",
                "webhook.py",
            ], sources: ["day.swift"],
            swiftSettings: settings),

        // What `make bench` measures with.
        .executableTarget(
            name: "Throughput",
            dependencies: [
                "Concurrency", "JSONCoding", "ZeroMQ", "Storage", "Networking", "BoxOffice", "Upstreams", "Contract",
                "EventStore", "Messaging", "Worker",
            ],
            path: "Benchmarks/Throughput", swiftSettings: settings, linkerSettings: linker),

        // Tests, floor by floor.
        .target(
            name: "TestSupport", dependencies: [], path: "Tests/TestSupport", swiftSettings: settings),
        tests(of: "Concurrency"),
        tests(of: "Text"),
        tests(of: "JSONCoding"),
        tests(of: "Crypto"),
        tests(of: "ZeroMQ", uses: ["Concurrency"]),
        tests(of: "Storage", uses: ["CLibc", "Concurrency"]),
        tests(of: "Networking", uses: ["Concurrency", "Text", "Compression"]),
        tests(of: "WebServer", uses: ["Concurrency", "Text"]),
        tests(of: "Imaging", uses: ["CLibc"]),
        tests(of: "ServiceRuntime", uses: ["CLibc", "Concurrency", "Text"]),
        tests(of: "YAML", uses: ["Text"]),
        tests(of: "BoxOffice", uses: ["JSONCoding"]),
        tests(of: "OpenMarket"),
        tests(of: "Health", uses: ["Concurrency", "Storage", "Networking", "ServiceRuntime"]),
        tests(
            of: "Upstreams",
            uses: [
                "Concurrency", "Crypto", "Text", "JSONCoding", "Networking", "WebServer", "Imaging", "BoxOffice",
                "OpenMarket",
            ]),
        tests(of: "Contract", uses: ["JSONCoding", "BoxOffice", "OpenMarket"]),
        .target(
            name: "EventStoreTestSupport", dependencies: ["Storage", "Contract", "EventStore", "TestSupport"],
            path: "Tests/EventStoreTestSupport", swiftSettings: settings),
        tests(of: "EventStore", uses: ["JSONCoding", "Storage", "BoxOffice", "Contract", "EventStoreTestSupport"]),
        tests(
            of: "Messaging",
            uses: [
                "Concurrency", "Text", "JSONCoding", "ZeroMQ", "Storage", "ServiceRuntime", "BoxOffice", "Contract",
                "EventStore", "EventStoreTestSupport",
            ]),
        tests(
            of: "Worker",
            uses: [
                "Concurrency", "Text", "JSONCoding", "ZeroMQ", "Storage", "Networking", "Imaging", "ServiceRuntime",
                "BoxOffice", "OpenMarket", "Health", "Upstreams", "Contract", "EventStore", "Messaging", "Sandbox",
            ]),
        tests(
            of: "Notifier",
            uses: [
                "Concurrency", "Text", "JSONCoding", "ZeroMQ", "Storage", "Networking", "ServiceRuntime", "YAML",
                "BoxOffice", "OpenMarket", "Contract", "EventStore", "Messaging",
            ]),
        tests(
            of: "Board",
            uses: [
                "Concurrency", "JSONCoding", "ZeroMQ", "Storage", "Networking", "WebServer", "Imaging",
                "ServiceRuntime",
                "BoxOffice", "OpenMarket", "Contract", "EventStore", "Messaging",
            ]),
        tests(
            of: "marquee",
            uses: [
                "Text", "JSONCoding", "ZeroMQ", "ServiceRuntime", "YAML", "BoxOffice", "OpenMarket", "Contract",
                "EventStore", "Storage", "Messaging", "Notifier", "Worker", "Sandbox",
            ]),
        tests(of: "Sandbox", uses: ["JSONCoding", "WebServer", "Imaging", "BoxOffice"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Concurrency", "ZeroMQ", "Networking", "BoxOffice", "Contract", "EventStore", "Storage", "Messaging",
                "Worker",
                "Notifier", "marquee", "ExampleDay", "TestSupport",
            ],
            exclude: ["Support/client.py", "Requests/envelopes.py", "Operation/routing_ids.py"], swiftSettings: settings
        ),
    ]
)
