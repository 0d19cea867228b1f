import Diagnostics
import Files

/// A check of the command line that rejects arguments that are not UTF-8.
///
/// As a `String`, such an argument would name another file.
enum ArgumentEncoding {
    /// The error for the first argument that is not UTF-8; `nil` if all arguments are.
    static var problem: Diagnostic? {
        for case (let place, let pointer?) in arguments.enumerated().dropFirst() {
            let argument = FileName(cString: pointer)
            guard argument.exactText == nil else { continue }
            return Diagnostic(
                code: "usage.encoding",
                "Argument \(place), '\(argument.displayText)', is not UTF-8",
                fix: "rename the file, or name it by a pattern in the spec, such as caf?.csv")
        }
        return nil
    }

    private static var arguments: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?> {
        UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    }
}
