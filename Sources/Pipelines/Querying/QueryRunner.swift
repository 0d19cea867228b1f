import Diagnostics
import Files
import GraphModel
import GraphStore
import RecordStreams

/// Runs a query and writes the result to standard output.
package struct QueryRunner: Sendable {
    private let format: QueryFormat
    /// Whether standard output is a terminal, in which data must not act as control sequences.
    private let isTerminal: Bool
    private let isWatched: Bool
    private let path: String

    /// Creates a runner that writes results in a format.
    ///
    /// - Parameters:
    ///   - isTerminal: whether control characters are escaped in every format.
    ///   - isWatched: whether a user reads the notes of the outcome, which may require another
    ///     search.
    ///   - path: the output file; `-` is standard output.
    package init(
        format: QueryFormat, isTerminal: Bool = false, isWatched: Bool = false,
        to path: String = "-"
    ) {
        self.format = format
        self.isTerminal = isTerminal
        self.isWatched = isWatched
        self.path = path
    }

    /// Runs a query.
    package func run(_ query: Query) -> QueryOutcome {
        do {
            return try answer(query)
        } catch let mistake as QueryMistake {
            return QueryOutcome(RunFailure(.usage, [mistake.diagnostic]))
        } catch let error as RecordStreamError {
            // The reader has closed the pipe.
            if case .outputClosed = error.kind { return QueryOutcome() }
            return QueryOutcome(RunFailure(error))
        } catch let error as RunFailure {
            return QueryOutcome(error)
        } catch let error as StoreError {
            guard error.code != .invalidRequest else {
                return QueryOutcome(
                    RunFailure(.usage, code: "query.unsupported", error.message))
            }
            return QueryOutcome(unreadable(error, query).naming(store: query.store))
        } catch {
            return QueryOutcome(RunFailure(.software, code: "internal", "\(error)"))
        }
    }

    /// Returns the fix if a file is not an SQLite file; `nil` if it is one, or is not a file.
    private static func fix(ofOtherFile path: String) -> String? {
        guard FileDescriptor.fileSize(path) != nil, !ModelSource.isStore(path) else { return nil }
        return "name a store; `etl import FILE --into STORE` creates one; if it was a store, see"
            + " `etl verify \(CommandExample.shell(path))`"
    }

    /// Returns the failure with the fix for read errors, which differs from the fix for write
    /// errors.
    private func unreadable(_ error: StoreError, _ query: Query) -> RunFailure {
        let failure = RunFailure(error)
        let fix: String? =
            switch error.code {
            case .busy where !error.isUnfinishedLoad: "wait for the other process"
            case .permission: nil
            case .modelMismatch:
                query.modelFile.flatMap {
                    ModelVersions.advice(forStoreAt: query.store, bundle: $0, key: "--model ")
                }
            case .corrupt, .notAStore:
                failure.diagnostics.first?.fix ?? Self.fix(ofOtherFile: query.store)
            default: failure.diagnostics.first?.fix
            }
        return failure.fixed(by: fix)
    }

    // MARK: Answers

    private func answer(_ query: Query) throws -> QueryOutcome {
        try URLCheck.reject(file: query.store)
        guard FileSystem.exists(query.store) else {
            throw RunFailure(
                .noInput, code: "store.missing", "\(query.store) does not exist",
                fix: "check the name; `etl import FILE --into \(CommandExample.shell(query.store))`"
                    + " creates a store")
        }
        var options = StoreOptions()
        options.isReadOnly = true
        let container = try PersistentContainer(
            model: query.model, .sqlite(at: query.store, options: options))
        var outcome = try answer(query, container)
        outcome.notes = container.origin.remarks + outcome.notes
        return outcome
    }

    private func answer(
        _ query: Query, _ container: PersistentContainer
    ) throws -> QueryOutcome {
        guard let entity = query.entity else { return try list(container) }
        let resolver = QueryResolver(container: container, query: query)
        guard !query.isExplained else { return try explain(entity, resolver) }
        var outcome = QueryOutcome()
        switch query.wanted {
        case .rows: outcome = try rows(of: entity, resolver)
        case .count:
            let request = try self.request(entity, resolver).request
            let count = try resolver.container.newContext().cursor(request).matchCount()
            try write("\(count)\n")
        }
        outcome.notes = resolver.warnings.map(DiagnosticRenderer.text) + outcome.notes
        return outcome
    }

    /// Returns the request; a count gets no columns, because they could require lookups.
    private func request(
        _ entity: String, _ resolver: QueryResolver
    ) throws -> (request: RowRequest, shape: NestedShape?) {
        var (request, shape) = try resolver.request(forEntity: entity, as: format)
        if resolver.query.wanted == .count { request.fields = [] }
        return (request, shape)
    }

    private func rows(of entity: String, _ resolver: QueryResolver) throws -> QueryOutcome {
        var (request, shape) = try self.request(entity, resolver)
        let limit = request.limit
        // One more row shows whether there are more.
        request.limit = limit.map { $0 &+ 1 }
        let cursor = try resolver.container.newContext().cursor(request)
        let names =
            shape?.members.map(\.name) ?? request.fields.map { $0.joined(separator: ".") }
        let output = try output()
        let missing = MissingFiles(cursor, .null)
        switch format {
        case .ndjson, .csv:
            let encoder = RecordEncoder(format: recordFormat, columns: names, output: output)
            if let shape {
                let rows = NestedRowEncoder(shape, cursor, to: encoder, missing)
                _ = try write(cursor, limit: limit, to: encoder, row: rows.write)
            } else {
                let rows = RowEncoder(cursor, to: encoder, missing)
                _ = try write(cursor, limit: limit, to: encoder, row: rows.write)
            }
            return outcome(of: missing)
        case .table(let style):
            let encoder = TableEncoder(
                columns: zip(names, cursor.columns).map(TableEncoder.Column.init), style: style,
                output: output)
            let rows = RowEncoder(cursor, to: encoder, missing)
            let isTruncated = try write(cursor, limit: limit, to: encoder, row: rows.write)
            var outcome = outcome(of: missing)
            guard isWatched else { return outcome }
            outcome.notes = try notes(
                of: cursor, encoder, offset: request.offset, isTruncated: isTruncated)
            return outcome
        }
    }

    /// Warns if values were printed as null because their files are missing.
    private func outcome(of missing: MissingFiles) -> QueryOutcome {
        guard let first = missing.first else { return QueryOutcome() }
        let values =
            missing.count == 1 ? "1 value is" : "\(missing.count.grouped) values are"
        let warning = Diagnostic(
            .warning, code: "store.missing-file",
            first + (missing.count > 1 ? "; \(values) printed as null" : ""),
            fix: "restore the file from a backup; `etl verify STORE` lists missing files")
        return QueryOutcome(RunFailure(.dataError, [warning]))
    }

    /// Writes the rows.
    ///
    /// - Returns: whether the limit left out rows.
    private func write<Output: ValueEncoder>(
        _ cursor: RowCursor, limit: Int?, to output: Output,
        row write: (Int, RowBatch) throws -> Void
    ) throws -> Bool {
        let limit = limit ?? .max
        var isTruncated = false
        let batch = cursor.makeBatch()
        while !isTruncated, try cursor.next(batch) {
            for row in 0..<batch.count {
                guard output.rowCount < limit else {
                    isTruncated = true
                    break
                }
                try write(row, batch)
            }
        }
        _ = try output.finish()
        return isTruncated
    }

    private func notes(
        of cursor: RowCursor, _ table: TableEncoder, offset: Int, isTruncated: Bool
    ) throws -> [String] {
        var notes: [String] = []
        if table.rowCount == 0, !isTruncated {
            let first = offset.grouped
            return [offset > 0 ? "No object after the first \(first)" : "No object matches"]
        }
        if isTruncated {
            notes.append(
                "\(table.rowCount.grouped) of "
                    + "\(try cursor.matchCount().grouped) objects"
                    + (offset > 0 ? ", after the first \(offset.grouped)" : ""))
        }
        let hidden = table.hiddenColumns
        if !hidden.isEmpty {
            notes.append(
                "Not shown for lack of space: \(hidden.joined(separator: ", ")); "
                    + "choose with --fields")
        }
        return notes
    }

    // MARK: Explanations

    /// Prints sentences, then suggestions, then the SQL and SQLite's query plan.
    private func explain(_ entity: String, _ resolver: QueryResolver) throws -> QueryOutcome {
        let explanation = try resolver.container.newContext().explain(
            request(entity, resolver).request, isCount: resolver.query.wanted == .count)
        let words = explanation.sentences + explanation.suggestions.map { "  fix: \($0)" }
        let account = [explanation.sql] + explanation.plan.map { "  \($0)" }
        let lines = (words + [""] + account).map { OutputText($0).text }
        try write(lines.joined(separator: "\n") + "\n")
        return QueryOutcome()
    }

    // MARK: Entities

    private func list(_ container: PersistentContainer) throws -> QueryOutcome {
        let model = container.model
        let hasFamilies = model.entities.contains { $0.superentityName != nil || $0.isAbstract }
        let entities = try container.objectCounts().compactMap { entity, count in
            model.entity(named: entity).map { ($0, count) }
        }
        let output = try output()
        switch format {
        case .ndjson, .csv:
            let encoder = RecordEncoder(
                format: recordFormat, columns: ["entity", "objects", "parent", "abstract"],
                output: output)
            try write(entities, withFamilies: true, to: encoder)
        case .table(let style):
            let families = hasFamilies ? ["parent", "abstract"] : []
            let encoder = TableEncoder(
                columns: (["entity", "objects"] + families).map {
                    TableEncoder.Column(
                        name: $0, isNumeric: $0 == "objects", mayBeTruncated: $0 != "objects",
                        isCount: $0 == "objects")
                }, style: style, output: output)
            try write(entities, withFamilies: hasFamilies, to: encoder)
        }
        return QueryOutcome()
    }

    private func write<Output: ValueEncoder>(
        _ entities: [(EntityDescription, Int)], withFamilies: Bool, to output: Output
    ) throws {
        for (entity, count) in entities {
            output.beginRecord()
            output.text(entity.name)
            output.integer(Int64(count))
            if withFamilies {
                entity.superentityName.map { output.text($0) } ?? output.null()
                output.bool(entity.isAbstract)
            }
            try output.endRecord()
        }
        _ = try output.finish()
    }

    // MARK: Output

    private func output() throws -> OutputFile {
        // A table escapes control characters itself.
        let isTable = if case .table = format { true } else { false }
        return try OutputFile(path: path, escapesControls: isTerminal && !isTable)
    }

    private var recordFormat: RecordFormat { format == .csv ? .csv : .ndjson }

    private func write(_ text: String) throws {
        let output = try OutputFile(path: path)
        try Array(text.utf8).withUnsafeBytes { try output.write($0) }
        _ = try output.finish(rowCount: 0)
    }
}

extension TableEncoder.Column {
    /// Creates a column for a column of a cursor.
    fileprivate init(name: String, column: RowColumn) {
        self.name = name
        guard !column.isList, case .attribute(let type) = column.content else {
            isNumeric = !column.isList
            mayBeTruncated = column.isList
            return
        }
        switch type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            (isNumeric, mayBeTruncated) = (true, false)
        case .boolean, .date, .uuid: (isNumeric, mayBeTruncated) = (false, false)
        case .string, .uri, .binary, .transformable, .composite, .undefined:
            (isNumeric, mayBeTruncated) = (false, true)
        }
    }
}
