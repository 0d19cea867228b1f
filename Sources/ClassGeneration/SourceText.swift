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
        let whole = Self.spaces(indent) + head + arguments + ")"
        if whole.count <= Self.columns {
            line(whole)
        } else {
            line(Self.spaces(indent) + head)
            line(Self.spaces(indent + 4) + arguments + ")")
        }
    }

    /// Appends an assignment on one line, or with its value on a second line.
    mutating func assignment(_ indent: Int, _ place: String, _ value: String) {
        let whole = Self.spaces(indent) + "\(place) = \(value)"
        if whole.count <= Self.columns {
            line(whole)
        } else {
            line(Self.spaces(indent) + "\(place) =")
            line(Self.spaces(indent + 4) + value)
        }
    }

    /// Appends a body of one expression, on the same line if it fits.
    mutating func body(_ indent: Int, _ head: String, _ expression: String) {
        let whole = Self.spaces(indent) + "\(head) { \(expression) }"
        if whole.count <= Self.columns {
            line(whole)
        } else {
            line(Self.spaces(indent) + "\(head) {")
            line(Self.spaces(indent + 4) + expression)
            line(Self.spaces(indent) + "}")
        }
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
