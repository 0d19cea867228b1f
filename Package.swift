// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "etl",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "GraphStore", targets: ["GraphStore", "GraphModel"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        .target(name: "Diagnostics"),
        .target(name: "YAML", dependencies: ["Diagnostics", "CLibYAML"]),
        .target(name: "RecordStreams", dependencies: ["Diagnostics", "CZlib"]),
        .target(
            name: "GraphModel",
            dependencies: [
                "Diagnostics", "YAML", .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(name: "SQLite", dependencies: ["Diagnostics", "CSQLite"]),
        .target(name: "GraphStore", dependencies: ["Diagnostics", "GraphModel", "SQLite"]),
        .target(
            name: "Pipelines",
            dependencies: ["Diagnostics", "YAML", "RecordStreams", "GraphModel", "GraphStore"]
        ),

        .testTarget(name: "YAMLTests", dependencies: ["YAML", "Diagnostics"]),
        .testTarget(name: "RecordStreamsTests", dependencies: ["RecordStreams", "Diagnostics"]),
        .testTarget(
            name: "GraphModelTests", dependencies: ["GraphModel", "Diagnostics"],
            exclude: ["Fixtures"]),
        .testTarget(name: "SQLiteTests", dependencies: ["SQLite"]),
        .testTarget(
            name: "GraphStoreTests", dependencies: ["GraphStore", "GraphModel", "SQLite"]),
        .testTarget(
            name: "PipelinesTests",
            dependencies: [
                "Pipelines", "GraphStore", "GraphModel", "RecordStreams", "SQLite", "Diagnostics",
            ]),
    ]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
