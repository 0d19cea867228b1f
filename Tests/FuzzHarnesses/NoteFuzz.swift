import Diagnostics
import Files
import Foundation
import GraphStore
import Pipelines
import SQLite

/// Damages a progress note of an unfinished run, and runs the spec again.
///
/// The run must resume, or fail because of its notes; one in 16 inputs also starts over. The first
/// byte of the input selects the kind of the note, the second one the note, and the rest is its new
/// value. A kind without notes gets one.
enum NoteFuzz {
    /// The kinds of notes, by the first byte of an input; the corpus depends on their order.
    private static let kinds = [
        "run", "done", "stage", "input", "load", "seen", "net", "far", "parked", "times", "record",
        "stopped",
    ]
    private static let model = """
        model: 1
        entities:
          Node:
            attributes: { id: { type: Integer 64, optional: false }, name: String }
            relationships:
              parent: { to: Node, inverse: children }
              children: { to: Node, many: true, inverse: parent }
              tags: { to: Tag, many: true, inverse: node }
            unique: [[id]]
          Tag:
            attributes: { id: { type: Integer 64, optional: false }, text: String }
            relationships: { node: { to: Node, inverse: tags } }
            unique: [[id]]
        """
    private static let spec = """
        etl: 1
        name: fuzz
        store: { at: s.sqlite, model: model.yaml, open: create }
        budget: { save-every: 4 }
        rejects: { allow: 100%, abort: 1 }
        stages:
          - { import: tags, read: { files: tags.ndjson }, into: Tag }
          - { import: first, read: { files: a.ndjson }, into: Node }
          - import: nodes
            read: { files: [b.ndjson, c.ndjson] }
            into: Node
            set: { id: id, name: name }
            set-only: true
            link:
              parent: { by: { id: parent } }
              tags: { by: { id: "tags[*]" } }
        """

    private static var base: String { FuzzHarness.folder + "/notes" }
    private static var store: String { base + "/s.sqlite" }

    private static let options = RunOptions(
        sets: [], environment: [:], workingFolder: base,
        now: Date(timeIntervalSinceReferenceDate: 800_000_000))

    /// The store that a run has left with notes of all kinds.
    private static let image: [UInt8] = {
        do {
            try FileManager.default.createDirectory(
                atPath: base, withIntermediateDirectories: true)
            try write("model.yaml", model)
            try write("spec.yaml", spec)
            try write("tags.ndjson", lines(1...6) { #"{"id":\#($0)}"# })
            try write("a.ndjson", lines(1...6) { #"{"id":\#($0),"name":"a"}"# })
            try write("b.ndjson", lines(1...8) { node($0) })
            let bad = #"{"id":"x"}"# + "\n"
            try write("c.ndjson", lines(9...12) { node($0) } + bad + bad + node(20) + "\n")
            let outcome = PipelineRunner(options: options).run(base + "/spec.yaml")
            require(outcome.status == .dataError, "\(outcome.diagnostics)")
            return try FileSystem.contents(store)
        } catch {
            fatalError("The unfinished run cannot be made: \(error)")
        }
    }()

    private static func lines(_ numbers: ClosedRange<Int>, _ line: (Int) -> String) -> String {
        numbers.map { line($0) + "\n" }.joined()
    }

    /// Returns a record whose parent comes later in the input, if its number is even.
    private static func node(_ number: Int) -> String {
        let parent = number.isMultiple(of: 2) ? 20 : 1
        return
            #"{"id":\#(number),"name":"n\#(number)","parent":\#(parent),"tags":[\#(number % 6 + 1)]}"#
    }

    private static func write(_ name: String, _ text: String) throws {
        require(RecordFuzz.write(Array(text.utf8), to: FileName(base + "/" + name)))
    }

    static func run(_ bytes: [UInt8]) {
        guard bytes.count >= 2 else { return }
        do {
            try prepare(bytes)
        } catch {
            fatalError("The store cannot be prepared: \(error)")
        }
        var options = options
        let outcome = PipelineRunner(options: options).run(base + "/spec.yaml")
        require(outcome.status != .software, "\(outcome.diagnostics)")
        guard isOne(of: 16, bytes) else { return }
        options.isRestart = true
        let again = PipelineRunner(options: options).run(base + "/spec.yaml")
        require(again.status == .dataError, "\(again.diagnostics)")
        require(!again.diagnostics.contains { $0.code == "run.cannot-resume" })
    }

    /// Writes the store with the damaged note, and removes the files of the last input.
    private static func prepare(_ bytes: [UInt8]) throws {
        let image = image
        for name in try FileManager.default.contentsOfDirectory(atPath: base)
        where name.hasPrefix("s.sqlite") || name == "rejects" || name == "runs" {
            try FileManager.default.removeItem(atPath: base + "/" + name)
        }
        require(RecordFuzz.write(image, to: FileName(store)))
        let connection = try Connection(path: store, mode: .readWrite)
        let numbers = try connection.prepare(
            "SELECT NUMBER FROM ETL_PROGRESS WHERE KIND = ? ORDER BY NUMBER")
        let kind = kinds[Int(bytes[0]) % kinds.count]
        numbers.bind(kind, at: 1)
        var found: [Int64] = []
        while try numbers.step() { found.append(numbers.integer(0)) }
        let damage = try connection.prepare("INSERT OR REPLACE INTO ETL_PROGRESS VALUES (?, ?, ?)")
        damage.bind(kind, at: 1)
        damage.bind(found.isEmpty ? 0 : found[Int(bytes[1]) % found.count], at: 2)
        damage.bind(Array(bytes[2...]), at: 3)
        try damage.run()
    }
}
