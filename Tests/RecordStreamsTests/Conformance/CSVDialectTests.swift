import RecordStreams
import Testing

/// CSV dialects as cases in JSON files below a folder with `csv` in its name.
///
/// A file is an array of cases, alone or as the member `cases` or as members named after groups
/// (`default-dialect`). A case has its text as `input` (or `csv`, `text`), or in a `file` beside
/// the JSON; `options` (or `dialect`, `config`) with `delimiter`, `quote`, `null`, `columns`,
/// `header`; and what must come of it as `expected` (or `rows`, `records`): arrays of fields, where
/// all lines are records unless `header` is true, or objects, where the first line is a header. An
/// `error` or `rejects` that is not empty or false wants a refusal. Cases with other options are
/// left out.
@Suite("Conformance: CSV dialects") struct CSVDialectTests {
    private typealias Case = (name: String, text: String, value: AnyJSON)

    private static let cases: [Case] = Specimens.files.flatMap {
        file -> [Case] in
        guard file.hasSuffix(".json"), Specimens.parent(file) != "json",
            file.dropFirst(Specimens.folder.count).split(separator: "/").dropLast()
                .contains(where: { $0.lowercased().contains("csv") }),
            let value = try? Specimens.json(file)
        else { return [] }
        let groups = value.members ?? ["": value]
        return groups.sorted { $0.key < $1.key }.flatMap { group, list in
            (list.items ?? []).enumerated().compactMap { index, item in
                guard let text = text(of: item, beside: file) else { return nil }
                let name = item["name", "description", "id"]?.text ?? "\(index)"
                return ("\(Specimens.name(file)) \(group) \(name)", text, item)
            }
        }
    }

    private static func text(of value: AnyJSON, beside list: String) -> String? {
        if let text = value["input", "csv", "text"]?.text { return text }
        guard let name = value["file", "path"]?.text,
            let bytes = try? Specimens.bytes(
                list.dropLast(Specimens.name(list).count) + name)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The case's options, or nil where the spec has not all of them.
    private static func options(_ value: AnyJSON) -> ReadOptions? {
        var options = ReadOptions()
        options.header = false
        for (key, value) in value["options", "dialect", "config"]?.members ?? [:] {
            let byte = value.text?.utf8.first.flatMap { value.text?.utf8.count == 1 ? $0 : nil }
            switch key.lowercased() {
            case "delimiter", "sep", "separator":
                guard let byte else { return nil }
                options.delimiter = byte
            case "quote", "quotechar", "quote_char":
                let isNone = value == .null || value == .bool(false) || value.text == "none"
                guard let quote = isNone ? CSVQuote.none : byte.map({ .byte($0) }) else {
                    return nil
                }
                options.quote = quote
            case "null", "nulls": options.nulls = value.items?.compactMap(\.text) ?? [""]
            case "columns": options.columns = value.items?.compactMap(\.text)
            case "header": options.header = value == .bool(true)
            case "name", "lineterminator", "line_terminator", "newline": break
            // Other options at what they are here anyway.
            case "doublequote", "double_quote":
                guard value == .bool(true) else { return nil }
            case _ where [.null, .bool(false), .string("")].contains(value): break
            default: return nil
            }
        }
        return options
    }

    @Test(.enabled(if: !cases.isEmpty, Specimens.missing("JSON file of cases in csv*/")))
    func agree() throws {
        var count = 0
        for (name, text, value) in Self.cases {
            guard var options = Self.options(value) else { continue }
            count += 1
            let expected = value["expected", "rows", "records"]
            let rows = (expected?["rows", "records", "data"] ?? expected)?.items ?? []
            var columns = rows.first?.members?.keys.sorted() ?? []
            if columns.isEmpty {
                let width = rows.map { $0.items?.count ?? 0 }.max() ?? 1
                columns = options.columns ?? (0..<max(1, width)).map { "c\($0)" }
                options.columns = columns
                options.padsShortRows = true
            } else {
                options.header = options.columns == nil
            }
            let table = try CSVTable.read(Array(text.utf8), columns: columns, options: options)
            let refusal = value["error", "errors", "rejects"] ?? expected?["error", "errors"]
            switch refusal {
            case nil, .null, .bool(false), .array([]), .number(0):
                #expect(table.error == nil && table.rejects == [], "\(name)")
            default: #expect(table.error != nil || table.rejects != [], "\(name)")
            }
            let wanted = rows.map { row in
                columns.enumerated().map { index, column in
                    row.items.map { index < $0.count ? $0[index].text ?? "" : "" }
                        ?? row[column]?.text ?? ""
                }
            }
            if expected != nil { #expect(table.rows == wanted, "\(name)") }
        }
        print("CSV dialects: \(count) of \(Self.cases.count) cases have options of the spec")
    }
}
