// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "TaskService",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a package of your own, give the URL of the repository and a version instead.
        .package(name: "etl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "TaskService",
            dependencies: [.product(name: "GraphStore", package: "etl")],
            resources: [.embedInCode("tasks.yaml")])
    ]
)
