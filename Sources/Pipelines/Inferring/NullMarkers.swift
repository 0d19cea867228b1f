import GraphModel

/// Texts of tables that stand for no value.
enum NullMarkers {
    /// Those that mean nothing else; a column of texts may hold them, too.
    private static let sure = ["\\N", "NULL", "N/A", "#N/A", "(null)"]
    /// Those that may also be values: of Namibia, or of somebody who is called so.
    private static let doubtful = ["null", "n/a", "NA", "None", "NaN", "nan", "-", "--"]

    static let all = sure + doubtful
    private static let bytes = all.map { Array($0.utf8) }
    private static let bytesMax = bytes.map(\.count).max() ?? 0

    /// The place of a text among them.
    static func place(of text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard text.count <= bytesMax else { return nil }
        return bytes.firstIndex { $0.elementsEqual(text) }
    }

    static func isSure(_ place: Int) -> Bool { place < sure.count }

    /// Those that stand for no value in a table; in its columns the others become texts.
    ///
    /// A doubtful one must not stand in a column that holds texts anyway.
    static func settle(_ columns: [FieldNode]) -> [String] {
        var found: [String] = []
        for place in all.indices {
            let own = columns.filter { $0.facts.markers[place] != nil }
            guard !own.isEmpty else { continue }
            let isAlone = own.allSatisfy { column in
                column.facts.count == 0
                    || column.facts.guess(named: column.text, isKey: true).type != .string
            }
            if isSure(place) || isAlone { found.append(all[place]) }
        }
        for column in columns {
            column.takeMarkers { !found.contains(all[$0]) }
        }
        return found
    }
}
