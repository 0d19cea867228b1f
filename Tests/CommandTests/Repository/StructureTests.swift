import Testing

/// The structure of the sources, as counts that may fall but must not rise.
///
/// A test also fails if the count is lower than its limit: then lower the limit.
@Suite("Structure of the sources") struct StructureTests {
    private static let outlines: [SourceOutline] = Repository.files(
        under: "Sources", ending: ".swift"
    )
    .compactMap { path in
        (try? Repository.text(path)).map { SourceOutline(path: path, text: $0) }
    }

    private let outlines = Self.outlines

    @Test("SQL text is written in few files outside the targets SQLite and RowStore")
    func sql() {
        let words = [
            "SELECT ", "INSERT INTO ", "INSERT OR ", "DELETE FROM ", "CREATE TABLE ",
            "CREATE INDEX ",
            "DROP TABLE ", "DROP INDEX ", "ALTER TABLE ", "PRAGMA ",
        ]
        let files = outlines.filter { outline in
            !["SQLite", "RowStore"].contains(outline.target)
                && outline.literals.contains { text in words.contains { text.contains($0) } }
        }
        #expect(files.count == 4, "\(files.map(\.path).joined(separator: "\n"))")
    }

    @Test("rows are inserted by few files of the store")
    func inserts() {
        let files = outlines.filter { outline in
            ["GraphStore", "RowStore"].contains(outline.target)
                && outline.literals.contains {
                    $0.contains("INSERT INTO ") || $0.contains("INSERT OR ")
                }
        }
        #expect(files.count == 39, "\(files.map(\.path).joined(separator: "\n"))")
    }

    @Test("no folder of sources or tests has more than 15 files")
    func folders() {
        let paths = outlines.map(\.path) + Repository.files(under: "Tests", ending: ".swift")
        let folders = Dictionary(grouping: paths) { $0.split(separator: "/").dropLast() }
        let crowded = folders.filter { $1.count > 15 }
            .map { "\($1.count) \($0.joined(separator: "/"))" }.sorted()
        #expect(crowded.isEmpty, "\(crowded.joined(separator: "\n"))")
    }

    @Test("few functions are longer than 70 lines")
    func functions() {
        let long = outlines.flatMap { outline in
            outline.declarations.filter {
                ($0.kind == "func" || $0.kind == "init") && $0.lineCount > 70
            }.map { "\($0.lineCount) \($0.name) \(outline.path):\($0.line)" }
        }
        #expect(long.count == 1, "\(long.joined(separator: "\n"))")
    }

    @Test("few enumerations have the same cases")
    func enumerations() {
        var names: [[String]: Set<String>] = [:]
        for outline in outlines {
            for declaration in outline.declarations
            where declaration.cases.count > 1 && declaration.name != "CodingKeys" {
                names[declaration.cases.sorted(), default: []].insert(
                    "\(outline.path) \(declaration.name)")
            }
        }
        let equal = names.filter { $1.count > 1 }.map { "\($0): \($1.sorted())" }.sorted()
        #expect(equal.count == 1, "\(equal.joined(separator: "\n"))")
    }

    @Test(
        "few folders of a target use each other",
        arguments: [
            ("GraphModel", 0), ("GraphStore", 2), ("Pipelines", 0), ("RecordStreams", 0),
            ("RowStore", 0),
        ])
    func folderPairs(target: String, count: Int) {
        let files = outlines.filter { $0.target == target }
        var homes: [String: Set<String>] = [:]
        for file in files {
            for declaration in file.declarations
            where SourceOutline.types.contains(declaration.kind) {
                homes[declaration.name, default: []].insert(file.folder)
            }
        }
        var uses: [String: Set<String>] = [:]
        for file in files {
            for word in Set(file.words.map(\.text)) {
                // A name that is declared in two folders is ambiguous, and so is the name of a
                // nested type that the standard library also declares.
                guard let home = homes[word], home.count == 1, let folder = home.first,
                    folder != file.folder, word != "Result"
                else { continue }
                uses[file.folder, default: []].insert(folder)
            }
        }
        var pairs: [String] = []
        for (folder, used) in uses {
            for other in used where folder < other && uses[other]?.contains(folder) == true {
                pairs.append("\(folder) and \(other)")
            }
        }
        #expect(pairs.count == count, "\(pairs.sorted().joined(separator: "\n"))")
    }

    /// Finds declarations whose names occur only once, so no code uses them.
    ///
    /// The library's public names are for its users.
    @Test("every declaration that is not public is used")
    func unused() {
        var counts: [String: Int] = [:]
        // Protocols of the standard library require them.
        let witnesses: Set = ["nestedContainer", "nestedUnkeyedContainer", "appendLiteral"]
        let others = ["Tests", "Benchmarks", "Plugins", "Examples", "AppleCheck"]
            .flatMap { Repository.files(under: $0, ending: ".swift") }
            .filter { !$0.contains("/.build/") }
            .compactMap { path in
                (try? Repository.text(path)).map { SourceOutline(path: path, text: $0) }
            }
        for outline in outlines + others {
            for word in outline.words { counts[word.text, default: 0] += 1 }
        }
        let unused = outlines.flatMap { outline in
            outline.declarations.filter { declaration in
                declaration.kind != "init" && counts[declaration.name] == 1
                    && !witnesses.contains(declaration.name)
                    && !outline.isPublic(declaration)
            }.map { "\($0.kind) \($0.name) \(outline.path):\($0.line)" }
        }
        #expect(unused.count == 0, "\(unused.joined(separator: "\n"))")
    }
}

extension SourceOutline {
    /// Whether a declaration's line makes it public, or the system calls it.
    fileprivate func isPublic(_ declaration: Declaration) -> Bool {
        words.contains {
            $0.line == declaration.line && ["public", "open", "override"].contains($0.text)
        }
    }
}
