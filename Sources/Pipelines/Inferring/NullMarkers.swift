import GraphModel
import RecordStreams

/// Texts of a table that are taken for no value.
enum NullMarkers {
    /// One of them in a column.
    struct Use {
        var text: String
        var column: String
        var count: Int
        /// Where it stands first.
        var place: String
    }

    /// Decides which of the texts stand for no value in a table; in its columns the others become
    /// texts.
    ///
    /// A doubtful one must not stand in a column that holds texts anyway.
    static func settle(_ columns: [FieldNode]) {
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
    /// The texts that stand for no value.
    var nulls: [NullMarkers.Use] {
        facts.markers.sorted { $0.key < $1.key }.map { place, marker in
            NullMarkers.Use(
                text: NullText.all[place], column: text, count: marker.count, place: marker.place)
        }
    }
}
