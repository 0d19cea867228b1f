import Diagnostics

/// A self-contained HTML page with the findings about files.
struct ProfilePage {
    private static let columns = [
        "field", "becomes", "empty", "different", "range", "spread", "frequent values", "evidence",
    ]
    private static let numbered: Set<String> = ["empty", "different"]

    let name: String
    let entities: [InferredEntity]
    let joins: [InferredJoin]
    /// The fields of each entity and join table, by its name.
    let fields: [String: [InferredField]]

    var text: String { page.text }

    private var page: Markup {
        HTMLPage.text(
            title: "\(name) · profile",
            body: """
                <body class="good"><main style="max-width:1400px">
                <header><h1>\(name)</h1><p class="meaning">\(summary)</p></header>
                \(entities.map(section))\(joins.map(section))</main></body>
                """)
    }

    private var summary: String {
        let fields = fields.values.reduce(0) { $0 + $1.count }
        return "\(ReportNumbers.several(entities.count, "entity", "entities")) with "
            + ReportNumbers.several(fields, "field")
            + (joins.isEmpty ? "" : " and \(ReportNumbers.several(joins.count, "join table"))")
    }

    private func section(_ entity: InferredEntity) -> Markup {
        let key = entity.key.isEmpty ? "" : "Key: \(entity.key.joined(separator: ", "))"
        let records = entity.records.map {
            ReportNumbers.several($0, entity.stages.isEmpty ? "object" : "record")
        }
        let facts = [records, key.isEmpty ? nil : key, entity.keyNote].compactMap(\.self)
        return section(
            entity.name, facts, entity.stages, entity.notes, fields[entity.name, default: []],
            records: entity.records ?? 0)
    }

    private func section(_ join: InferredJoin) -> Markup {
        let records = join.stages.first?.records ?? 0
        let facts = [
            ReportNumbers.several(records, "record"),
            "Join table of \(join.entity).\(join.link.relationship)",
        ]
        return section(
            join.name, facts, join.stages, [], fields[join.name, default: []], records: records)
    }

    private func section(
        _ name: String, _ facts: [String], _ stages: [InferredImport], _ notes: [String],
        _ fields: [InferredField], records: Int
    ) -> Markup {
        let rows = fields.map { row($0, records) }
        let heads = Self.columns.map { "<th class=\"\(style($0))\">\($0)</th>" as Markup }
        return """
            <section><h2>\(name)</h2>
            <p class="dim">\(facts.joined(separator: " · "))</p>
            <p class="dim">\(stages.flatMap(\.paths).joined(separator: ", "))</p>
            <p class="dim">\(notes.joined(separator: "; "))</p>
            <div class="table"><table><thead><tr>\(heads)</tr></thead><tbody>
            \(rows)</tbody></table></div></section>

            """
    }

    private func style(_ column: String) -> String {
        Self.numbered.contains(column) ? "number" : ""
    }

    private func row(_ field: InferredField, _ records: Int) -> Markup {
        let profile = field.profile
        let values = profile?.values ?? 0
        let distinct = profile.map {
            $0.distinct.grouped + ($0.isTruncated ? " or more" : "")
        }
        let frequent = (profile?.frequent ?? []).map { value -> Markup in
            "\(OutputText.masked(value.text)) <span class=\"dim\">× \(value.count)</span><br>"
        }
        let cells: [Markup] = [
            "\(field.source)", "\(field.becomes)", "\(max(0, records - values).grouped)",
            "\(distinct ?? "")", "\(profile?.range ?? "")", histogram(profile?.bars ?? []),
            "\(frequent)", "\(field.evidence ?? "")",
        ]
        let columns = zip(Self.columns, cells).map {
            "<td class=\"\(style($0))\">\($1)</td>" as Markup
        }
        return "<tr>\(columns)</tr>\n"
    }

    private func histogram(_ bars: [Int]) -> Markup {
        guard let most = bars.max(), most > 0 else { return .empty }
        let shapes = bars.enumerated().map { place, count -> Markup in
            let height = Double(count) / Double(most) * 24
            return """
                <rect x="\(Double(place * 8))" y="\(24 - height)" width="7" height="\(height)" \
                fill="var(--blue)"/>
                """
        }
        return """
            <svg width="80" height="24" viewBox="0 0 80 24" role="img" aria-label="histogram">\
            \(shapes)</svg>
            """
    }
}

/// A field of the input on the page.
struct InferredField {
    var source: String
    /// The attribute with its type, or the relationship with its destination.
    var becomes: String
    var profile: ColumnProfile?
    var evidence: String?
}
