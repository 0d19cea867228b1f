import Diagnostics

/// The shapes of the stage diagram.
///
/// Their colors are in the style sheet.
enum PictureParts {
    /// A count next to an arrow, and its style.
    struct Label {
        var text: String
        var style: String
    }

    static func group(_ stage: RunReport.Stage, _ parts: [Markup]) -> Markup {
        "<g class=\"stage \(stage.state.rawValue)\">\(parts)</g>\n"
    }

    /// Draws the stage: its name, and its result below.
    static func node(
        _ stage: RunReport.Stage, _ x: Double, _ y: Double, _ width: Double, _ height: Double
    ) -> Markup {
        let most = Int((width - 24) / 7.4)
        let hasThird = !stage.thirdLine.isEmpty
        let first = y + (hasThird ? 21 : 27)
        let third: Markup =
            hasThird
            ? text(
                ReportNumbers.fit(stage.thirdLine, Int((width - 24) / 5.6)), x + 16, first + 34,
                "dim"
            )
            : .empty
        return """
            <g><title>\(stage.kind) \(stage.name): \(stage.state.rawValue)</title>\
            <rect class="node" x="\(x)" y="\(y)" width="\(width)" height="\(height)" rx="10"/>\
            <rect class="mark" x="\(x)" y="\(y + 10)" width="4" height="\(height - 20)" rx="2"/>\
            \(text(ReportNumbers.fit("\(stage.kind) \(stage.name)", most), x + 16, first, "name"))\
            \(text(stage.secondLine, x + 16, first + 17, "dim"))\(third)</g>
            """
    }

    /// Draws the source or the target of a stage: a file, or objects of the store.
    static func end(
        _ end: StagePicture.End, _ x: Double, _ y: Double, _ width: Double, _ height: Double
    ) -> Markup {
        let cut = end.isFile ? 12.0 : 0
        let shape: Markup =
            end.isFile
            ? """
            <path class="end" d="M\(x + 8) \(y)H\(x + width - cut)L\(x + width) \(y + cut)\
            V\(y + height - 8)q0 8 -8 8H\(x + 8)q-8 0 -8 -8V\(y + 8)q0 -8 8 -8z"/>\
            <path class="fold" d="M\(x + width - cut) \(y)v\(cut)h\(cut)"/>
            """
            : """
            <rect class="end" x="\(x)" y="\(y)" width="\(width)" height="\(height)" \
            rx="\(height / 2)"/>
            """
        let inset = end.isFile ? 14.0 : 24
        let middle = y + height / 2
        let most = Int((width - 2 * inset) / 6.9)
        guard !end.detail.isEmpty else {
            return
                "\(shape)\(text(ReportNumbers.fit(end.title, most), x + inset, middle + 4, "what"))"
        }
        return """
            <g><title>\(end.title)</title>\(shape)\
            \(text(ReportNumbers.fit(end.title, most), x + inset, middle - 3, "what"))\
            \(text(ReportNumbers.fit(end.detail, most + 4), x + inset, middle + 14, "dim"))</g>
            """
    }

