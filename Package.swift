// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "etl",
    platforms: [.macOS(.v15)],
    products: [
    ],
    dependencies: [
    ],
    targets: [

        .target(name: "Diagnostics"),

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
