package import Diagnostics

/// Collects what is wrong with one file while it is read.
///
/// A class, because every value and mapping of one reading reports to the same list.
package final class YAMLProblems {
    /// The file, as the user named it.
    package let file: String
    /// The first part of the codes of the reading layer, `spec` in `spec.unknown-key`.
    package let area: String
    /// What was found so far, in the order of finding.
    package private(set) var diagnostics: [Diagnostic] = []

    /// Starts an empty list.
    package init(file: String, area: String) {
        self.file = file
        self.area = area
    }

    /// Everything found, in the order of the file.
    package var sorted: [Diagnostic] { DiagnosticList(diagnostics).diagnostics }

    /// Whether something was found that forbids going on.
    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    /// Takes back a problem that another one explains.
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
