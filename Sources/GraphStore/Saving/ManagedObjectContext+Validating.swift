import GraphModel

/// What a save checks before it begins a transaction.
extension ManagedObjectContext {
    /// Looks at deletes, then inserts, then updates, and reports all that is wrong at once.
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
        if !goneForUndo.isEmpty {
            for object in pending.inserted + pending.updated {
                checkUndone(object, &failures)
            }
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
                // Only lists changed; what was read of no row is as valid as it was.
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

    /// Undoing may have put back a link to what a Deny rule had let go, and which is gone since.
    private func checkUndone(_ object: ManagedObject, _ failures: inout ValidationFailures) {
        guard !object.links.isEmpty else { return }
        for (slot, toOne) in object.layout.toOnes.enumerated() {
            guard let id = object.links[slot], goneForUndo.contains(id), denies(toOne) else {
                continue
            }
            failures.add(
                "'\(toOne.name)' leads to an object that is deleted for good", object,
                key: toOne.name, code: .deletionDenied)
        }
    }

    /// Whether the object at a to-one's other end may not be deleted while this leads to it.
    private func denies(_ toOne: EntityLayout.ToOne) -> Bool {
        guard let there = container.objects.layout(toOne.destination) else { return false }
        switch toOne.inverse {
        case .none: return false
        case .toOne(let slot): return there.toOnes[slot].relationship.deleteRule == .deny
        case .toMany(let slot): return there.toManys[slot].relationship.deleteRule == .deny
        }
    }

    private func validator(for layout: EntityLayout) throws(StoreError) -> ObjectValidator {
        if let known = validators[layout.number] { return known }
        let validator = try ObjectValidator(layout, container.model)
        validators[layout.number] = validator
        return validator
    }
}
