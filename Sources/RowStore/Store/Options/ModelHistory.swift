public import GraphModel

/// All released versions of a model, oldest first.
///
/// The version hashes in a store identify its version. A store also contains its model, so it opens
/// even if the source of that version no longer exists (`PersistentContainer(model: nil, …)`).
public struct ModelHistory: Sendable {
    /// The versions, oldest first.
    public let versions: [ManagedObjectModel]

    /// Creates a history of versions, oldest first.
    public init(_ versions: [ManagedObjectModel]) {
        self.versions = versions
    }

    /// The newest version.
    public var current: ManagedObjectModel? { versions.last }

    /// One migration of a chain.
    public struct Stage: Sendable, Hashable {
        /// The index of the version that the stage starts with, counted from 0.
        public let from: Int
        /// The index of the version that the stage ends with.
        public let to: Int

        /// Creates a stage; a mapping may skip versions.
        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }
}
