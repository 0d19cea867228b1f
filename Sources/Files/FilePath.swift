/// A value that names a file: a `FileName`, or a string from a spec, a command line, or a store.
package protocol FilePath {
    /// The bytes that are passed to the system.
    var fileName: FileName { get }
}

extension FileName: FilePath {
    /// This name, unchanged; strings are converted.
    package var fileName: FileName { self }
}

extension String: FilePath {
    /// A name with the UTF-8 bytes of the string.
    package var fileName: FileName { FileName(self) }
}
