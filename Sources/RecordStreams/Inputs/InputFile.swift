package import Files
package import Processes

/// One file to read, as a pattern named it.
package struct InputFile: Sendable, Hashable {
    /// The path by which it is opened, or `-` for standard input.
    package let path: FileName
    /// The size in bytes as stored, that is compressed; 0 where it is not known.
    package let byteCount: Int
    /// Whether its bytes come but once: those of a pipe, a device or a socket, which nobody can read
    /// again from the beginning.
    package let isStream: Bool

    /// Rows that are made here, where there is no file; nil elsewhere.
    package let generatedRows: Int?
    /// The command whose output it is; nil elsewhere, and of one that is only named.
    package let command: Command?

    package init(path: FileName, byteCount: Int, isStream: Bool = false) {
        self.path = path
        self.byteCount = byteCount
        self.isStream = isStream
        generatedRows = nil
        command = nil
    }

    /// What a command writes, which comes but once.
    package init(command: Command) {
        path = Self.path(of: command)
        byteCount = 0
        isStream = true
        generatedRows = nil
        self.command = command
    }

    /// What stands in the place of a path for a command.
    package static func path(of command: Command) -> FileName {
        InputName.commandPrefix.adding(command.text)
    }

    /// So many records `{"row":0}`, `{"row":1}`, … without a file.
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

    /// The file as messages name it.
    package var name: String { Self.name(of: path) }

    /// An input of that path as messages name it.
    package static func name(of path: FileName) -> String {
        if path == standardInput.path { return "standard input" }
        guard InputName.isCommand(path) else { return path.displayText }
        return "the command `\(path.displayText.dropFirst(InputName.commandPrefix.bytes.count))`"
    }

    /// Whether the name claims that the file is compressed.
    var hasGzipName: Bool { !InputName.isCommand(path) && path.lowercasedASCII.hasSuffix(".gz") }

    /// The format that the name tells; a command's last word is no name of what it writes.
    var formatOfName: RecordFormat? {
        InputName.isCommand(path) ? nil : RecordFormat(fileName: path)
    }
}
