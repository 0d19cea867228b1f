// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "etl",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "etl", targets: ["etl"]),
        .library(
            name: "GraphStore", targets: ["GraphStore", "GraphModel", "RowStore", "XcodeModel"]),
        .plugin(name: "GenerateGraphClasses", targets: ["GenerateGraphClasses"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0", traits: []),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // On Apple platforms, CryptoKit provides these digests.
        .target(name: "CDigests"),
        .target(
            name: "Digests",
            dependencies: [.target(name: "CDigests", condition: .when(platforms: [.linux]))]),
        .target(name: "Files"),
        .target(name: "Diagnostics", dependencies: ["Files"]),
        .target(name: "YAML", dependencies: ["Files", "Diagnostics", "CLibYAML"]),
        .target(
            name: "Processes",
            dependencies: [
                "Files", "Diagnostics", .product(name: "Subprocess", package: "swift-subprocess"),
                .product(
                    name: "SystemPackage", package: "swift-system",
                    condition: .when(platforms: [.linux])),
            ]),
        .target(
            name: "RecordStreams", dependencies: ["Files", "Diagnostics", "Processes", "CZlib"]),
        .target(
            name: "GraphModel",
            dependencies: ["Diagnostics", "YAML", "Digests"]),
        .target(name: "XcodeModel", dependencies: ["Files", "Diagnostics", "GraphModel", "CZlib"]),
        .target(name: "ClassGeneration", dependencies: ["Files", "Diagnostics", "GraphModel"]),
        .target(name: "SQLitePages", dependencies: ["Files"]),
        .target(
            name: "SQLite", dependencies: ["Files", "GraphModel", "SQLitePages", "CSQLite"]),
        .target(
            name: "RowStore",
            dependencies: [
                "Files", "Diagnostics", "YAML", "GraphModel", "XcodeModel", "SQLite",
                "SQLitePages",
            ]),
        .target(
            name: "GraphStore",
            dependencies: [
                "Files", "Diagnostics", "GraphModel", "RowStore", "SQLite", "Digests",
            ]),
        .target(
            name: "Pipelines",
            dependencies: [
                "Files", "Diagnostics", "Processes", "YAML", "RecordStreams", "GraphModel",
                "XcodeModel", "GraphStore", "Digests",
            ]
        ),
        .executableTarget(
            name: "etl",
            dependencies: [
                "Files", "Diagnostics", "Processes", "Pipelines", "GraphModel", "ClassGeneration",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        .plugin(
            name: "GenerateGraphClasses",
            capability: .command(
                intent: .custom(
                    verb: "generate-graph-classes",
                    description: "Writes Swift classes for the entities of a model."),
                permissions: [
                    .writeToPackageDirectory(reason: "The classes become part of your sources.")
                ]),
            dependencies: ["etl"]),

        // Stores and archives as apps write them, for the tests of several targets.
        .target(
            name: "AppStoreFixtures", dependencies: ["GraphModel", "XcodeModel", "SQLite"],
            path: "Tests/AppStoreFixtures"),

        // The starting seeds for the random tests of all targets.
        .target(name: "TestSeeds", path: "Tests/TestSeeds"),
        .target(name: "TestThreads", path: "Tests/TestThreads"),

        // The entry points for fuzzers, and the tests that replay the inputs that fuzzers found.
        .target(
            name: "FuzzHarnesses",
            dependencies: [
                "Files", "Diagnostics", "YAML", "RecordStreams", "GraphModel", "XcodeModel",
                "SQLite", "GraphStore", "Pipelines",
            ],
            path: "Tests/FuzzHarnesses"),
        .testTarget(
            name: "FuzzTests", dependencies: ["FuzzHarnesses"], exclude: ["Corpus"]),

        .testTarget(name: "DigestsTests", dependencies: ["Digests"]),
        .testTarget(name: "FilesTests", dependencies: ["Files"]),
        .testTarget(
            name: "ProcessesTests",
            dependencies: ["Processes", "Files", "Diagnostics", "TestThreads"]),
        .testTarget(name: "YAMLTests", dependencies: ["YAML", "Diagnostics"]),
        .testTarget(
            name: "RecordStreamsTests",
            dependencies: [
                "RecordStreams", "Files", "Diagnostics", "Digests", "TestSeeds",
            ]),
        .testTarget(
            name: "GraphModelTests", dependencies: ["GraphModel", "Diagnostics", "TestSeeds"],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "XcodeModelTests",
            dependencies: [
                "XcodeModel", "GraphModel", "Diagnostics", "SQLite", "AppStoreFixtures",
                "TestSeeds",
            ]),
        .testTarget(
            name: "ClassGenerationTests",
            dependencies: ["ClassGeneration", "GraphModel", "Diagnostics"]),
        .testTarget(
            name: "TypedClassesTests",
            dependencies: ["GraphStore", "GraphModel"], exclude: ["Models"]),
        .testTarget(
            name: "SQLitePagesTests",
            dependencies: ["SQLitePages", "Files", "CSQLite", "TestSeeds"]),
        .testTarget(name: "SQLiteTests", dependencies: ["GraphModel", "SQLite", "CSQLite"]),
        .testTarget(
            name: "GraphStoreTests",
            dependencies: [
                "GraphStore", "GraphModel", "RowStore", "SQLite", "XcodeModel", "AppStoreFixtures",
                "TestSeeds",
            ],
            exclude: ["AppStores/Support"]),
        .testTarget(
            name: "PipelinesTests",
            dependencies: [
                "Pipelines", "GraphStore", "GraphModel", "RecordStreams", "SQLite", "Diagnostics",
                "Files", "XcodeModel", "YAML", "Digests", "TestSeeds", "TestThreads",
                "AppStoreFixtures",
            ]),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Files", "Diagnostics", "Pipelines", "GraphStore", "GraphModel", "SQLite",
                "CSQLite",
                "AppStoreFixtures", "TestSeeds",
            ]),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "etl", "GraphStore", "GraphModel", "SQLite", "AppStoreFixtures", "TestSeeds",
            ],
            exclude: ["Fixtures"]),
    ]
)

// Built only for measuring: `Benchmarks/micro` requests it.
if Context.environment["ETL_BENCHMARKS"] != nil {
    package.targets += [
        .target(name: "CAllocationCount", path: "Benchmarks/AllocationCount"),
        .executableTarget(
            name: "microbenchmarks",
            dependencies: [
                "CAllocationCount", "Pipelines", "RecordStreams", "GraphModel", "GraphStore",
                "SQLite",
            ],
            path: "Benchmarks/Micro"),
    ]
}

// Built only for fuzzing: `Tests/fuzz` requests it.
if Context.environment["ETL_FUZZING"] != nil {
    package.targets += [
        .executableTarget(
            name: "fuzzer", dependencies: ["FuzzHarnesses"], path: "Tests/Fuzzer")
    ]
}

// By default, code gets each generic type through its mangled name, and then the runtime searches the
// conformances of the whole program. That is more than a fifth of the instructions of a short run.
// SwiftPM accepts the flag that avoids this only from a root package. It puts dependencies in a folder
// named `checkouts`, or `registry` if they come from a registry.
let isDependency = Context.packageDirectory.split(separator: "/").contains {
    ["checkouts", "registry"].contains($0)
}
let directTypeAccess: [SwiftSetting] =
    isDependency
    ? []
    : [
        .unsafeFlags(
            ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"],
            .when(configuration: .release))
    ]

for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings =
        directTypeAccess + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        ]
}
