import GraphModel

/// The validation that precedes the transaction of a save.
extension ManagedObjectContext {
    /// Validates deletes, then inserts, then updates, and reports all failures together.
    func validate(_ pending: PendingObjects) throws(StoreError) {
        var failures = ValidationFailures()
        for object in pending.deleted {
            for keeper in try deletability(of: object) {
                failures.add(
                    "'\(keeper)' is not empty, and its Deny rule keeps the object", object,
                    key: keeper, code: .deletionDenied)
            }
            if !object.skipsHooks { object.validate(.delete, into: &failures) }
        }
        var known: (layout: EntityLayout, validator: ObjectValidator)?
        for object in pending.inserted {
            if let known, known.layout === object.layout {
                try known.validator.check(object, .insert, into: &failures)
            } else {
                let validator = try validator(for: object.layout)
                known = (object.layout, validator)
                try validator.check(object, .insert, into: &failures)
            }
        }
        for object in pending.updated {
            let validator = try validator(for: object.layout)
            if object.presence != .realized {
                // Only lists changed; the attributes of a row that was not read are still valid.
                guard validator.countsLists || type(of: object) != ManagedObject.self else {
                    continue
                }
                try fire(object)
            }
            try validator.check(object, .update, into: &failures)
        }
        guard let error = failures.error else { return }
        throw StoreError(.validation, error.description, cause: error)
    }

    private func validator(for layout: EntityLayout) throws(StoreError) -> ObjectValidator {
        if let known = validators[layout.number] { return known }
        let validator = try ObjectValidator(layout, container.model)
        validators[layout.number] = validator
        return validator
    }
}
