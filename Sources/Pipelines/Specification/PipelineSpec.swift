import Diagnostics

/// The typed contents of a spec file, with every default filled in.
///
/// Names of entities and attributes are not checked against a model here: the model may be stored
/// in the store. `SpecificationChecker` checks them when the model is known.
package struct PipelineSpec: Sendable, Hashable {
    /// The path of the spec file as the user wrote it.
    package var file: String
    /// The name of the spec in its state, rejects, and reports.
    package var name: String
    /// The parameters in the order of the file.
    package var parameters: [ParameterSpec] = []
    /// The store that stages work on.
    package var store: StoreSpec
    /// The limits on the work between two saves, and on memory and time.
    package var budget = BudgetSpec()
    /// The folder of rejected records and the limits on their number.
    package var rejects = RejectsSpec()
    /// The settings of reports.
    package var report = ReportSpec()
    /// The command that runs if a run exits with a code other than 0.
    package var onFailure: CommandSpec?
    /// The stages in the order in which they run.
    package var stages: [Stage] = []
    /// The tests of the spec.
    package var tests: [SpecificationTest] = []

    /// The base folder of relative paths in the spec.
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

    /// Returns the default name of a spec: the file's name without its extension.
    static func name(fromFile file: String) -> String {
        let last = PathText.lastComponent(file)
        let stem = last.unicodeScalars.split(separator: ".").first.map { String($0) } ?? ""
        let name = slug(stem)
        return name.isEmpty ? "pipeline" : String(name.prefix(64))
    }

    /// Returns lowercase letters and digits, with one hyphen for each sequence of other characters.
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
