/// Swift source in the format of this project: four spaces per level, 100 columns.
struct SourceText {
    private(set) var text = ""
    let access: ClassGenerator.Access

    private static let columns = 100

    /// Whether a line is longer than 100 columns.
    var hasLongLine: Bool {
        text.split(separator: "\n").contains { $0.count > Self.columns }
    }

    init(access: ClassGenerator.Access) {
        self.access = access
    }

    /// The access modifier with a trailing space; empty for `internal`.
    var prefix: String { access == .internal ? "" : "\(access.rawValue) " }

    mutating func line(_ line: String = "") {
        text += line + "\n"
    }

    /// Appends import lines with the access level of the generated code.
    mutating func imports(_ modules: Set<String>) {
        for module in modules.sorted() { line("\(prefix)import \(module)") }
    }

    /// Appends a call on one line, or with its arguments on a second line.
    mutating func call(_ indent: Int, _ head: String, _ arguments: String) {
        line(indent, head + arguments + ")", orLines: [head, "    \(arguments))"])
    }

    /// Appends an assignment on one line, or with its value on a second line.
    mutating func assignment(_ indent: Int, _ place: String, _ value: String) {
        line(indent, "\(place) = \(value)", orLines: ["\(place) =", "    \(value)"])
    }

    /// Appends a body of one expression, on the same line if it fits.
    mutating func body(_ indent: Int, _ head: String, _ expression: String) {
        line(
            indent, "\(head) { \(expression) }",
            orLines: ["\(head) {", "    \(expression)", "}"])
    }

    private mutating func line(_ indent: Int, _ whole: String, orLines parts: [String]) {
        let spaces = String(repeating: " ", count: indent)
        let fits = indent + whole.count <= Self.columns
        for part in fits ? [whole] : parts { line(spaces + part) }
    }
}
