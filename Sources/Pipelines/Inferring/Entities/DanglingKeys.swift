import Diagnostics
import RecordStreams

/// A report on the values of a reference that are the key of no object.
///
/// If the name of a field suggests a reference, a few such values do not refute it: objects were
/// deleted, or a key was misspelled. The link is inferred anyway, with a warning.
struct DanglingKeys {
    /// The field, as the input names it.
    var field: String
    /// The relationship that the field fills.
    var relationship: String
    /// The entity to which the field refers, and its key.
    var target: String
    var key: String
    /// The number of distinct values, and of those that are the key of no object.
    var valueCount: Int
    var count: Int
    /// The first of these, such as `'999' (orders.csv:201)`; empty if they are inside lists of
    /// objects.
    var first: [String]
    /// The first of the files whose records have such values.
    var file: String
    /// Whether the import rejects records with such a value, because the link is part of the key or
    /// the only content of a record.
    var isRejected: Bool

    private static let shownMax = 3
    private static let handful = 3

    /// Returns whether so few values are the key of no object that the field still counts as a
    /// reference because of its name.
    static func areFew(_ count: Int, of values: Int) -> Bool {
        count <= max(handful, values / 100) && count * 5 <= values
    }

    /// The evidence for the link, for a comment.
    var evidence: String {
        let known = (valueCount - count).grouped
        return "guessed: \(known) of \(valueCount.grouped) values are the \(key) of some \(target)"
            + (first.isEmpty ? "" : ", but not \(listed)")
    }

    private var listed: String {
        let more = count - first.count
        return first.joined(separator: ", ") + (more > 0 ? ", and \(more.grouped) more" : "")
    }

    /// The warning about the values.
    var warning: Diagnostic {
        Diagnostic(
            .warning, code: "infer.missing-objects",
            "\(count.grouped) of \(valueCount.grouped) values of \(field)"
                + " \(count == 1 ? "is" : "are") the \(key) of no \(target)"
                + (first.isEmpty ? "" : ": \(listed)") + "; the import "
                + (isRejected ? "rejects their records" : "leaves these links empty"),
            at: .file(file),
            fix: "add the missing objects, or correct the values"
                + (isRejected ? "" : "; `missing: reject` in a spec rejects the records"))
    }
}

extension DanglingKeys {
    /// Reads the first values of a reference that are the key of no object.
    ///
    /// - Parameters:
    ///   - relationship: The relationship that the field fills.
    ///   - key: The key of the target.
    ///   - limit: The maximum number of records to read.
    /// - Returns: `nil` if each value is a key.
    init?(
        _ reference: EntityDraft.Reference, of draft: EntityDraft, filling relationship: String,
        to target: EntityDraft?, key: String, isRejected: Bool, limit: Int
    ) throws(RecordStreamError) {
        let leaf = reference.leaf
        let values = reference.isMany ? leaf.lists?.distinct : leaf.node.distinct
        guard reference.unknown > 0, let target, let values else { return nil }
        let first =
            draft.owner == nil
            ? try draft.sample.places(of: leaf, max: Self.shownMax, limit: limit) {
                !target.hasKey($0)
            } : []
        self.init(
            field: leaf.source, relationship: relationship, target: target.name, key: key,
            valueCount: values.count, count: reference.unknown, first: first,
            file: draft.sample.paths.first ?? "", isRejected: isRejected)
    }
}

extension Sample {
    /// Reads the files again to find the first distinct values of a field, or of its lists.
    ///
    /// - Parameters:
    ///   - max: The maximum number of values; reading stops at the last one.
    ///   - limit: The maximum number of records to read.
    ///   - isWanted: Returns whether the value with a hash is wanted.
    /// - Returns: The values with their positions, such as `'999' (orders.csv:201)`.
    func places(
        of leaf: Leaf, max: Int, limit: Int, where isWanted: (UInt64) -> Bool
    ) throws(RecordStreamError) -> [String] {
        var found: [String] = []
        var seen: Set<UInt64> = []
        var left = limit
        for input in inputs where left > 0 {
            var path = leaf.path(in: input.form)
            // The path of a leaf is valid; without the items' path, the list itself is read.
            if leaf.node.items != nil, let items = try? FieldPath(parsing: leaf.source + "[*]") {
                path = items
            }
            let reader = try reader(of: input, [path])
            let batch = RecordBatch()
            while left > 0, try reader.next(batch) {
                for record in 0..<min(batch.count, left) {
                    left -= 1
                    let field = batch.fields(of: record)[0]
                    let values = field.kind == .list ? Array(batch.items(of: field)) : [field]
                    for value in values where value.kind == .string || value.kind == .number {
                        let hash = DistinctValues.hash(value.bytes)
                        guard isWanted(hash), seen.insert(hash).inserted else { continue }
                        found.append(
                            Self.shown(value, batch.location(of: record, field: nil), input))
                        if found.count == max { return found }
                    }
                }
            }
        }
        return found
    }

    private static func shown(
        _ value: Field, _ location: RecordLocation, _ input: SampleInput
    ) -> String {
        let text = "'\(value.text)'"
        let file = PathText.lastComponent(input.pattern)
        guard input.pattern != "-" else {
            return text + (location.line.map { " (line \($0))" } ?? "")
        }
        return "\(text) (\(file)" + (location.line.map { ":\($0)" } ?? "") + ")"
    }
}
