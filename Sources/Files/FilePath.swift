/// What names a file in a call: a `FileName`, or the text of a spec, a command line, or a store.
package protocol FilePath {
    /// The bytes that the system gets.
    var fileName: FileName { get }
}

extension FileName: FilePath {
    /// Itself.
    package var fileName: FileName { self }
}

extension String: FilePath {
    /// The text's UTF-8 bytes.
    package var fileName: FileName { FileName(self) }
}
