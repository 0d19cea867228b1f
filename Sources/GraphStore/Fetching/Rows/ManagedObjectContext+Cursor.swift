extension ManagedObjectContext {
    /// Opens a cursor over saved rows.
    package func cursor(_ request: RowRequest) throws -> RowCursor {
        let cursor = try RowCursor(
            request, in: container.schema, files: container.externalFiles
        ) { () throws(StoreError) in try container.newReader() }
        cursor.watch(interruptFlag)
        return cursor
    }
}
