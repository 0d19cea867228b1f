/// A place in a file that a person wrote: a spec or a model.
package struct SourceLocation: Sendable, Hashable {
    package var file: String
    /// From one.
    package var line: Int
    /// From one, in Unicode scalars.
    package var column: Int
    /// The keys that lead here, such as `stages[1].set.title`.
    package var keyPath: String

    package init(file: String, line: Int, column: Int, keyPath: String = "") {
        self.file = file
        self.line = line
        self.column = column
        self.keyPath = keyPath
    }
}

/// A place in the data: which record of which input, and where in it.
package struct RecordLocation: Sendable, Hashable {
    /// The file as the user named it, or `-` for standard input.
    package var source: String
    /// From one.
    package var record: Int?
    /// From zero, in the inflated bytes.
    package var byteOffset: Int?
    /// From one.
    package var line: Int?
    /// From one, in bytes.
    package var column: Int?
    package var field: String?

    package init(
        source: String, record: Int? = nil, byteOffset: Int? = nil, line: Int? = nil,
        column: Int? = nil, field: String? = nil
    ) {
        self.source = source
        self.record = record
        self.byteOffset = byteOffset
        self.line = line
        self.column = column
        self.field = field
    }
}
