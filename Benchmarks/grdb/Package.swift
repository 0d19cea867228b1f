// swift-tools-version:6.0
import PackageDescription

// What `Benchmarks/micro` compares the object path with; built only where GRDB can be had.
let package = Package(
    name: "grdbpatterns",
    platforms: [.macOS(.v13)],
    dependencies: [.package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0")],
    targets: [
        .executableTarget(
            name: "grdbpatterns", dependencies: [.product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: [.swiftLanguageMode(.v5)])
    ])
