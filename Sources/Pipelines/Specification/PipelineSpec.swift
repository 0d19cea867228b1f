import Diagnostics

/// What a spec file says, typed, with every default filled in.
///
/// Names of entities and attributes are not checked against a model here: the model may be the
/// store's own. `SpecificationChecker` does that once the model is known.
package struct PipelineSpec: Sendable, Hashable {
    /// The spec file, as the user named it.
    package var file: String
    /// Names state, rejects and reports.
    package var name: String
    /// The parameters in the order of the file.
    package var parameters: [ParameterSpec] = []
    /// The store that stages work on.
    package var store: StoreSpec
    /// What a run may hold before it saves.
    package var budget = BudgetSpec()
    /// Where bad records go and how many there may be.
    package var rejects = RejectsSpec()
    /// Where the reports of runs go.
    package var report = ReportSpec()
    /// What is started when a run has ended with another code than 0.
    package var onFailure: CommandSpec?
    /// The stages in the order in which they run.
    package var stages: [Stage] = []
    /// What the spec shows about itself.
    package var tests: [SpecificationTest] = []

    /// The folder at which relative paths of the spec start.
    package var folder: String { PathText.folder(of: file) }
}

extension PipelineSpec {
    static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                ("a"..."z").contains(Unicode.Scalar($0)) || ("0"..."9").contains(Unicode.Scalar($0))
                    || $0 == UInt8(ascii: "-")
            }
    }

    /// The name of a spec that gives none: the file's, without its extension.
    static func name(fromFile file: String) -> String {
        let last = PathText.lastComponent(file)
        let stem = last.unicodeScalars.split(separator: ".").first.map { String($0) } ?? ""
        let name = slug(stem)
        return name.isEmpty ? "pipeline" : String(name.prefix(64))
    }

    /// Lower-case letters, digits, and one hyphen for each run of anything else.
    static func slug(_ text: String) -> String {
        var slug = ""
        for scalar in text.lowercased().unicodeScalars {
            if ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) {
                slug.unicodeScalars.append(scalar)
            } else if !slug.isEmpty, !slug.hasSuffix("-") {
                slug.append("-")
            }
        }
        while slug.hasSuffix("-") { slug.removeLast() }
        return slug
    }
}
