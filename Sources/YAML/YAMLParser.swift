package import Diagnostics
import Files

/// Reads one YAML document into a tree of nodes, each with its place.
///
/// ```yaml
/// stages:            # YAMLNode.mapping, mark 1:1; key "stages" at 1:1
///   - import: *src   # the alias's nodes, mark where the alias stands
/// ```
///
/// Duplicate keys, custom tags and merge keys are reported, all of them, and reading goes on;
/// a syntax error, a second document or a limit ends the parse, and then there is no tree. An
/// alias shares the nodes of its anchor, so memory is bounded by the file and not by what it
/// expands to; the expanded size is counted and limited all the same.
package enum YAMLParser {
    /// The tree, unless the parse ended early, and every problem in the order of the file.
    package static func parse(
        _ bytes: [UInt8], file: String, limits: YAMLLimits = YAMLLimits()
    ) -> (root: YAMLNode?, diagnostics: [Diagnostic]) {
        let problems = YAMLProblems(file: file, area: "yaml")
        guard bytes.count <= limits.bytesMax else {
            problems.report(
                "yaml.too-large", "The file is larger than \(limits.bytesMax) bytes",
                at: .file(file))
            return (nil, problems.sorted)
        }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        if let offset = YAMLText.invalidOffset(text) {
            let mark = YAMLText.mark(after: text[text.startIndex..<offset])
            problems.report(
                "yaml.encoding", "The file is not UTF-8 text",
                at: .source(SourceLocation(file: file, line: mark.line, column: mark.column)))
            return (nil, problems.sorted)
        }
        var builder = YAMLTreeBuilder(YAMLEventSource(text), problems, limits)
        let root = builder.document()
        return (root, problems.sorted)
    }

    /// The tree of a text that is at hand, as tests and libraries have it.
    package static func parse(
        _ text: String, file: String = "text", limits: YAMLLimits = YAMLLimits()
    ) -> (root: YAMLNode?, diagnostics: [Diagnostic]) {
        parse(Array(text.utf8), file: file, limits: limits)
    }

    /// Reads and parses a file; one that cannot be read is a problem like any other.
    package static func parse(
        file: String, limits: YAMLLimits = YAMLLimits()
    ) -> (root: YAMLNode?, diagnostics: [Diagnostic]) {
        do throws(SystemFault) {
            let bytes = try FileSystem.contents(file, first: limits.bytesMax + 1)
            return parse(bytes, file: file, limits: limits)
        } catch {
            return (nil, [error.diagnostic(reading: file)])
        }
    }
}
