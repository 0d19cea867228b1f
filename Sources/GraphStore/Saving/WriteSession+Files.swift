import GraphModel
import SQLite

extension WriteSession {
    /// Notes the files of large values of rows that are to be deleted; they go after the commit.
    ///
    /// - Parameters:
    ///   - root: the hierarchy.
    ///   - keys: SQL that gives the rows' keys.
    func releaseFiles(
        of root: StoreLayout.Entity, rows keys: String
    ) throws(StoreError) {
        var columns: Set<String> = []
        for number in root.familyNumbers {
            for (_, place) in schema.entity(number: number)?.attributes ?? [:]
            where place.attribute.allowsExternalBinaryDataStorage { columns.insert(place.column) }
        }
        for column in columns.sorted() {
            let rows = try connection.prepare(
                "SELECT \(column) FROM \(root.table) WHERE substr(\(column), 1, 1) = x'02'"
                    + " AND Z_PK IN (\(keys))")
            while try rows.step() {
                if let name = ExternalFiles.fileName(rows.value(0)) { filesReleased.append(name) }
            }
        }
    }
}
