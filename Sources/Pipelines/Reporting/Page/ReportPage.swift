import Diagnostics

/// A report as one self-contained HTML page, without scripts, fonts, or external images.
struct ReportPage {
    /// The maximum number of rows in a table.
    private static let rowsMax = 200

    private let report: RunReport
    /// The folder of the page, to which links are relative.
    private let folder: String?

    private init(_ report: RunReport, folder: String?) {
        self.report = report
        self.folder = folder
    }

    /// Returns the HTML of a report.
    ///
    /// - Parameter folder: The folder of the page, for links to the rejects; `nil` for no links.
    static func text(of report: RunReport, in folder: String? = nil) -> String {
        ReportPage(report, folder: folder).page.text
    }

    private var page: Markup {
        HTMLPage.text(
            title:
                "\(report.pipeline) · \(report.exit.name) · \(ReportNumbers.time(report.started))",
            body: """
                <body class="\(Self.mood(report.exit.code))"><main>
                \(head)\(figures)\(messages)\(stages)\(charts)\(changes)\(consequences)\(rejects)\(missedLinks)\(extraFields)\
                \(unfilledAttributes)\(files)\(facts)</main></body>
                """)
    }

    static func mood(_ code: Int32) -> String {
        switch code {
        case 0: "good"
        case 75, 129, 130, 143: "busy"
        default: "bad"
        }
    }

    private var head: Markup {
        let attempts: Markup =
            report.attempts > 1 ? " · attempt \(report.attempts), totals of all attempts" : .empty
        let part: Markup = report.partText.map { " · \($0)" } ?? .empty
        return """
            <header><div class="status"><span class="badge">\(report.exit.name)</span> \
            exit \(String(report.exit.code))</div>
            <h1>\(report.pipeline)</h1>
            <p class="meaning">\(report.exit.meaning)</p>
            <p class="when">\(ReportNumbers.time(report.started)) – \
            \(ReportNumbers.time(report.ended))\(attempts)\(part)</p></header>

            """
    }

    private var figures: Markup {
        var cards: [(String, String, String)] = [
            ("took", ReportNumbers.duration(report.secondsElapsed), "")
        ]
        if report.attempts > 1 {
            cards.append(("in all attempts", ReportNumbers.duration(report.stageSeconds), ""))
        }
        if let records = report.records {
            cards.append(("records read", records.read.grouped, ""))
            for end in records.ends where end.count > 0 {
                let style = end.word == "rejected" ? "bad" : ""
                cards.append((end.word, end.count.grouped, style))
            }
        }
        let rows = report.stages.compactMap(\.output?.rows)
        if !rows.isEmpty {
            cards.append(("rows exported", rows.reduce(0, +).grouped, ""))
        }
        if let peak = report.memoryPeak {
            cards.append(("peak memory", ReportNumbers.memory(peak), ""))
        }
        let items = cards.map { card -> Markup in
            "<div class=\"card \(card.2)\"><b>\(card.1)</b><span>\(card.0)</span></div>\n"
        }
        return "<section class=\"cards\">\(items)</section>\n"
    }

    private var messages: Markup {
        // Rejects listed in the tables are not repeated, except a reject that ended a stage: only
        // its message has the fix.
        let rejects = Set(
            report.stages.flatMap(\.rejects).flatMap(\.first).map {
                DiagnosticRenderer.text($0.diagnostic)
            })
        let messages = report.messages.filter { message in
            let words = message.text.split(separator: "\n").filter { !$0.hasPrefix("  stage: ") }
            return !rejects.contains(words.joined(separator: "\n"))
        }
        let items = messages.map { message -> Markup in
            "<pre class=\"message \(message.severity)\">\(message.text)</pre>\n"
        }
        return section("Messages", items)
    }

    private var stages: Markup {
        guard !report.stages.isEmpty else { return .empty }
        return "<section><h2>Stages</h2>\(StagePicture(report.stages).markup)</section>\n"
    }

