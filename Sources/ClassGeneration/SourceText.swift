/// Swift as the house's formatter leaves it: four spaces, a hundred columns.
struct SourceText {
    private(set) var text = ""
    let access: ClassGenerator.Access

    private static let columns = 100

    /// Some line is longer than it should be.
    var hasLongLine: Bool {
        text.split(separator: "\n").contains { $0.count > Self.columns }
    }

    init(access: ClassGenerator.Access) {
        self.access = access
    }

    /// The access modifier with a space behind it; nothing for `internal`.
    var prefix: String { access == .internal ? "" : "\(access.rawValue) " }

    mutating func line(_ line: String = "") {
        text += line + "\n"
    }

    /// Import lines, which are as visible as what uses them.
    mutating func imports(_ modules: Set<String>) {
        for module in modules.sorted() { line("\(prefix)import \(module)") }
    }

    /// A call that goes into one line, or has its arguments on a second one.
    mutating func call(_ indent: Int, _ head: String, _ arguments: String) {
        let whole = Self.spaces(indent) + head + arguments + ")"
        if whole.count <= Self.columns {
            line(whole)
        } else {
            line(Self.spaces(indent) + head)
            line(Self.spaces(indent + 4) + arguments + ")")
        }
    }

    /// An assignment that goes into one line, or has its value on a second one.
    mutating func assignment(_ indent: Int, _ place: String, _ value: String) {
        let whole = Self.spaces(indent) + "\(place) = \(value)"
        if whole.count <= Self.columns {
            line(whole)
        } else {
            line(Self.spaces(indent) + "\(place) =")
            line(Self.spaces(indent + 4) + value)
        }
    }

    /// A body of one expression, in the head's line if it fits.
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
