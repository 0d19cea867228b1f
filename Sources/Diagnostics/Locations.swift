package import Files

/// A location in a file that a person wrote: a spec or a model.
package struct SourceLocation: Sendable, Hashable {
    /// The path of the file as messages show it, or a name for text without a file.
    package var file: String
    /// The line, counted from 1.
    package var line: Int
    /// The column, counted from 1 in Unicode scalars.
    package var column: Int
    /// The path of keys to this location, such as `stages[1].set.title`.
    package var keyPath: String

    /// Creates a location in a file, optionally with its path of keys.
    package init(file: String, line: Int, column: Int, keyPath: String = "") {
        self.file = file
        self.line = line
        self.column = column
        self.keyPath = keyPath
    }
}

/// A location in the data: an input, a record, and the position within it.
package struct RecordLocation: Sendable, Hashable {
    /// The file name as messages show it, or `-` for standard input.
    package var source: String
    /// The path of the input, by which inputs that messages show alike are distinguished.
    package let file: FileName
    /// The record number, counted from 1.
    package var record: Int?
    /// The offset in the decompressed bytes, counted from 0.
    package var byteOffset: Int?
    /// The line, counted from 1.
    package var line: Int?
    /// The column, counted from 1 in bytes.
    package var column: Int?
    /// The name of the field; `nil` if the location is not in one field.
    package var field: String?

    /// Creates a location in an input with this name, or `-` for standard input.
    package init(
        source: String, record: Int? = nil, byteOffset: Int? = nil, line: Int? = nil,
        column: Int? = nil, field: String? = nil
    ) {
        self.init(
            text: source, file: FileName(source), record, byteOffset, line, column, field)
    }

    /// Creates a location in a file.
    package init(
        file: FileName, record: Int? = nil, byteOffset: Int? = nil, line: Int? = nil,
        column: Int? = nil, field: String? = nil
    ) {
        self.init(text: file.displayText, file: file, record, byteOffset, line, column, field)
    }

    /// Returns the location after the given bytes, which begin at this location.
    package func advanced(over bytes: some BidirectionalCollection<UInt8>) -> RecordLocation {
        var place = self
        place.byteOffset? += bytes.count
        let lines = bytes.count { $0 == UInt8(ascii: "\n") }
        guard lines > 0 else {
            place.column? += bytes.count
            return place
        }
        place.line? += lines
        place.column = bytes.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
        return place
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
