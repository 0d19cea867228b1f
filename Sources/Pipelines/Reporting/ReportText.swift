import Diagnostics

/// A report as text for a terminal.
enum ReportText {
    static func text(of report: RunReport) -> String {
        var lines = [
            "\(report.pipeline): exit \(report.exit.code) \(report.exit.name). "
                + report.exit.meaning
        ]
        var facts = [
            ("run", report.run + (report.attempts > 1 ? ", attempt \(report.attempts)" : "")),
            ("began", ReportNumbers.time(report.started)),
            (
                "ended",
                "\(ReportNumbers.time(report.ended)), took "
                    + ReportNumbers.duration(report.secondsElapsed)
            ),
        ]
        if report.attempts > 1 {
            facts.append(
                ("stages", "took \(ReportNumbers.duration(report.stageSeconds)) in all attempts"))
        }
        if let part = report.partText { facts.append(("part", part)) }
        if let peak = report.memoryPeak { facts.append(("memory", ReportNumbers.memory(peak))) }
        if let store = report.store { facts.append(("store", store.path)) }
        facts += report.parameters.map { ($0.name, $0.value) }
        let width = facts.map(\.0.count).max() ?? 0
        lines += facts.map { "  \(padded($0.0, width))  \($0.1)" }
        lines += stages(report)
        lines += objects(report)
        lines += rejects(report)
        lines += missedLinks(report)
        lines += unreadFields(report)
        if !report.messages.isEmpty { lines += ["", "Messages"] }
        for message in report.messages {
            lines += message.text.split(separator: "\n").map { "  \($0)" }
        }
        return lines.map { OutputText($0).text }.joined(separator: "\n") + "\n"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func stages(_ report: RunReport) -> [String] {
        let names = report.stages.map { "\($0.kind) \($0.name)" }
        let width = names.map(\.count).max() ?? 0
        let stateWidth = max(7, report.stages.map(\.state.rawValue.count).max() ?? 0)
        return ["", "Stages"]
            + zip(report.stages, names).map { stage, name in
                let text =
                    "  \(padded(name, width))  \(padded(stage.state.rawValue, stateWidth))  "
                    + stage.words.joined(separator: ", ")
                return String(text.reversed().drop { $0 == " " }.reversed())
            }
    }

    private static func objects(_ report: RunReport) -> [String] {
        guard !report.objects.isEmpty else { return [] }
        let width = report.objects.map(\.entity.count).max() ?? 0
        return ["", "Objects changed"]
            + report.objects.map { "  \(padded($0.entity, width))  \($0.words)" }
    }

    private static func missedLinks(_ report: RunReport) -> [String] {
        var lines: [String] = []
        for stage in report.stages {
            guard let missed = stage.missedLinks, !missed.isEmpty else { continue }
            lines += ["", "Links without an object in \(stage.name)"]
            for links in missed {
                lines.append("  \(links.relationship): \(links.count.grouped)")
                lines += links.first.map { "    \($0)" }
            }
            if let folder = stage.linksFolder { lines.append("  in \(folder)") }
        }
        return lines
    }

    /// The fields that no stage reads, and the attributes of tables that no column fills.
    private static func unreadFields(_ report: RunReport) -> [String] {
        var lines: [String] = []
        for stage in report.stages {
            if !stage.extraFields.isEmpty {
                lines += ["", "Fields that \(stage.name) does not read"]
                lines += stage.extraFields.map {
                    "  \($0.name): \(ReportNumbers.several($0.records, "record"))"
                }
            }
            guard let unfilled = stage.unfilledAttributes, !unfilled.isEmpty else { continue }
            lines += ["", "Attributes that no column of \(stage.name) fills"]
            lines += unfilled.map { "  \($0)" }
        }
        return lines
    }

    private static func rejects(_ report: RunReport) -> [String] {
        var lines: [String] = []
        for stage in report.stages where !stage.rejects.isEmpty {
            lines += ["", "Rejects of \(stage.name)"]
            for code in stage.rejects {
                lines.append("  \(code.code): \(code.count.grouped)")
                lines += code.first.map { "    \($0.place): \($0.message)" }
            }
            if let folder = stage.rejectsFolder { lines.append("  in \(folder)") }
        }
        return lines
    }
}

extension ObjectCounts {
    /// The counts, without zeros.
    var words: String {
        [(inserted, "inserted"), (updated, "updated"), (deleted, "deleted")]
            .filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
            .joined(separator: ", ")
    }
}

extension RejectTally.Example {
    /// The location, such as `tasks.csv:42:9 (size)`, if known.
    fileprivate var place: String {
        var place = file
        if let line { place += ":\(line)" + (column.map { ":\($0)" } ?? "") }
        if let field { place += " (\(field))" }
        return place
    }
}

extension RunReport.Stage {
    /// The results of the stage, in the words of its line on stderr.
    fileprivate var words: [String] {
        stageReport.parts(\.grouped) + RunReport.words(nested ?? [])
            + consequences.map { "\($0.what): \($0.text)" }
            + [secondsElapsed.map(ReportNumbers.duration)].compactMap(\.self)
            + [indexSeconds.map(ReportNumbers.indexTime)].compactMap(\.self)
    }
}