    private var charts: Markup {
        let charts = [report.rateChart, report.memoryChart].compactMap { $0?.markup }
        guard !charts.isEmpty else { return .empty }
        return "<section><h2>Over time</h2><div class=\"charts\">\(charts)</div></section>\n"
    }
}

// MARK: Tables

extension ReportPage {
    /// The names of columns, each with its style.
    private typealias Columns = KeyValuePairs<String, String>

    /// Returns a section with its heading; nothing if it has no parts.
    fileprivate func section(_ title: String, _ parts: [Markup]) -> Markup {
        parts.isEmpty ? .empty : "<section><h2>\(title)</h2>\(parts)</section>\n"
    }

    /// Returns a section with a table; nothing if the table has no rows.
    private func section(_ title: String, _ columns: Columns, _ rows: [[Markup]]) -> Markup {
        section(title, rows.isEmpty ? [] : [table(columns, rows)])
    }

    private func table(_ columns: Columns, _ rows: [[Markup]]) -> Markup {
        let heads = columns.map { "<th class=\"\($0.value)\">\($0.key)</th>" as Markup }
        let lines = rows.prefix(Self.rowsMax).map { row -> Markup in
            let cells = zip(columns, row).map { "<td class=\"\($0.value)\">\($1)</td>" as Markup }
            return "<tr>\(cells)</tr>\n"
        }
        let more: Markup =
            rows.count > Self.rowsMax
            ? "<p class=\"dim\">and \(rows.count - Self.rowsMax) more, in the JSON report</p>"
            : .empty
        return """
            <div class="table"><table><thead><tr>\(heads)</tr></thead><tbody>
            \(lines)</tbody></table></div>\(more)
            """
    }

    /// The changed objects per entity.
    fileprivate var changes: Markup {
        let most = report.objects.map { max($0.inserted, $0.updated, $0.deleted) }.max() ?? 0
        func cell(_ count: Int, _ style: String) -> Markup {
            guard count > 0 else { return "<span class=\"dim\">0</span>" }
            let share = most > 0 ? max(1, count * 100 / most) : 0
            return """
                \(count.grouped)<i class="bar \(style)" style="width:\(share)%"></i>
                """
        }
        let rows = report.objects.map { count -> [Markup] in
            [
                "\(count.entity)", cell(count.inserted, "good"), cell(count.updated, "busy"),
                cell(count.deleted, "bad"),
            ]
        }
        let columns: Columns = [
            "entity": "", "inserted": "number", "updated": "number", "deleted": "number",
        ]
        return section("Objects changed", columns, rows)
    }

    /// The effects of deletions on other objects.
    fileprivate var consequences: Markup {
        let rows = report.stages.flatMap { stage in
            stage.consequences.map { what, text -> [Markup] in
                ["\(stage.name)", "\(what)", "\(text)"]
            }
        }
        return section(
            "Besides the deletes", ["stage": "", "other change": "", "objects": ""], rows)
    }

    fileprivate var rejects: Markup {
        let parts = report.stages.filter { !$0.rejects.isEmpty }.map { stage -> Markup in
            let codes = stage.rejects.sorted { $0.count > $1.count }.map(rejects)
            return """
                <h3>\(stage.kind) \(stage.name)</h3>\(codes)\(folderNote(stage.rejectsFolder))

                """
        }
        return section("Rejects", parts)
    }

    private func rejects(_ code: RejectTally.Code) -> Markup {
        let rows = code.first.map { example -> [Markup] in
            var place = PathText.lastComponent(example.file)
            if let line = example.line { place += ":\(line)" }
            if let column = example.column { place += ":\(column)" }
            let record = example.record.map { $0.grouped } ?? ""
            let value: Markup =
                example.value.map { "<code>\($0)</code>" } ?? "<span class=\"dim\">–</span>"
            return [
                "<code title=\"\(example.file)\">\(place)</code>", "\(record)",
                "\(example.field ?? "")", value, "\(example.message)",
            ]
        }
        let columns: Columns = [
            "place": "", "record": "number", "field": "", "value": "value", "why": "why",
        ]
        let shown = code.count > rows.count ? ", the first \(rows.count) of them" : ""
        return """
            <h4><span class="code">\(code.code)</span> \(code.count.grouped)\(shown)</h4>
            \(table(columns, rows))
            """
    }

