// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "AppleCheck",
    platforms: [.macOS(.v15)],
    targets: [.executableTarget(name: "AppleCheck")],
    swiftLanguageModes: [.v5]
)
