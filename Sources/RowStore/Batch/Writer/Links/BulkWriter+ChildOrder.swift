import SQLite

/// Assigns positions to rows in the ordered to-many relationships of their owners.
extension BulkWriter {
    /// Gives a row that is new to its owners positions after their other objects.
    ///
    /// - Parameter found: The current row; `nil` for a new row.
    func takePlaces(_ found: Statement?) throws(StoreError) {
        for column in plan.orderColumns {
            guard case .linkOrder(let link) = plan.columns[column].source,
                let key = plan.links[link].keyColumn, row.cells[column].kind != .absent
            else { continue }
            if let found {
                guard !keepsOrder(column, found) else { continue }
                // The previous owner may then have another last object.
                let left = found.integer(statements.firstColumn + Int32(key))
                lastPlaces[column]?[left] = nil
            }
            guard row.cells[key].kind == .integer else { continue }
            row.cells[column] = .integer(try nextPlace(column, of: key))
        }
    }

    private func nextPlace(_ column: Int, of key: Int) throws(StoreError) -> Int64 {
        // One of the pending rows may be rejected, which frees its position.
        try flushRows()
        let owner = row.cells[key].integerValue
        let order = plan.columns[column].name
        let last: Int64
        if let known = lastPlaces[column]?[owner] {
            last = known
        } else {
            let select = try session.connection.cached(
                "SELECT max(\(order)) FROM \(plan.entity.table)"
                    + " WHERE \(plan.columns[key].name) = ?")
            row.cells[key].bind(to: select, at: 1)
            last = try select.onlyInteger()
        }
        let next: Int64
        if let following = OrderPositions.next(after: last) {
            next = following
        } else {
            walk?.close()
            let positions = OrderPositions(
                in: plan.entity.table, owner: plan.columns[key].name, object: "Z_PK",
                order: order, on: session.connection)
            next = OrderPositions.position(at: try positions.renumber(owner))
        }
        if remembersPlaces { lastPlaces[column, default: LastOrders()][owner] = next }
        return next
    }
}
