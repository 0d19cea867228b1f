package import Diagnostics

/// The problems found in one file while it is read.
///
/// It is a class because all values and mappings of one file report to the same list.
package final class YAMLProblems {
    /// The file, as the user named it.
    package let file: String
    /// The first part of the problem codes, such as `spec` in `spec.unknown-key`.
    package let area: String
    /// The problems found so far, in the order of discovery.
    package private(set) var diagnostics: [Diagnostic] = []

    /// Creates an empty list.
    package init(file: String, area: String) {
        self.file = file
        self.area = area
    }

    /// All problems, in the order of the file.
    package var sorted: [Diagnostic] { DiagnosticList(diagnostics).diagnostics }

    /// Whether an error was found, so that the value read from the file must not be used.
    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    /// Removes a problem that another one explains.
    func withdraw(_ diagnostic: Diagnostic) {
        guard let index = diagnostics.lastIndex(of: diagnostic) else { return }
        diagnostics.remove(at: index)
    }

    /// Adds a problem.
    package func report(_ diagnostic: Diagnostic) {
        diagnostics.append(diagnostic)
    }

    /// Adds an error.
    package func report(
        _ code: String, _ message: String, at place: Diagnostic.Place, fix: String? = nil
    ) {
        report(Diagnostic(code: code, message, at: place, fix: fix))
    }
}
