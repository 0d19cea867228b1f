import GraphModel
import RecordStreams

/// Texts of a table that are read as null.
enum NullMarkers {
    /// One null text in a column.
    struct Use {
        var text: String
        var column: String
        var count: Int
        /// The file and line of the first occurrence.
        var place: String
    }

    /// Decides which of the texts mean null in a table, and counts the others as texts.
    ///
    /// An ambiguous text means null only if every column that has it holds no other texts.
    static func resolve(_ columns: [FieldNode]) {
        let found = NullText.all.indices.filter { place in
            let own = columns.filter { $0.facts.markers[place] != nil }
            return !own.isEmpty
                && (NullText.isSure(place)
                    || own.allSatisfy { column in
                        column.facts.count == 0
                            || column.facts.guess(named: column.text, isKey: true).type != .string
                    })
        }
        for column in columns {
            column.takeMarkers { !found.contains($0) }
        }
    }
}

extension FieldNode {
    /// The texts of the column that mean null.
    var nulls: [NullMarkers.Use] {
        facts.markers.sorted { $0.key < $1.key }.map { place, marker in
            NullMarkers.Use(
                text: NullText.all[place], column: text, count: marker.count, place: marker.place)
        }
    }
}
