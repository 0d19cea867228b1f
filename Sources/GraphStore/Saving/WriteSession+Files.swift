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
            filesReleased += try ExternalFiles.names(
                in: column, of: root.table, where: ["Z_PK IN (\(keys))"], on: connection)
        }
    }
}