    static func arrow(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> Markup {
        let head: Markup =
            x1 == x2
            ? "M\(x2 - 4) \(y2 - 8)L\(x2) \(y2 - 1)L\(x2 + 4) \(y2 - 8)z"
            : "M\(x2 - 8) \(y2 - 4)L\(x2 - 1) \(y2)L\(x2 - 8) \(y2 + 4)z"
        let (endX, endY) = x1 == x2 ? (x2, y2 - 6) : (x2 - 6, y2)
        return """
            <path class="arrow" d="M\(x1) \(y1)L\(endX) \(endY)"/><path class="head" d="\(head)"/>
            """
    }

    /// Draws the arrow to the rejects: down, then to the right.
    static func bend(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> Markup {
        """
        <path class="arrow bad" d="M\(x1) \(y1)V\(y2 - 8)q0 8 8 8H\(x2 - 6)"/>\
        <path class="head bad" d="M\(x2 - 8) \(y2 - 4)L\(x2 - 1) \(y2)L\(x2 - 8) \(y2 + 4)z"/>
        """
    }

    /// Draws the vertical line that connects two stages.
    static func spine(_ x: Double, _ y1: Double, _ y2: Double) -> Markup {
        "<path class=\"spine\" d=\"M\(x) \(y1)V\(y2)\"/>"
    }

    static let pillHeight = 42.0

    /// Draws the box of the rejects: their number, and their codes below.
    static func pill(
        _ label: (count: String, codes: String), _ x: Double, _ y: Double, _ width: Double
    ) -> Markup {
        let most = Int((width - 32) / 5.8)
        let codes =
            label.codes.count > most ? label.codes.prefix(most - 1) + "…" : label.codes
        return """
            <g><title>\(label.codes)</title>\
            <rect class="pill" x="\(x)" y="\(y)" width="\(width)" height="\(pillHeight)" rx="12"/>\
            \(text(label.count, x + 16, y + (codes.isEmpty ? 25 : 18), "bad"))\
            \(text(codes, x + 16, y + 33, "dim"))</g>
            """
    }

    /// Draws the first label above a horizontal arrow, and the others below it.
    static func labels(_ labels: [Label], _ x: Double, _ y: Double) -> Markup {
        let parts = labels.enumerated().map { place, label -> Markup in
            let y = place == 0 ? y - 8 : y + 2 + Double(place) * 15
            return """
                <text class="count \(label.style)" x="\(x)" y="\(y)" text-anchor="middle">\
                \(label.text)</text>
                """
        }
        return "\(parts)"
    }

    /// Draws the labels next to a vertical arrow, on one line.
    static func line(_ labels: [Label], _ x: Double, _ y: Double) -> Markup {
        let parts = labels.map { label -> Markup in
            "<tspan class=\"\(label.style)\" dx=\"4\">\(label.text)</tspan>"
        }
        return "<text class=\"count\" x=\"\(x)\" y=\"\(y)\">\(parts)</text>"
    }

    private static func text(
        _ words: String, _ x: Double, _ y: Double, _ style: String
    ) -> Markup {
        "<text class=\"\(style)\" x=\"\(x)\" y=\"\(y)\">\(words)</text>"
    }
}

extension RunReport.Stage {
    /// The result of the stage: `1.2 s, 310 k rows/s`, or its state.
    fileprivate var secondLine: String {
        guard state != .skipped else { return "did not run" }
        var parts = state == .done ? [] : [state == .resumed ? "done earlier" : state.rawValue]
        if let secondsElapsed { parts.append(ReportNumbers.duration(secondsElapsed)) }
        if let indexSeconds { parts.append(ReportNumbers.indexTime(indexSeconds)) }
        if let rowsPerSecond { parts.append("\(ReportNumbers.rate(rowsPerSecond)) rows/s") }
        return parts.joined(separator: " · ")
    }

    /// The counts of records that changed nothing.
    fileprivate var thirdLine: String {
        if let verified { return ReportNumbers.several(verified, "statement") + " checked" }
        if let denied { return "\(denied.grouped) kept by a deny rule" }
        guard let records else { return "" }
        return records.ends.filter {
            ["unchanged", "skipped", "filtered", "superseded", "linked"].contains($0.word)
                && $0.count > 0
        }.map { "\($0.count.grouped) \($0.word)" }.joined(separator: " · ")
    }

    private var stored: StagePicture.End? {
        entity.map { StagePicture.End(title: $0, detail: "in the store", isFile: false) }
    }

    var source: StagePicture.End? {
        guard kind == "import" else { return stored }
        guard let first = inputs.first else {
            return StagePicture.End(title: "records", detail: "", isFile: true)
        }
        let bytes = ReportNumbers.bytes(inputs.reduce(0) { $0 + $1.bytes })
        return StagePicture.End(
            title: PathText.lastComponent(first.file),
            detail: inputs.count == 1 ? bytes : "and \(inputs.count - 1) more, \(bytes)",
            isFile: true)
    }

    var target: StagePicture.End? {
        guard kind == "export" else { return kind == "verify" ? nil : stored }
        guard let output else { return nil }
        return StagePicture.End(
            title: PathText.lastComponent(output.file), detail: ReportNumbers.bytes(output.bytes),
            isFile: true)
    }

    var inLabels: [PictureParts.Label] {
        guard state != .skipped else { return [] }
        let number = records?.read ?? matched ?? output?.rows
        let word = records != nil ? "read" : matched != nil ? "matched" : "rows"
        return number.map {
            [.init(text: "\($0.grouped) \(word)", style: "plain")]
        } ?? []
    }

    var outLabels: [PictureParts.Label] {
        if let output {
            return [.init(text: ReportNumbers.several(output.rows, "row"), style: "good")]
        }
        var labels: [PictureParts.Label] = []
        func add(_ count: Int, _ sign: String, _ word: String, _ style: String) {
            guard count > 0 else { return }
            labels.append(
                .init(text: "\(sign)\(count.grouped) \(word)", style: style))
        }
        if let records {
            add(records.inserted, "+", "new", "good")
            add(records.updated, "", "updated", "busy")
            add(mirrored ?? 0, "−", "deleted", "bad")
        } else if kind == "delete" {
            add(changed ?? 0, "−", "deleted", "bad")
            add(stageReport.cascadedCount, "−", "by cascade", "bad")
        } else {
            add(changed ?? 0, "", "updated", "busy")
        }
        return labels
    }

    /// The rejects: `2 rejected` and `cast 1, key 1`.
    var rejectLabel: (count: String, codes: String)? {
        guard let count = records?.rejected, count > 0 else { return nil }
        let codes = rejects.sorted { $0.count > $1.count }
            .map { "\($0.code) \($0.count.grouped)" }.joined(separator: ", ")
        return ("\(count.grouped) rejected", codes)
    }
}
