/// A value that names a file: a `FileName`, or a string from a spec, a command line, or a store.
package protocol FilePath {
    /// The bytes that are passed to the system.
    var fileName: FileName { get }
}

extension FileName: FilePath {
    /// This name itself, because it needs no conversion.
    package var fileName: FileName { self }
}

extension String: FilePath {
    /// The name with the string's UTF-8 bytes.
    package var fileName: FileName { FileName(self) }
}
