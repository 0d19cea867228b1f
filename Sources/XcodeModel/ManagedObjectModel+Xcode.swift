internal import Diagnostics
public import GraphModel

extension ManagedObjectModel {
    /// Reads a model that Xcode wrote.
    ///
    /// - Parameter path: a bundle `….xcdatamodeld`, whose current version is read, a version
    ///   `….xcdatamodel`, or a `contents` file.
    /// - Throws: `ModelFileError` with every problem of the file; warnings alone do not throw.
    public init(xcodeModel path: String) throws(ModelFileError) {
        let (model, diagnostics) = XcodeModelFile.read(path)
        guard let model else { throw ModelFileError(diagnostics) }
        self = model
    }

    /// Every version of a bundle, by its name, in the order of the names' numbers.
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

    /// Writes the model as Xcode does, and returns what such a file cannot say.
    ///
    /// - Parameter path: `….xcdatamodeld`, `….xcdatamodel`, or the path of a `contents` file.
    /// - Throws: `ModelFileError` where a file cannot be written.
    public func writeXcodeModel(to path: String) throws(ModelFileError) -> [String] {
        do throws(Diagnostic) {
            return try XcodeModelFile.write(self, to: path).map(DiagnosticRenderer.text)
        } catch {
            throw ModelFileError([error])
        }
    }
}
