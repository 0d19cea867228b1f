import Diagnostics
import FoundationEssentials
import Pipelines

/// The messages of a run on stderr: lines of text, or one JSON object each.
struct RunLog: Sendable {
    private let format: TextFormat
    private let level: LogLevel
    private let isDry: Bool

    init(_ verbosity: Verbosity, isInteractive: Bool, isDry: Bool) {
        format = verbosity.format
        level = verbosity.level(isInteractive: isInteractive)
        self.isDry = isDry
    }

    /// Whether a line is printed for each stage that ends.
    var showsStages: Bool { level == .info }

    /// Whether diagnostics that do not end the run are printed.
    var showsWarnings: Bool { level != .error }

    /// Whether a diagnostic that does not end the run is shown.
    func shows(_ diagnostic: Diagnostic) -> Bool {
        showsWarnings || diagnostic.code == FailureCommand.problemCode
    }

    /// Prints the line of a stage that finished, failed, or was stopped.
    func emit(_ stage: EndedStage, of identity: RunIdentity) {
        guard showsStages else { return }
        let report = stage.report
        // A plan counts changes of a copy.
        let line = isDry ? "would \(report.line(stage.state))" : report.line(stage.state)
        guard format == .json else {
            Terminal.writeMessage(line)
            for links in report.missedLinks ?? [] { Terminal.writeMessage("  \(links.line)") }
            for line in report.unmatchedColumns { Terminal.writeMessage("  \(line)") }
            if let folder = report.rejectsFolder { Terminal.writeMessage("  rejects: \(folder)") }
            if let folder = report.linksFolder {
                Terminal.writeMessage("  links left out: \(folder)")
            }
            return
        }
        var record = LogRecord(
            identity, level: LogLevel.info.rawValue, code: "run.stage", message: line)
        record.stage = report.name
        record.kind = report.kind
        record.state = stage.state.rawValue
        record.counts = report.counts
        record.seconds = report.secondsElapsed.inMilliseconds
        record.rejects = report.rejectsFolder
        record.links = report.linksFolder
        record.missedLinks = report.missedLinks
        write(record)
    }

    /// Prints an error, a warning, or a note.
    func emit(_ diagnostic: Diagnostic, of identity: RunIdentity) {
        guard format == .json else {
            return Terminal.write(diagnostic)
        }
        write(LogRecord(identity, diagnostic))
    }

    private func write(_ record: LogRecord) {
        Terminal.writeLine(record.json.compact)
    }
}

/// A line of `--log-format json`; a key without a value is left out.
private struct LogRecord: JSONWritable {
    var time = Date().formatted(.iso8601)
    var level: String
    var code: String
    var message: String
    var file: String?
    var line: Int?
    var column: Int?
    var key: String?
    var record: Int?
    var field: String?
    var byte: Int?
    var fix: String?
    var stage: String?
    var kind: String?
    var state: String?
    var seconds: Double?
    var counts: JSONTree?
    var pipeline: String?
    var run: String?
    var rejects: String?
    var links: String?
    var missedLinks: [MissedLinks]?

    var json: JSONTree {
        .fields([
            "byte": byte, "code": code, "column": column,
            "counts": counts, "field": field, "file": file,
            "fix": fix, "key": key, "kind": kind, "level": level, "line": line,
            "links": links,
            "message": message, "missedLinks": missedLinks, "pipeline": pipeline, "record": record,
            "rejects": rejects,
            "run": run, "seconds": seconds, "stage": stage, "state": state,
            "time": time,
        ])
    }

    init(_ identity: RunIdentity, level: String, code: String, message: String) {
        pipeline = identity.pipeline
        run = identity.run
        self.level = level
        self.code = code
        self.message = message
    }

    init(_ identity: RunIdentity, _ diagnostic: Diagnostic) {
        self.init(
            identity, level: diagnostic.severity.rawValue, code: diagnostic.code,
            message: diagnostic.message)
        fix = diagnostic.fix
        stage = diagnostic.stage?.name
        kind = diagnostic.stage?.kind
        key = diagnostic.stage?.key
        switch diagnostic.place {
        case .nowhere: break
        case .file(let path): file = path
        case .source(let place):
            (file, line, column) = (place.file, place.line, place.column)
            key = place.keyPath.isEmpty ? nil : place.keyPath
        case .record(let place):
            (file, line, column) = (place.source, place.line, place.column)
            (record, field, byte) = (place.record, place.field, place.byteOffset)
        }
    }
}
