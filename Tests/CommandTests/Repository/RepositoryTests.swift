import Foundation
import Testing

@Suite("Repository") struct RepositoryTests {
    /// Returns the names of the binary's commands.
    private func commands() throws -> [String] {
        let help = try Tool.etl(["--help"]).standardOutput
        let list = help.split(separator: "SUBCOMMANDS:").last ?? ""
        return list.matches(of: #/(?m)^ {2}([a-z]+) {2}/#).map { String($0.1) }
    }

    @Test func everyCommandIsInTheReferenceAndHasHelp() throws {
        let index = try Repository.text("docs/reference/README.md")
        let commands = try commands()
        #expect(commands.contains("run") && commands.contains("check"))
        for command in commands {
            #expect(index.contains("[`etl \(command)`](etl-\(command).md)"), "\(command)")
            let help = try Tool.etl(["help", command])
            #expect(help.status == 0 && help.standardOutput.contains("USAGE: etl \(command)"))
        }
    }

    @Test func everyFlagIsInTheReference() throws {
        for command in try commands() {
            let page = try Repository.text("docs/reference/etl-\(command).md")
            let help = try Tool.etl(["help", command]).standardOutput
            for flag in Set(help.matches(of: #/--[a-z-]+/#).map { String($0.0) })
            where flag != "--help" && flag != "--version" {
                #expect(page.contains(flag), "\(flag) of \(command)")
            }
        }
    }

    @Test func everyStageKindIsInTheReferenceAndInAPipeline() throws {
        let index = try Repository.text("docs/reference/README.md")
        let specs = try Repository.specs.map { try Repository.text("pipelines/\($0)") }
        let ending = "Stage.swift"
        for file in Repository.files(under: "Sources/Pipelines/Stages", ending: ending)
        where !file.hasSuffix("/" + ending) {
            let name = file.split(separator: "/").last ?? ""
            let kind = name.dropLast(ending.count).lowercased()
            #expect(index.contains("[\(kind)](stage-\(kind).md)"), "\(kind)")
            #expect(specs.contains { $0.contains("- \(kind): ") }, "\(kind)")
        }
    }

    @Test func everyPipelineFileIsASpecOrAModelOfASpec() throws {
        let specs = try Repository.specs.map { try Repository.text("pipelines/\($0)") }
        #expect(specs.count == 6)
        for file in try Repository.files(in: "pipelines") where !Repository.specs.contains(file) {
            #expect(specs.contains { $0.contains("model: \(file)") }, "\(file)")
        }
    }

    /// Every spec is run by a test, in a copy of the repository.
    @Test func everySpecIsRunByATest() throws {
        let tests = try Repository.files(under: "Tests/CommandTests", ending: "Tests.swift")
            .map { try Repository.text($0) }.joined()
        for spec in Repository.specs {
            let name = spec.replacing(".yaml", with: "")
            #expect(tests.contains("runSilently(\"\(name)\""), "\(name)")
        }
    }

    /// Every spec contains tests of its behavior.
    @Test func everySpecHasTestsThatPass() throws {
        for spec in Repository.specs {
            let text = try Repository.text("pipelines/\(spec)")
            #expect(text.contains("\ntests:\n  - name: "), "\(spec)")
        }
        let specs = Repository.specs.map { Repository.path("pipelines/\($0)") }
        #expect(try Tool.etl(["test"] + specs) == .silentSuccess)
        let result = try Tool.etl(["test", "-v", specs[0]])
        #expect(result.status == 0 && result.standardError.hasSuffix(" passed\n"))
    }

    @Test func everySampleIsReadByASpec() throws {
        let specs = try Repository.specs.map { try Repository.text("pipelines/\($0)") }.joined()
        for file in try Repository.files(in: "sample-data") {
            let pattern = file.replacing("tasks.ndjson.gz", with: "tasks*.ndjson.gz")
            #expect(specs.contains("../sample-data/\(pattern)"), "\(file)")
        }
    }

    @Test func topLevelContainsOnlyListedFiles() throws {
        let allowed: Set<String> = [
            "Package.swift", "Package.resolved", "Sources", "Tests", "pipelines", "sample-data",
            "README.md", ".ci", ".git", ".gitignore", ".swift-format", ".build", ".swiftpm",
            "AppleCheck", "Examples", ".github", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md",
            "Benchmarks",
            "Plugins", "mkdocs.yml", "Packaging", "action.yml",
            "Documentation", "docs", "out",
        ]
        #expect(Set(try Repository.files(in: ".")).subtracting(allowed) == [])
    }

    @Test func noSourceFileIsOver500Lines() throws {
        for file in sources + Repository.files(under: "Tests", ending: ".swift") {
            let count = try Repository.text(file).split(
                separator: "\n", omittingEmptySubsequences: false
            ).count
            #expect(count <= 501, "\(file)")
        }
    }

    @Test func noFileContainsAnOpenTaskMarker() throws {
        // In two parts, so that this file does not match itself.
        let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
        let places = sources + Repository.files(under: "Tests", ending: ".swift")
        for file in places + ["Package.swift", "README.md", "CONTRIBUTING.md", ".ci/run"] {
            let text = try Repository.text(file)
            for mark in marks {
                // As a complete word, since it may be part of a table's name.
                #expect(text.firstMatch(of: try Regex("\\b\(mark)\\b")) == nil, "\(file)")
            }
        }
    }

    /// The C library has a different name on each system.
    @Test func everyImportOfTheCLibraryHasABranchForEachSystem() throws {
        // In two parts, so that this file does not match itself.
        let line = "import Gli" + "bc"
        let branches = try Regex(
            #"#if canImport\(Glibc\)\n *((?:\w+ )?)\#(line)\n"#
                + #"#elseif canImport\(Musl\)\n *\1import Musl\n"#
                + #"#(?:else|elseif canImport\(Darwin\))\n *\1import Darwin\n#endif\n"#)
        let folders = ["Sources", "Tests", "Benchmarks", "Plugins", "Examples", "AppleCheck"]
        var count = 0
        for folder in folders {
            for file in Repository.files(under: folder, ending: ".swift")
            where !file.contains("/.build/") {
                let text = try Repository.text(file)
                let imports = text.matches(of: try Regex("\\b\(line)\\b")).count
                #expect(text.matches(of: branches).count == imports, "\(file)")
                count += imports
            }
        }
        #expect(count > 20)
    }

    /// File system calls go through `Files`, where tests can observe them and replace the system.
    @Test func onlyOneTargetCallsTheFileSystem() throws {
        var importers: [String] = []
        for file in sources where !file.hasPrefix("Sources/Files/") {
            let text = try Repository.text(file)
            if text.contains(#/(?m)^ *(internal |package |public )?import (Glibc|Darwin|Musl)$/#) {
                importers.append(String(file.dropFirst("Sources/".count)))
            }
            for match in text.matches(of: #/FileManager\.default\.(\w+)/#) {
                #expect(
                    match.1 == "currentDirectoryPath" || match.1 == "temporaryDirectory",
                    "\(file): \(match.0)")
            }
            #expect(!text.contains(#/(contentsOf|\.write\(to): URL/#), "\(file)")
        }
        #expect(
            importers == [
                "Diagnostics/WorkerThread.swift",  // threads
                "GraphModel/Predicates/Functions/PredicateFunction+Numbers.swift",  // mathematics
                "GraphModel/Predicates/Records/RecordGraph.swift",  // the clock
                "GraphModel/Predicates/Text/TextCollation.swift",  // memory
                "GraphModel/Predicates/Text/TextComparison.swift",  // memory
                "GraphStore/Contexts/Container/WriteLease.swift",  // threads
                "Pipelines/Reporting/ProcessMemory.swift",  // the process
                "RecordStreams/Bytes/ByteSearch.swift",  // memory
                "RowStore/Identity/KeyHash.swift",  // memory
                "RowStore/Store/Description/StatementLog.swift",  // standard error
                "SQLite/StoreError+SQLite.swift",  // the system's numbers of errors
                "etl/Terminal/SignalHandling.swift",  // signals
                "etl/Terminal/StandardOutput.swift",  // standard output
                "etl/Terminal/Terminal.swift",  // the terminal
            ])
    }

    /// A comment above each use states why it is safe.
    @Test func uncheckedConcurrencyIsCountedAndExplained() throws {
        var places: [String] = []
        for file in sources {
            let lines = try Repository.text(file).split(
                separator: "\n", omittingEmptySubsequences: false)
            for (number, line) in lines.enumerated()
            where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
                places.append(file)
                let above = lines[max(0, number - 1)].trimmingCharacters(in: .whitespaces)
                #expect(above.hasPrefix("//"), "\(file):\(number + 1)")
            }
        }
        #expect(
            places == [
                "Sources/GraphStore/Contexts/Container/BackgroundContext.swift",
                "Sources/GraphStore/Contexts/Container/BackgroundContext.swift",
                "Sources/GraphStore/Contexts/Container/PersistentContainer.swift",
                "Sources/Pipelines/Running/Scheduling/BatchQueue.swift",
                "Sources/Pipelines/Stages/Export/ExportReader.swift",
                "Sources/Pipelines/Stages/Import/Loading/ImportPieces.swift",
                "Sources/Pipelines/Stages/Import/Loading/ImportReader.swift",
                "Sources/RecordStreams/Inputs/GzipMembers.swift",
                "Sources/RecordStreams/Outputs/GzipWriter.swift",
                "Sources/RecordStreams/Outputs/WriteBehind.swift",
                "Sources/RowStore/Batch/Requests/ConcurrentCount.swift",
                "Sources/RowStore/Batch/Requests/ConcurrentCount.swift",
                "Sources/RowStore/Saving/Session/SortingThread.swift",
                "Sources/SQLite/Loading/PageFilling.swift",
                "Sources/SQLite/Loading/PageFilling.swift",
                "Sources/SQLite/Loading/PairTable.swift",
            ])
    }

