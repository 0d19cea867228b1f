import GraphStore

/// What a process that does nothing but our work sets before it begins.
package enum ProcessSettings {
    /// To be called once, before anything else.
    package static func apply() {
        PersistentContainer.skipMemoryStatistics()
        PersistentContainer.returnLargeMemory()
    }
}
