/// Unique column names for a table whose header has repeated or missing names.
///
/// ```
/// id,,name,name   →   id, column2, name, name2
/// ```
struct HeaderNames {
    /// The name of each column.
    private(set) var names: [String]
    /// The names that occur more than once in the header.
    private(set) var repeated: [String] = []
    /// The indices of the columns without a name.
    private(set) var nameless: Set<Int> = []

    /// Creates unique names for the columns of a header.
    ///
    /// - Parameter header: The names in the header.
    /// - Returns: `nil` if each name is already unique and not empty.
    init?(_ header: [String]) {
        names = header
        var taken = TakenNames()
        // Compares names as bytes, because `String` treats canonically equivalent names as equal.
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

    /// Returns the names of columns without a header.
    static func numbered(_ count: Int) -> [String] { (0..<count).map { "column\($0 + 1)" } }
}
