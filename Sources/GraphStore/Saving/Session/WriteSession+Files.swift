import GraphModel
import SQLite

extension WriteSession {
    /// Records the external files of rows that will be deleted; the files are removed after the
    /// commit.
    ///
    /// - Parameters:
    ///   - root: The root entity of the hierarchy.
    ///   - keys: A SQL query that returns the rows' keys.
    func releaseFiles(
        of root: StoreLayout.Entity, rows keys: String
    ) throws(StoreError) {
        var columns: Set<String> = []
        for number in root.familyNumbers {
            for (_, place) in schema.entity(number: number)?.attributes ?? [:]
            where place.attribute.allowsExternalBinaryDataStorage { columns.insert(place.column) }
        }
        for column in columns.sorted() {
            filesReleased += try ExternalFiles.names(
                in: column, of: root.table, where: ["Z_PK IN (\(keys))"], on: connection)
        }
    }
}
