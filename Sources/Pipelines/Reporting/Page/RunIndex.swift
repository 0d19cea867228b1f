import Diagnostics
import Files
import FoundationEssentials

/// The page that lists the runs of a report folder, newest first: `runs/index.html`.
///
/// Each run is one line of the file. The next run copies the lines whose reports still exist, and
/// reads only the reports without a line. Unreadable reports are omitted.
/// ```
/// <tr id="nightly-20261121T030000Z-4711" data-seconds="1.5" data-changes="240">…</tr>
/// ```
struct RunIndex {
    static let name = "index.html"
    /// The comment at the start of the page, with the version that wrote it.
    ///
    /// Rows written by another version are created again.
    private static let mark = "\(anyMark), format 1, \(Release.version) -->"
    /// The start of this comment in all versions, by which etl recognizes its own page.
    private static let anyMark = "<!-- etl runs"
    private static let rowsMax = 1000

    private let folder: String

    init(_ folder: String) {
        self.folder = folder
    }

    var path: String { PathText.join(folder, Self.name) }

    /// Whether the file exists but was not written by etl, and must not be replaced.
    ///
    /// A file that cannot be read may belong to another program.
    var isTaken: Bool {
        do throws(SystemFault) {
            let bytes = try FileSystem.contents(path)
            return !String(decoding: bytes, as: UTF8.self).contains(Self.anyMark)
        } catch {
            return !error.isMissing
        }
    }

    /// Returns the page with the lines of all reports, including a new one.
    func page(with report: RunReport) -> [UInt8] {
        // A missing folder has no reports.
        let names = Set((try? FileSystem.textNames(in: folder)) ?? [])
        let known = knownRows
        let own = "\(report.pipeline)-\(report.name)"
        let stems = names.compactMap(Self.stem).sorted {
            (RunName.second($0.run), $0.stem) > (RunName.second($1.run), $1.stem)
        }.map(\.stem)
        let rows = stems.prefix(Self.rowsMax).compactMap { stem -> Row? in
            if stem == own { return Row(report, stem, names) }
            if let row = known[stem] { return row }
            let path = PathText.join(folder, stem + ReportFolder.dataSuffix)
            // A report that cannot be read has no row.
            return (try? StoredReport.read(path)).map { Row($0.report, stem, names) }
        }
        return Array(Self.page(rows, count: stems.count).text.utf8)
    }

    /// Returns the file name without its suffix, and its run; `nil` if the file is not a report.
    private static func stem(_ name: String) -> (stem: String, run: String)? {
        guard name.hasSuffix(ReportFolder.dataSuffix) else { return nil }
        let stem = String(name.dropLast(ReportFolder.dataSuffix.count))
        let run = stem.split(separator: "-").suffix(2).joined(separator: "-")
        return RunName.started(run[...]) == nil ? nil : (stem, run)
    }

    /// The rows of the existing page.
    private var knownRows: [String: Row] {
        // Without a page, the rows are read from the reports again.
        guard let bytes = try? FileSystem.contents(path) else { return [:] }
        // Split as bytes, because every run does this and splitting a `String` by characters takes
        // far longer.
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard lines.contains(Self.mark) else { return [:] }
        let rows = lines.compactMap(Row.init(line:))
        return Dictionary(rows.map { ($0.stem, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func page(_ rows: [Row], count: Int) -> Markup {
        let seconds = max(0.001, rows.map(\.seconds).max() ?? 0)
        let changes = max(1, rows.map(\.changes).max() ?? 0)
        let left = count - rows.count
        let note: Markup =
            left > 0
            ? "<p class=\"dim\">\(ReportNumbers.several(left, "report")) not shown</p>\n" : .empty
        let style = "--seconds:\(seconds);--changes:\(changes)"
        return HTMLPage.text(
            title: "Runs", mark: Markup(trusted: mark + "\n"), style: ReportStyle.index,
            body: """
                <body><main><h1>Runs</h1>
                <div class="table"><table style="\(style)">
                <thead><tr><th>started</th><th>pipeline</th><th>result</th><th>duration</th>\
                <th class="number">records read</th><th>changes</th></tr></thead>
                <tbody>
                \(rows.map(\.markup))</tbody></table></div>
                \(note)</main></body>
                """)
    }
}

extension RunIndex {
    /// The line of one run.
    fileprivate struct Row {
        let stem: String
        let seconds: Double
        /// The sum of the counts in its chart.
        let changes: Int
        private let text: String

        var markup: Markup { Markup(trusted: text + "\n") }

        /// Reads a line of a page that etl wrote; returns `nil` for any other line.
        init?(line: String) {
            guard line.hasPrefix("<tr "), line.hasSuffix("</tr>") else { return nil }
            let parts = line.split(
                separator: "\"", maxSplits: 6, omittingEmptySubsequences: false)
            guard parts.count == 7, parts[0] == "<tr id=", parts[2] == " data-seconds=",
                parts[4] == " data-changes=", let seconds = Double(parts[3]),
                let changes = Int(parts[5])
            else { return nil }
            stem = String(parts[1])
            self.seconds = seconds
            self.changes = changes
            text = line
        }

        /// Creates the line of a run from its report.
        ///
        /// - Parameters:
        ///   - stem: The name of the report's files without their suffix.
        ///   - names: The names of the files in the folder.
        init(_ report: RunReport, _ stem: String, _ names: Set<String>) {
            func sum(_ count: (ObjectCounts) -> Int) -> Int {
                report.objects.reduce(0) { $0 + count($1) }
            }
            let exported = report.stages.reduce(0) { $0 + ($1.output?.rows ?? 0) }
            let all: [(word: String, count: Int)] = [
                ("inserted", sum(\.inserted)), ("updated", sum(\.updated)),
                ("deleted", sum(\.deleted)), ("rejected", report.records?.rejected ?? 0),
                ("exported", exported),
            ]
            let counts = all.filter { $0.count > 0 }
            self.stem = stem
            seconds = report.secondsElapsed
            changes = counts.reduce(0) { $0 + $1.count }
            let page = stem + ReportFolder.pageSuffix
            let link = names.contains(page) ? page : stem + ReportFolder.dataSuffix
            let bars = counts.map { part -> Markup in
                "<i class=\"\(part.word)\" style=\"--n:\(part.count)\"></i>"
            }
            let words = counts.map { "\($0.count.grouped) \($0.word)" }
            let read: Markup = report.records.map { "\($0.read.grouped)" } ?? .empty
            let part: Markup =
                report.entryText.map { " <span class=\"dim\">\($0)</span>" } ?? .empty
            let row: Markup = """
                <tr id="\(stem)" data-seconds="\(String(seconds))" data-changes="\(changes)">\
                <td><a href="\(link)">\(ReportNumbers.time(report.attemptStarted))</a></td>\
                <td class="value">\(report.pipeline)\(part)</td>\
                <td class="\(ReportPage.mood(report.exit.code))"><span class="badge">\
                \(report.exit.name)</span></td>\
                <td class="time">\(ReportNumbers.duration(seconds))\
                <span class="bars"><i style="--n:\(String(seconds))"></i></span></td>\
                <td class="number">\(read)</td>\
                <td class="counts">\(words.joined(separator: ", "))\
                <span class="bars">\(bars)</span></td></tr>
                """
            text = row.text.split(separator: "\n").joined(separator: " ")
        }
    }
}