    /// Names and paths of files are bytes, not strings.
    ///
    /// `String` treats names that differ only in their normalization as equal, so `FileName` is the
    /// key. A search for a `Character` finds no slash before a combining mark, so `FileName` and
    /// `PathText` split paths.
    @Test func fileNamesAreNotHandledAsStrings() throws {
        let named = #"\b(\w*([pP]ath|[fF]ile|[fF]older)s?"#
        let keyed = #"): (\[String: |Set<String>)"#
        let search = #"((first|last)(Index|Range)\(of: |split\(separator: |contains\(|hasPrefix\()"#
        let forbidden = [
            named + keyed, search + #""/""#,
            #"(?i)(path|file|folder|name|stem)\w*\."# + search + #""\."#,
        ]
        // The code that handles inputs, their notes, and their rejects.
        let folders = [
            "Sources/RecordStreams/", "Sources/GraphStore/Progress/", "Sources/RowStore/Progress/",
            "Sources/Pipelines/Files/", "Sources/Pipelines/Notes/", "Sources/Pipelines/Rejects/",
            "Sources/Pipelines/Running/", "Sources/Pipelines/Stages/", "Sources/Pipelines/Staging/",
        ]
        let alsoForbidden = named + "|inputs|sources|taken|seen|done|replayed" + keyed
        let exceptions = [
            // Names of classes and of elements of composites.
            "Sources/ClassGeneration/ClassPlan.swift", "Sources/ClassGeneration/ClassText.swift",
            // Key paths.
            "Sources/XcodeModel/Mapping/ArchivedMappingValue.swift",
            "Sources/GraphModel/Describing/ModelComparison.swift",
            // Codes and families of faults.
            "Sources/Pipelines/Explaining/Explanation.swift",
        ]
        for file in sources where !exceptions.contains(file) {
            let isListed = folders.contains { file.hasPrefix($0) }
            let patterns = try (forbidden + (isListed ? [alsoForbidden] : [])).map { try Regex($0) }
            let lines = try Repository.text(file).split(
                separator: "\n", omittingEmptySubsequences: false)
            for (number, line) in lines.enumerated() {
                for pattern in patterns {
                    let isFound = line.firstMatch(of: pattern) != nil
                    #expect(!isFound, "\(file):\(number + 1): \(line)")
                }
            }
        }
    }

