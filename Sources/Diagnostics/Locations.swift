package import Files

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
    /// The file as messages show it, or `-` for standard input.
    package var source: String
    /// The file itself, by which inputs are told apart.
    package let file: FileName
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
        self.init(
            text: source, file: FileName(source), record, byteOffset, line, column, field)
    }

    /// A place in a file that is known by its name.
    package init(
        file: FileName, record: Int? = nil, byteOffset: Int? = nil, line: Int? = nil,
        column: Int? = nil, field: String? = nil
    ) {
        self.init(text: file.displayText, file: file, record, byteOffset, line, column, field)
    }

    private init(
        text: String, file: FileName, _ record: Int?, _ byteOffset: Int?, _ line: Int?,
        _ column: Int?, _ field: String?
    ) {
        source = text
        self.file = file
        self.record = record
        self.byteOffset = byteOffset
        self.line = line
        self.column = column
        self.field = field
    }
}
