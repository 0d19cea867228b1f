import SQLite

/// Finds the other faults of a row that is already rejected.
///
/// A row is written in steps, and the first step that fails rejects it. Only then are the other
/// steps checked, so that valid rows cost nothing. Nothing is written. Unknown parts of a rejected
/// row are skipped: links whose target may still come, nested objects, and rules that read an
/// invalid value.
extension BulkWriter {
    /// The faults of a row, collected instead of rejecting the row again.
    struct FaultGathering {
        let token: Int64
        var others = FaultList()
    }

    /// Returns the faults that the store finds in a row that its reader has rejected.
    ///
    /// - Parameter refused: The cells that the reader has rejected; they are ignored.
    package func faults(
        of batch: RowBatch, _ place: Int, but refused: Set<Int>
    ) throws(StoreError) -> [BulkReject.Other] {
        try beginSession()
        defer { closeWalks() }
        return try gatherFaults(of: batch, place, token: -1, but: refused, told: []).shown
    }

    /// Adds the other faults of a rejected row to its reject.
    func noteOtherFaults(
        _ batch: RowBatch, _ place: Int, token: Int64
    ) throws(StoreError) {
        guard findsOtherFaults, let index = rejects.lastIndex(where: { $0.token == token }) else {
            return
        }
        let told = [rejects[index].firstFault] + rejects[index].otherFaults.listed
        let found = try gatherFaults(
            of: batch, place, token: token, but: [], told: Set(told.compactMap(\.property)))
        // Pending rows may have been rejected since then, so their rejects follow this one.
        guard let index = rejects.lastIndex(where: { $0.token == token }) else { return }
        rejects[index].otherFaults.add(found, besides: rejects[index].firstFault)
    }

    /// Runs the steps of writing a rejected row without writing, and returns the faults that they
    /// find.
    ///
    /// - Parameters:
    ///   - refused: The cells that the reader has already rejected; they are ignored.
    ///   - told: The properties for which the row is already rejected; they are not reported as
    ///     missing, too.
    private func gatherFaults(
        of batch: RowBatch, _ place: Int, token: Int64, but refused: Set<Int>, told: Set<String>
    ) throws(StoreError) -> FaultList {
        let (outer, likely) = (gathering, likelyRow)
        gathering = FaultGathering(token: token)
        likelyRow = 0
        defer {
            gathering = outer
            likelyRow = likely
            missedOfRow.removeAll(keepingCapacity: true)
        }
        try checkSteps(of: batch, place, token: token, but: refused, told: told)
        return gathering?.others ?? FaultList()
    }

    private func checkSteps(
        of batch: RowBatch, _ place: Int, token: Int64, but refused: Set<Int>, told: Set<String>
    ) throws(StoreError) {
        let unknown = try resolveWhatIsKnown(batch, place, token: token, but: refused)
        func isMissing(_ column: Int, _ kind: BulkCell.Kind) -> Bool {
            plan.columns[column].isRequired && row.cells[column].kind == kind
                && !unknown.contains(column) && !told.contains(plan.columns[column].property)
        }
        for column in plan.columns.indices where isMissing(column, .null) {
            let property = plan.columns[column].property
            reject(token, "required", property, "'\(property)' is required and null here")
        }
        // Only the key determines whether the row inserts a new object.
        guard plan.keyPlaces.allSatisfy({ !unknown.contains($0) && hasValue($0) }),
            let hash = keyHash(batch, place)
        else { return }
        switch try find(batch, place, hash: rowHash(hash)) {
        case .row(let found):
            checkRules(found: found, token: token, but: unknown)
            let key = found.integer(0)
            release(found)
            try checkConstraints(of: key, token: token, but: unknown)
        case .none where plan.plan.absent == .reject: rejectAbsent(batch, place, token: token)
        case .none:
            for column in plan.columns.indices
            where isMissing(column, .absent) && plan.columns[column].defaultValue == .null {
                rejectMissing(plan.columns[column].property, token: token)
            }
            if let property = plan.unfilledRequirement, !told.contains(property) {
                rejectMissing(property, token: token)
            }
            checkRules(found: nil, token: token, but: unknown)
            try checkConstraints(of: nil, token: token, but: unknown)
        case .several(let keys): rejectShared(keys, batch, place, token: token)
        }
    }

    private func hasValue(_ column: Int) -> Bool {
        ![.null, .absent].contains(row.cells[column].kind)
    }

    /// Fills `row` with the known values of the row.
    ///
    /// - Returns: The columns with unknown values.
    private func resolveWhatIsKnown(
        _ batch: RowBatch, _ place: Int, token: Int64, but refused: Set<Int>
    ) throws(StoreError) -> Set<Int> {
        row.clear()
        var unknown: Set<Int> = []
        for column in plan.columns.indices {
            guard case .attribute(let cell) = plan.columns[column].source else { continue }
            if refused.contains(cell) { unknown.insert(column) }
            row.cells[column] = refused.contains(cell) ? .absent : batch[place, cell]
        }
        let first = plan.plan.attributes.count
        for (link, description) in plan.plan.links.enumerated() {
            var isKnown = false
            if !refused.contains(first + link), description.nested == nil,
                description.missing != .skip, !plan.links[link].mayComeLater
            {
                let outcome = try resolve(
                    batch, batch[place, first + link], link, token, .decide, creating: false)
                if case .obstacle = outcome {} else { isKnown = true }
            }
            guard !isKnown else { continue }
            setToOne(link, .integer(0), entity: 0)
            for column in plan.columns.indices {
                switch plan.columns[column].source {
                case .linkKey(link), .linkEntity(link), .linkOrder(link): unknown.insert(column)
                default: continue
                }
            }
        }
        return unknown
    }

    private func checkConstraints(
        of key: Int64?, token: Int64, but unknown: Set<Int>
    ) throws(StoreError) {
        for places in plan.uniquePlaces where unknown.isDisjoint(with: places) {
            try rejectTaken(token, places, of: key) { row.cells[$0] }
        }
    }

    private func checkRules(found: Statement?, token: Int64, but unknown: Set<Int>) {
        let problems = plan.rules.problems(
            with: row, found: found, firstColumn: statements.firstColumn, but: unknown)
        for problem in problems {
            reject(
                token, problem.required == nil ? "validate" : "required", problem.required,
                problem.message)
        }
    }
}
