import Diagnostics
import GraphModel
import RecordStreams

/// Checks the paths into records in imports.
///
/// In json and ndjson, `tags[*` is not a valid path. In csv and tsv, any text may name a column:
/// first literally, then without the backslashes of a path (see `FieldPath.columnName`). If the
/// spec has `columns`, the name must be one of them.
struct SourcePathCheck {
    private let read: ReadSpec
    private var found: [Diagnostic] = []

    static func check(_ spec: PipelineSpec) -> [Diagnostic] {
        spec.stages.flatMap { stage -> [Diagnostic] in
            guard let spec = stage.kind as? ImportSpec else { return [] }
            var check = SourcePathCheck(spec.read)
            if let text = spec.keepIf { check.check(text) }
            check.check(set: spec.set, link: spec.link)
            return check.found
        }
    }

    private init(_ read: ReadSpec) {
        self.read = read
    }

    private mutating func check(set: [AttributeMapping], link: [LinkMapping]) {
        for mapping in set {
            guard case .field(let field) = mapping.origin else { continue }
            check(field)
        }
        for link in link {
            for field in link.by.flatMap(\.fields) { check(field) }
            guard let nested = link.nested else { continue }
            // Objects inside a record are never tables, regardless of the format.
            if !read.isTable { check(set: nested.set, link: nested.link) }
        }
    }

    private mutating func check(_ field: FieldMapping) {
        if let text = field.expression { return check(text) }
        guard !field.source.text.isEmpty else { return }
        guard !read.isTable else { return checkColumn(field.source.text, field.source.location) }
        do throws(FieldPathError) {
            _ = try FieldPath(parsing: field.source.text)
        } catch {
            let asIs = read.knownFormat == nil ? "; for tables say `as: csv`" : ""
            found.append(
                Diagnostic(
                    pathError: error, at: field.source.location,
                    fix: "write a dot before each further name, [*] for every element of a list, "
                        + "and \\ before a dot or bracket of a name" + asIs))
        }
    }

    // MARK: Columns

    private mutating func checkColumn(_ name: String, _ place: SourceLocation) {
        // A path that cannot be parsed is reported where it is read.
        guard read.isTable, let columns = read.columns, !columns.contains(name),
            (try? FieldPath(parsing: name))?.columnName.map(columns.contains) != true
        else { return }
        found.append(
            Diagnostic(
                code: "spec.unknown-column",
                "'\(name)' is none of the columns" + Suggestion.phrase(for: name, among: columns),
                at: .source(place), fix: "use a name that `read.columns` lists"))
    }

    /// Checks the columns in an expression; an expression that cannot be parsed has no known keys.
    private mutating func check(_ text: ExpressionText) {
        let parsed = try? ParsedExpression(format: text.text).expression
        checkColumns(parsed?.replacingLeaves(read.columnLength).keyPaths ?? [], text.location)
    }

    private mutating func check(_ text: PredicateText) {
        // A filter that cannot be parsed is reported where it is read.
        let parsed = try? ParsedPredicate(format: text.text).predicate
        checkColumns(parsed?.replacingLeaves(read.columnLength).keyPaths ?? [], text.location)
    }

    private mutating func checkColumns(_ keys: [[String]], _ place: SourceLocation) {
        var seen: Set<[String]> = []
        for key in keys where seen.insert(key).inserted {
            checkColumn(key.joined(separator: "."), place)
        }
    }
}

extension ReadSpec {
    /// Returns the length of a column for `name.length`, if the table has no column with that name.
    func columnLength(_ leaf: GraphExpression) -> GraphExpression? {
        guard isTable, case .keyPath(let keys) = leaf, keys.count > 1, keys.last == "length",
            columns?.contains(keys.joined(separator: ".")) != true
        else { return nil }
        return .function("length", [.keyPath(Array(keys.dropLast()))])
    }
}

extension Diagnostic {
    /// Creates the error for an invalid path into records, with a caret below the position.
    init(pathError error: FieldPathError, at location: SourceLocation, fix: String? = nil) {
        let isOneLine = !error.text.isEmpty && !error.text.contains("\n")
        self.init(
            code: "spec.path", "The path '\(error.text)' is not valid: \(error.reason)",
            at: .source(location), fix: fix,
            excerpt: isOneLine ? CaretLine.excerpt(of: error.text, at: error.offset) : nil)
    }
}
