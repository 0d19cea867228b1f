import Diagnostics
import GraphModel

/// An invalid argument of a query; the process exits with 64.
struct QueryMistake: Error {
    /// The arguments, as named on the command line.
    enum Argument: String {
        case entity = "ENTITY"
        case predicate = "--where"
        case order = "--sort"
        case fields = "--fields"
        case set = "--set"
        case entityFlag = "--entity"
        case since = "--since"
        case before = "--before"
        case place = "--place"
    }

    let diagnostic: Diagnostic

    init(
        _ argument: Argument, code: String, _ message: String, fix: String? = nil,
        excerpt: String? = nil
    ) {
        diagnostic = Diagnostic(
            code: code, message, at: .file(argument.rawValue), fix: fix, excerpt: excerpt)
    }

    init(_ argument: Argument, _ error: GraphPredicateError) {
        self.init(
            argument, code: error.code.rawValue, error.message,
            fix: error.code == .variable ? "give it one by `--set name=value`" : error.fix,
            excerpt: error.excerpt)
    }

    /// Creates an error that marks a byte position in a one-line text.
    init(
        _ argument: Argument, _ problem: PropertyPathCheck.Problem, in text: String, at offset: Int
    ) {
        let before = String(decoding: text.utf8.prefix(offset), as: UTF8.self)
        let indent = String(repeating: " ", count: DisplayWidth.columns(before))
        self.init(
            argument, code: "query.\(problem.code)", problem.message, fix: problem.fix,
            excerpt: "\(text)\n\(indent)^")
    }
}
