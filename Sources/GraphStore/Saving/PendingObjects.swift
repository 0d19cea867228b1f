/// The objects of a save, grouped by operation.
struct PendingObjects {
    var inserted: [ManagedObject] = []
    var updated: [ManagedObject] = []
    var deleted: [ManagedObject] = []

    init(_ listed: [ManagedObject]) {
        for object in listed {
            switch object.pending {
            case .none: break
            case .inserted: inserted.append(object)
            case .updated: updated.append(object)
            case .deleted: deleted.append(object)
            }
        }
    }
}
