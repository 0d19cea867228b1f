public import FoundationEssentials
package import Diagnostics

/// All problems of a model file or mapping file, as readable text.
public struct ModelFileError: Error, Sendable, CustomStringConvertible {
    /// Every problem, including warnings, with its location and a fix.
    public let description: String
    /// The same problems as data.
    package let diagnostics: [Diagnostic]

    /// Creates an error whose description contains the problems in this order.
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
    ///   - text: The model, in YAML.
    ///   - name: The name of the text in messages.
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
    /// The text that the command also prints.
    public var errorDescription: String? { description }
}
