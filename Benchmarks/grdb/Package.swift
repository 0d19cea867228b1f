// swift-tools-version:6.0
import PackageDescription

// The baseline for the object path in `Benchmarks/micro`. It is built only if GRDB is available.
let package = Package(
    name: "grdbpatterns",
    platforms: [.macOS(.v13)],
    dependencies: [.package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0")],
    targets: [
        .executableTarget(
            name: "grdbpatterns", dependencies: [.product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: [.swiftLanguageMode(.v5)])
    ])
