public import FoundationEssentials
package import Diagnostics

/// Everything that is wrong with a model file or a mapping file, as text for people.
public struct ModelFileError: Error, Sendable, CustomStringConvertible {
    /// Every problem with its place and how to mend it, warnings included.
    public let description: String
    /// The same as data.
    package let diagnostics: [Diagnostic]

    package init(_ diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics
        description = diagnostics.map(DiagnosticRenderer.text).joined(separator: "\n")
    }
}

extension ManagedObjectModel {
    /// Reads a model from a YAML file.
    ///
    /// - Throws: `ModelFileError` with every problem of the file; warnings alone do not throw.
    public init(yamlFile path: String) throws(ModelFileError) {
        self = try Self.unwrap(ModelFile.read(file: path))
    }

    /// Reads a model from YAML text.
    ///
    /// - Parameters:
    ///   - text: the model, in YAML.
    ///   - name: what messages call the text.
    /// - Throws: `ModelFileError` with every problem of the text; warnings alone do not throw.
    public init(yaml text: String, name: String = "model") throws(ModelFileError) {
        self = try Self.unwrap(ModelFile.read(text: text, file: name))
    }

    private static func unwrap(
        _ result: (model: ManagedObjectModel?, diagnostics: [Diagnostic])
    ) throws(ModelFileError) -> ManagedObjectModel {
        guard let model = result.model else { throw ModelFileError(result.diagnostics) }
        return model
    }
}

extension ModelFileError: LocalizedError {
    /// What the command prints of it, too.
    public var errorDescription: String? { description }
}
