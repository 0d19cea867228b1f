/// The only converter of diagnostics to text; it omits secrets and control characters.
///
/// ```
/// sample-data/orders.csv:42:9: error: The quoted field never ends [csv.unterminated-quote]
///   in: record 41, field 'note', byte 2113
///   stage: pipelines/orders.yaml:18:5 import orders
///   fix: close the quote, or set `quote: none` on this input
/// ```
package enum DiagnosticRenderer {
    /// Returns the diagnostic as lines of text; the last one has no line end.
    package static func text(_ diagnostic: Diagnostic) -> String {
        func shown(_ text: String) -> String { OutputText(text).text }
        var lines = [
            shown(
                "\(prefix(diagnostic.place))\(diagnostic.severity.rawValue): \(diagnostic.message)"
                    + " [\(diagnostic.code)]")
        ]
        if let excerpt = diagnostic.excerpt {
            lines += OutputText(excerpt).lines.split(separator: "\n").map { "  \($0)" }
        }
        if let inside = inside(diagnostic.place) { lines.append("  in: \(shown(inside))") }
        if let stage = diagnostic.stage {
            lines.append(shown("  stage: \(stage.text)"))
        }
        if let fix = diagnostic.fix { lines.append("  fix: \(shown(fix))") }
        return lines.joined(separator: "\n")
    }

    private static func prefix(_ place: Diagnostic.Place) -> String {
        switch place {
        case .nowhere: ""
        case .file(let file): "\(file): "
        case .source(let place): "\(place.file):\(place.line):\(place.column): "
        case .record(let place):
            if let line = place.line {
                "\(place.source):\(line):\(place.column ?? 1): "
            } else {
                "\(place.source): "
            }
        }
    }

    private static func inside(_ place: Diagnostic.Place) -> String? {
        switch place {
        case .nowhere, .file: return nil
        case .source(let place): return place.keyPath.isEmpty ? nil : place.keyPath
        case .record(let place):
            var parts: [String] = []
            if let record = place.record { parts.append("record \(record)") }
            if let field = place.field { parts.append("field '\(field)'") }
            if let byte = place.byteOffset { parts.append("byte \(byte)") }
            return parts.isEmpty ? nil : parts.joined(separator: ", ")
        }
    }
}
