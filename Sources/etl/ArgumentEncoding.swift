import Diagnostics
import Files

/// Refuses arguments that are not UTF-8: as text, they would name other files.
enum ArgumentEncoding {
    /// Nil if all arguments are UTF-8.
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