    /// The links without a target object.
    fileprivate var missedLinks: Markup {
        let parts = report.stages.compactMap { stage -> Markup? in
            guard let missed = stage.missedLinks, !missed.isEmpty else { return nil }
            let rows = missed.map { links -> [Markup] in
                [
                    "\(links.relationship)", "\(links.count.grouped)",
                    "<code>\(links.first.joined(separator: ", "))</code>",
                ]
            }
            let columns: Columns = ["relationship": "", "links": "number", "the first": "value"]
            return """
                <h3>\(stage.kind) \(stage.name)</h3>\(table(columns, rows))\
                \(folderNote(stage.linksFolder, "They"))

                """
        }
        return section("Links without an object", parts)
    }

    private func folderNote(_ path: String?, _ what: String = "The records") -> Markup {
        guard let path else { return .empty }
        // A percent-encoded secret would not be recognized and masked.
        let place = OutputText.masked(path)
        guard let link = folder.flatMap({ RelativePath.link(from: $0, to: place) }) else {
            return "<p class=\"dim\">\(what) are in <code>\(path)</code></p>"
        }
        return
            "<p class=\"dim\">\(what) are in <a href=\"\(link)\"><code>\(path)</code></a></p>"
    }

    /// The fields that no stage reads.
    fileprivate var extraFields: Markup {
        let rows = report.stages.flatMap { stage in
            stage.extraFields.map { field -> [Markup] in
                ["\(stage.name)", "<code>\(field.name)</code>", "\(field.records.grouped)"]
            }
        }
        return section(
            "Fields that no stage reads", ["stage": "", "field": "", "records": "number"], rows)
    }

    /// The attributes of tables that no column fills.
    fileprivate var unfilledAttributes: Markup {
        let rows = report.stages.flatMap { stage in
            (stage.unfilledAttributes ?? []).map { name -> [Markup] in
                ["\(stage.name)", "<code>\(name)</code>"]
            }
        }
        return section(
            "Attributes that no column fills", ["stage": "", "attribute": ""], rows)
    }

    fileprivate var files: Markup {
        let inputs = report.stages.flatMap { stage in
            stage.inputs.map { input -> [Markup] in
                [
                    "<code>\(input.file)</code>", "\(stage.name)",
                    "\(input.records.grouped)", "\(ReportNumbers.bytes(input.bytes))",
                    "<code>\(input.sha256)</code>",
                ]
            }
        }
        let outputs = report.stages.compactMap { stage in
            stage.output.map { output -> [Markup] in
                [
                    "<code>\(output.file)</code>", "\(stage.name)",
                    "\(output.rows.grouped)", "\(ReportNumbers.bytes(output.bytes))",
                ]
            }
        }
        let read = section(
            "Inputs",
            [
                "file": "path", "stage": "", "records": "number", "size": "number",
                "SHA-256 of the text in it": "digest",
            ], inputs)
        let written = section(
            "Outputs", ["file": "path", "stage": "", "records": "number", "size": "number"],
            outputs)
        return "\(read)\(written)"
    }

    fileprivate var facts: Markup {
        var facts: [(String, String)] = [("run", report.run), ("spec", report.spec)]
        if let replay = report.replay { facts.append(("replay of", replay)) }
        if let store = report.store {
            let size = store.bytes.map { ", \(ReportNumbers.bytes($0))" } ?? ""
            facts.append(("store", store.path + size))
            if let model = store.model { facts.append(("model", model)) }
        }
        facts += report.parameters.map { ("${\($0.name)}", $0.value) }
        facts.append(("etl", report.version))
        let rows = facts.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>\n" as Markup }
        return "<section><h2>The run</h2><dl>\(rows)</dl></section>\n"
    }
}
