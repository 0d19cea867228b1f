import Foundation
import Diagnostics
import GraphModel
import Testing

@testable import ClassGeneration

/// The generated classes pass the compiler and the formatter, even with hostile names.
@Suite("Generated classes compile", .enabled(if: Toolchain.isThere, Toolchain.missing))
struct CompilingTests {
    /// Names that have a meaning in Swift, in the library, or in the generated code.
    private static let words = [
        "class", "default", "in", "init", "let", "nil", "operator", "protocol", "repeat", "return",
        "static", "subscript", "super", "switch", "throw", "true", "typealias", "var", "where",
        "Any", "Type", "Self", "Protocol", "await", "async", "open", "some", "any", "actor", "_",
        "id", "add", "insert", "remove", "value", "setValue", "object", "objectID", "request",
        "entityName", "isFault", "isDeleted", "hasChanges", "changedKeys", "hashValue", "hash",
        "Keys", "Row", "validate", "willSave", "context", "newValue", "count", "key", "keys",
        "name", "first_name", "_hidden", "Upper", "größe", "description", "fetchRequest",
        "managedObjectContext", "committedValues", "primitiveValue", "encode", "String", "Date",
        "aLongNameOfAnAttributeOfSomething", "aLongerNameOfAnAttributeOfSomething",
        "aStillLongerNameOfAnAttributeOfSomething", "anEvenLongerNameOfAnAttributeOfSomething",
        "oneMoreEvenLongerNameOfAnAttributeOfSomething",
        "aVeryLongNameOfAnAttributeThatSomebodyThoughtWasAGoodIdeaAtTheTime",
    ]

    private static let types: [AttributeType] = AttributeType.allCases.filter { $0 != .composite }

    /// Entities whose names hide types of the standard library, Foundation, or GraphStore.
    private static let entityNames = [
        "Task", "String", "Date", "Data", "Set", "Key", "ObjectKeys", "Ref", "ManagedObject", "Int",
        "Codable", "Identifiable", "Object", "Element", "Value", "Result", "lower",
        "Has_Underscore",
        "ALongNameOfAnEntityOfSomething",
        "AVeryLongNameOfAnEntityThatSomebodyThoughtWasAGoodIdea",
    ]

    private func model() throws -> ManagedObjectModel {
        var entities: [EntityDescription] = []
        for (position, name) in Self.entityNames.enumerated() {
            var entity = EntityDescription(name: name)
            if position % 4 == 3 { entity.superentityName = Self.entityNames[position - 1] }
            let other = Self.entityNames[(position * 7 + 3) % Self.entityNames.count]
            // A subentity has other properties than its parent.
            let mark = "\(position % 4)"
            entity.ownAttributes = Self.types.enumerated().map { number, type in
                AttributeDescription(
                    name: "attribute\(mark)\(number)", type: type,
                    isOptional: (position + number) % 2 == 0, isTransient: type == .undefined)
            }
            entity.ownRelationships = [
                RelationshipDescription(name: "one\(mark)", destinationEntityName: other),
                RelationshipDescription(
                    name: "many\(mark)", destinationEntityName: other, isToMany: true),
                RelationshipDescription(
                    name: "ordered\(mark)", destinationEntityName: other, isToMany: true,
                    isOrdered: true),
            ]
            entities.append(entity)
        }
        for (position, word) in Self.words.enumerated() {
            let type = Self.types[position % (Self.types.count - 1)]
            let one = EntityDescription(
                name: "Word\(position)",
                ownAttributes: [
                    AttributeDescription(
                        name: word, type: type, isOptional: position % 3 != 0)
                ])
            let other = EntityDescription(
                name: "Link\(position)",
                ownRelationships: [
                    RelationshipDescription(
                        name: word, destinationEntityName: "Task", isToMany: position % 3 != 0,
                        isOrdered: position % 3 == 1)
                ])
            entities += [one, other]
        }
        let all = EntityDescription(
            name: "AllWords",
            ownAttributes: Self.words.enumerated().map { position, word in
                AttributeDescription(
                    name: word, type: Self.types[position % (Self.types.count - 1)])
            })
        // Inside a name, capitalization makes no difference.
        let parts = Self.words.filter { $0.first?.isUppercase == false }
        let elements = parts.enumerated().map {
            AttributeDescription(
                name: $1, type: Self.types[$0 % (Self.types.count - 1)], isOptional: $0 % 2 == 0)
        }
        let composites = [
            CompositeDescription(name: "Words", attributes: elements),
            CompositeDescription(
                name: "Task",
                attributes: [
                    AttributeDescription(name: "in", type: .composite, compositeName: "Words")
                ]),
        ]
        let whole = EntityDescription(
            name: "Whole",
            ownAttributes: [
                AttributeDescription(name: "class", type: .composite, compositeName: "Task"),
                AttributeDescription(
                    name: "plain", type: .composite, isOptional: false, compositeName: "Words"),
            ])
        return try ManagedObjectModel(
            entities: entities + [all, whole], composites: composites)
    }

