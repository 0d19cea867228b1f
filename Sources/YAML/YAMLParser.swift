package import Diagnostics
import Files

/// A parser of one YAML document into a tree of nodes with their positions.
///
/// ```yaml
/// stages:            # YAMLNode.mapping, mark 1:1; key "stages" at 1:1
///   - import: *src   # the alias's nodes, mark where the alias stands
/// ```
///
/// Duplicate keys, custom tags, and merge keys are all reported, and the parse continues. A syntax
/// error, a second document, or an exceeded limit ends the parse without a tree. An alias shares
/// the nodes of its anchor, so memory is bounded by the size of the file and not of the expansion.
/// The expanded size is still counted and limited.
package enum YAMLParser {
    /// Returns the tree, unless the parse ended early, and all problems in the order of the file.
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

    /// Returns the tree and the problems of a string, for tests and libraries.
    package static func parse(
        _ text: String, file: String = "text", limits: YAMLLimits = YAMLLimits()
    ) -> (root: YAMLNode?, diagnostics: [Diagnostic]) {
        parse(Array(text.utf8), file: file, limits: limits)
    }

    /// Reads and parses a file; an unreadable file is reported as a problem.
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
