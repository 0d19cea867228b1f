package import Files
package import Processes

/// One file to read, found by a pattern.
package struct InputFile: Sendable, Hashable {
    /// The path to open, or `-` for standard input.
    package let path: FileName
    /// The size in bytes as stored (compressed); 0 if it is not known.
    package let byteCount: Int
    /// Whether the bytes can be read only once, as with a pipe, a device, or a socket.
    package let isStream: Bool

    /// The number of generated rows; `nil` if this is not a generated input.
    package let generatedRows: Int?
    /// The command whose output is this input.
    ///
    /// It is `nil` for other inputs, and for a command of which only the name is known.
    package let command: Command?

    /// Creates the input for a file or stream; its size in bytes is 0 if it is not known.
    package init(path: FileName, byteCount: Int, isStream: Bool = false) {
        self.path = path
        self.byteCount = byteCount
        self.isStream = isStream
        generatedRows = nil
        command = nil
    }

    /// Creates the input for the output of a command, which can be read only once.
    package init(command: Command) {
        path = Self.path(of: command)
        byteCount = 0
        isStream = true
        generatedRows = nil
        self.command = command
    }

    /// Returns the name that replaces a path for a command.
    package static func path(of command: Command) -> FileName {
        InputName.commandPrefix.adding(command.text)
    }

    /// Creates an input of `rows` records `{"row":0}`, `{"row":1}`, … without a file.
    package init(generating rows: Int) {
        path = InputName.generatedPrefix.adding("\(rows)")
        generatedRows = rows
        command = nil
        isStream = false
        byteCount = GeneratedRows.byteCount(rows)
    }

    /// Standard input.
    package static let standardInput = InputFile(path: "-", byteCount: 0, isStream: true)

    /// Whether this is standard input.
    package var isStandardInput: Bool { path == "-" }

    /// The name of the file in messages.
    package var name: String { Self.name(of: path) }

    /// Returns the name of an input with this path in messages.
    package static func name(of path: FileName) -> String {
        if path == standardInput.path { return "standard input" }
        guard InputName.isCommand(path) else { return path.displayText }
        return "the command `\(path.displayText.dropFirst(InputName.commandPrefix.bytes.count))`"
    }

    /// Whether the name indicates a gzip file.
    var hasGzipName: Bool { !InputName.isCommand(path) && path.lowercasedASCII.hasSuffix(".gz") }

    /// The format that the name indicates; `nil` for a command, whose last word does not name its
    /// output.
    var formatOfName: RecordFormat? {
        InputName.isCommand(path) ? nil : RecordFormat(fileName: path)
    }
}
