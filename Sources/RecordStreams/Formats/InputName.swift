package import Files

/// The names of inputs that are not files, used where other inputs have a path.
package enum InputName {
    /// The prefix of the name of a command's output.
    package static let commandPrefix: FileName = "command:"

    /// The prefix of the name of generated records.
    package static let generatedPrefix: FileName = "generate:"

    /// Returns whether the name is that of a command's input or output.
    package static func isCommand(_ name: FileName) -> Bool { name.hasPrefix(commandPrefix) }
}
