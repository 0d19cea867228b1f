internal import Diagnostics
public import GraphModel

extension ManagedObjectModel {
    /// Reads a model in Xcode's format.
    ///
    /// - Parameter path: a bundle `….xcdatamodeld`, whose current version is read, a version
    ///   `….xcdatamodel`, or a `contents` file.
    /// - Throws: `ModelFileError` with every problem of the file; warnings alone do not throw.
    public init(xcodeModel path: String) throws(ModelFileError) {
        let (model, diagnostics) = XcodeModelFile.read(path)
        guard let model else { throw ModelFileError(diagnostics) }
        self = model
    }

    /// Returns every version of a bundle with its name, sorted by the numbers in the names.
    ///
    /// - Throws: `ModelFileError` with the problems of the first version that cannot be read.
    public static func versions(
        ofXcodeModel path: String
    ) throws(ModelFileError) -> [(name: String, model: ManagedObjectModel)] {
        let bundle: XcodeModelBundle
        do throws(Diagnostic) {
            bundle = try XcodeModelBundle.open(path)
        } catch {
            throw ModelFileError([error])
        }
        var versions: [(name: String, model: ManagedObjectModel)] = []
        for name in bundle.versions {
            let (model, diagnostics) = XcodeModelFile.read(bundle.contentsPath(of: name))
            guard let model else { throw ModelFileError(diagnostics) }
            versions.append((name, model))
        }
        return versions
    }

    /// Writes the model in Xcode's format, and returns a message for each part that the format
    /// cannot express.
    ///
    /// - Parameter path: `….xcdatamodeld`, `….xcdatamodel`, or the path of a `contents` file.
    /// - Throws: `ModelFileError` if a file cannot be written.
    public func writeXcodeModel(to path: String) throws(ModelFileError) -> [String] {
        do throws(Diagnostic) {
            return try XcodeModelFile.write(self, to: path).map(DiagnosticRenderer.text)
        } catch {
            throw ModelFileError([error])
        }
    }
}
