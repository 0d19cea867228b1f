package import Files

/// The names of inputs that are no files, which stand where others have a path.
package enum InputName {
    /// The beginning of the name of a command's output.
    package static let commandPrefix: FileName = "command:"

    /// The beginning of the name of generated records.
    package static let generatedPrefix: FileName = "generate:"

    /// Whether the name is that of a command's input or output.
    package static func isCommand(_ name: FileName) -> Bool { name.hasPrefix(commandPrefix) }
}