    /// Returns the files that contain one of the marks.
    private func sources(with marks: [String]) throws -> [String] {
        try sources.filter { file in
            let text = try Repository.text(file)
            return marks.contains { text.contains($0) }
        }
    }

    /// Dispatch waits forever if the system refuses a thread; `WorkerThread` reports it.
    @Test func onlyListedFilesCreateThreads() throws {
        #expect(
            try sources(with: ["DispatchQueue(", "DispatchQueue.", "Thread {", "pthread_create("])
                == [
                    "Sources/Diagnostics/WorkerThread.swift",
                    // Actors of the library have a queue, on which the command blocks.
                    "Sources/GraphStore/Contexts/Container/BackgroundContext.swift",
                ])
    }

    /// Output to stderr is `OutputText`, and errors become exit statuses in one place.
    @Test func onlyListedFilesWriteToStandardError() throws {
        #expect(
            try sources(with: ["writeBytes(2,", "STDERR_FILENO"]) == [
                "Sources/RowStore/Store/Description/StatementLog.swift",
                "Sources/etl/Terminal/Terminal.swift",
            ])
        #expect(try sources(with: ["ENFILE"]) == ["Sources/Files/FaultKind.swift"])
    }

    private var sources: [String] { Repository.files(under: "Sources", ending: ".swift") }
}
