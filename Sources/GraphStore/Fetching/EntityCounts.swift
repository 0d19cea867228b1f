extension PersistentContainer {
    /// Returns the number of objects of each entity, including sub-entities, in the model's order.
    ///
    /// All counts are from one snapshot.
    package func objectCounts() throws(StoreError) -> [(entityName: String, count: Int)] {
        try schema.objectCounts(on: newReader())
    }

    /// Returns the model's name of an entity that `Z_PRIMARYKEY` lists under another name.
    package func entityName(storedAs name: String) throws(StoreError) -> String? {
        try schema.entityName(storedAs: name, on: newReader())
    }
}
