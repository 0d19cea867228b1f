/// The location and kind of a store, and how to open it.
public struct StoreDescription: Sendable, Hashable {
    /// The medium in which a store keeps its objects.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A Core Data SQLite file; only requested objects are in memory.
        case sqlite = "SQLite"
        /// Memory, for tests and temporary work, until the store is closed; the name identifies the
        /// store.
        case inMemory = "InMemory"
        /// Memory; each save replaces the complete file atomically with an SQLite image.
        case binary = "Binary"
        /// Memory; each save replaces the complete file atomically with JSON.
        case json = "JSON"

        /// Whether each save writes the complete file.
        package var isAtomic: Bool { self == .binary || self == .json }
    }

    /// The medium in which the store keeps its objects.
    public var kind: Kind
    /// The path of the file, or the name of a store in memory.
    public var path: String
    /// Whether to create a missing file.
    public var opening: StoreOpening
    /// The options for opening and writing the store.
    public var options: StoreOptions
    /// The model's configuration whose entities the store contains.
    ///
    /// `nil` assigns all entities that no other store of the container has.
    public var configuration: String?

    /// Creates a description of a store.
    public init(
        _ kind: Kind, at path: String, opening: StoreOpening = .existing,
        configuration: String? = nil, options: StoreOptions = StoreOptions()
    ) {
        self.kind = kind
        self.path = path
        self.opening = opening
        self.configuration = configuration
        self.options = options
    }

    /// Describes a store in a Core Data SQLite file.
    public static func sqlite(
        at path: String, opening: StoreOpening = .existing, configuration: String? = nil,
        options: StoreOptions = StoreOptions()
    ) -> StoreDescription {
        StoreDescription(
            .sqlite, at: path, opening: opening, configuration: configuration, options: options)
    }

    /// Describes a store in memory, which exists as long as a container has it open.
    ///
    /// Saves, batch requests, history, and pinned generations work as in a file, and readers do not
    /// wait for the writer. Internally, the store is a file in a private folder for temporary
    /// files. It is never flushed to the disk, and it is deleted when the last container closes it.
    ///
    /// - Parameters:
    ///   - name: The name of the store, which containers of this process share; `nil` creates a
    ///     separate store.
    ///   - configuration: The model's configuration whose entities the store contains.
    ///   - options: The options for opening and writing the store.
    public static func inMemory(
        name: String? = nil, configuration: String? = nil, options: StoreOptions = StoreOptions()
    ) -> StoreDescription {
        StoreDescription(
            .inMemory, at: name ?? StoreAddress.uniqueName(), opening: .create,
            configuration: configuration, options: options)
    }

    /// Describes an atomic store whose file is an SQLite image; only one container may have it
    /// open.
    public static func binary(
        at path: String, opening: StoreOpening = .existing, configuration: String? = nil,
        options: StoreOptions = StoreOptions()
    ) -> StoreDescription {
        StoreDescription(
            .binary, at: path, opening: opening, configuration: configuration, options: options)
    }

    /// Describes an atomic store whose file is JSON; only one container may have it open.
    public static func json(
        at path: String, opening: StoreOpening = .existing, configuration: String? = nil,
        options: StoreOptions = StoreOptions()
    ) -> StoreDescription {
        StoreDescription(
            .json, at: path, opening: opening, configuration: configuration, options: options)
    }
}

/// The handling of a missing store file.
public enum StoreOpening: String, Sendable, Hashable {
    /// The file must exist.
    case existing
    /// A missing file is created.
    case create
}
