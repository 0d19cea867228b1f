/// The names of a table's columns, if its header does not give each of them one of its own.
///
/// ```
/// id,,name,name   →   id, column2, name, name2
/// ```
struct HeaderNames {
    /// A name for each column.
    private(set) var names: [String]
    /// The names that the header has more than once.
    private(set) var repeated: [String] = []
    /// The places of the columns without a name.
    private(set) var nameless: Set<Int> = []

    /// - Parameter header: the names as the header has them.
    /// - Returns: `nil` if each column has a name of its own.
    init?(_ header: [String]) {
        names = header
        var taken = TakenNames()
        // Names are compared as bytes: `String` would take canonically equal ones for the same.
        var seen: Set<[UInt8]> = []
        var again: [Int] = []
        for (column, name) in header.enumerated() {
            if name.isEmpty {
                nameless.insert(column)
            } else if seen.insert(Array(name.utf8)).inserted {
                _ = taken.claim(name)
            } else {
                again.append(column)
                if !repeated.contains(name) { repeated.append(name) }
            }
        }
        guard !again.isEmpty || !nameless.isEmpty else { return nil }
        for column in again { names[column] = taken.claim(header[column]) }
        for column in nameless.sorted() { names[column] = taken.claim("column\(column + 1)") }
    }

    /// The names of columns without a header.
    static func numbered(_ count: Int) -> [String] { (0..<count).map { "column\($0 + 1)" } }
}