    @Test(
        "classes compile in Swift 6 without warnings and pass the formatter's lint",
        arguments: ClassGenerator.Access.allCases)
    func compiles(access: ClassGenerator.Access) throws {
        let generator = ClassGenerator(try model(), source: "names.yaml", access: access)
        let (files, problems) = generator.files()
        #expect(!problems.contains { $0.severity == .error })
        #expect(files.count == 2 * Self.words.count + Self.entityNames.count + 3)
        let scratch = try Scratch()
        _ = try GeneratedFolder(scratch.path, header: generator.header).write(files)
        let compiled = try Toolchain.compile(scratch)
        #expect(compiled == "")
        let linted = try Toolchain.lint(scratch)
        #expect(linted == "")
    }

    @Test("each type that a class can hide is in the module that the warning names")
    func hiddenTypes() throws {
        var types = SwiftName.modulesOfHiddenTypes.map { "\($1).\($0)" }.sorted()
        #if !canImport(ObjectiveC)
            types.removeAll { $0.hasPrefix("ObjectiveC.") || $0 == "Foundation.UndoManager" }
        #endif
        let aliases = types.enumerated().map { "private typealias Type\($0) = \($1)\n" }
        let scratch = try Scratch()
        try ("import Foundation\n\n" + aliases.joined())
            .write(toFile: scratch.path + "/Types.swift", atomically: true, encoding: .utf8)
        #expect(try Toolchain.compile(scratch) == "")
    }

    @Test("an extension compiles with a class that the user writes")
    func category() throws {
        let model = try ManagedObjectModel.of(
            """
            Task:
              attributes: { title: { type: String, optional: false } }
              relationships: { tags: { to: Tag, many: true, inverse: tasks } }
            Tag:
              relationships: { tasks: { to: Task, many: true, inverse: tags } }
            """)
        let generator = ClassGenerator(
            model, source: "a.yaml", mode: .category, access: .public)
        let scratch = try Scratch()
        _ = try GeneratedFolder(scratch.path, header: generator.header).write(
            generator.files().files)
        try """
        public import GraphStore

        /// Written by hand.
        public final class Task: ManagedObject {}
        /// Written by hand.
        public final class Tag: ManagedObject {}

        """.write(toFile: scratch.path + "/Own.swift", atomically: true, encoding: .utf8)
        let compiled = try Toolchain.compile(scratch)
        #expect(compiled == "")
        let linted = try Toolchain.lint(scratch)
        #expect(linted == "")
    }
}

/// The compiler and the formatter of this machine.
enum Toolchain {
    static let missing: Comment =
        "needs swiftc and swift-format in the PATH, and the modules beside the test's binary"

    static let isThere = modules != nil && find("swiftc") != nil && find("swift-format") != nil

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static let modules: String? = {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<4 {
            let path = folder.appendingPathComponent("Modules").path
            if FileManager.default.fileExists(atPath: path + "/GraphStore.swiftmodule") {
                return path
            }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    private static func find(_ program: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Returns the compiler's messages about a folder's files as one module; empty if it compiles.
    static func compile(_ scratch: Scratch) throws -> String {
        var arguments = [
            "-typecheck", "-swift-version", "6", "-module-name", "Generated", "-package-name",
            "generated", "-warnings-as-errors", "-I", modules ?? "",
        ]
        for feature in [
            "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
            "NonisolatedNonsendingByDefault",
        ] {
            arguments += ["-enable-upcoming-feature", feature]
        }
        for module in ["CDigests/include", "CSQLite", "CLibYAML", "CZlib"] {
            arguments += [
                "-Xcc", "-fmodule-map-file=\(root.path)/Sources/\(module)/module.modulemap",
            ]
        }
        return try run("swiftc", arguments + sources(scratch))
    }

    /// Returns the formatter's findings.
    static func lint(_ scratch: Scratch) throws -> String {
        try run(
            "swift-format",
            ["lint", "--strict", "--configuration", root.path + "/.swift-format"]
                + sources(scratch))
    }

    private static func sources(_ scratch: Scratch) throws -> [String] {
        try scratch.files("").filter { $0.hasSuffix(".swift") }.map { "\(scratch.path)/\($0)" }
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = find(program).map { URL(fileURLWithPath: $0) }
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        if process.terminationStatus != 0, text.isEmpty {
            return "\(program) ended with \(process.terminationStatus)"
        }
        return text
    }
}
