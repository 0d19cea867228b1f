import GraphStore

/// Settings of a process that runs only etl.
package enum ProcessSettings {
    /// Applies the settings.
    ///
    /// Call it once, before anything else.
    package static func apply() {
        PersistentContainer.skipMemoryStatistics()
        PersistentContainer.returnLargeMemory()
    }
}
