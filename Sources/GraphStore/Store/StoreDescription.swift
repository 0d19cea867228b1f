/// Which store, of which kind, and how it is opened.
public struct StoreDescription: Sendable, Hashable {
    /// Where a store keeps its objects.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// In Core Data's SQLite file; only what is asked for is in memory.
        case sqlite = "SQLite"
        /// For tests and scratch work, until it is closed; the name tells stores apart.
        case inMemory = "InMemory"
        /// In memory; each save writes the whole file anew, all or nothing, as an SQLite image.
        case binary = "Binary"
        /// In memory; each save writes the whole file anew, all or nothing, as JSON.
        case json = "JSON"

        /// Whether each save writes the whole file.
        var isAtomic: Bool { self == .binary || self == .json }
    }

    /// Where the store keeps its objects.
    public var kind: Kind
    /// The file; of a store in memory, its name.
    public var path: String
    /// Whether a missing file is made.
    public var opening: StoreOpening
    /// How it is opened and written.
    public var options: StoreOptions
    /// The model's configuration whose entities the store holds; nil takes all that no other store
    /// of the container does.
    public var configuration: String?

    /// Describes a store.
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

    /// A store in Core Data's SQLite file.
    public static func sqlite(
        at path: String, opening: StoreOpening = .existing, configuration: String? = nil,
        options: StoreOptions = StoreOptions()
    ) -> StoreDescription {
        StoreDescription(
            .sqlite, at: path, opening: opening, configuration: configuration, options: options)
    }

    /// A store in memory, which lives as long as a container has it open.
    ///
    /// Saves, batch requests, history, and pinned generations work as in a file: readers do not
    /// wait for the writer. In fact it is a file, in a private folder for temporary files. It is
    /// never flushed to the disk, and it is deleted when the last container closes it.
    ///
    /// - Parameters:
    ///   - name: containers of this process that use one name share the store; nil is a store of
    ///     its own.
    ///   - configuration: the model's configuration whose entities it holds.
    ///   - options: how it is opened and written.
    public static func inMemory(
        name: String? = nil, configuration: String? = nil, options: StoreOptions = StoreOptions()
    ) -> StoreDescription {
        StoreDescription(
            .inMemory, at: name ?? StoreAddress.uniqueName(), opening: .create,
            configuration: configuration, options: options)
    }

    /// An atomic store whose file is an SQLite image; one container at a time may have it open.
    public static func binary(
        at path: String, opening: StoreOpening = .existing, configuration: String? = nil,
        options: StoreOptions = StoreOptions()
    ) -> StoreDescription {
        StoreDescription(
            .binary, at: path, opening: opening, configuration: configuration, options: options)
    }

    /// An atomic store whose file is JSON; one container at a time may have it open.
    public static func json(
        at path: String, opening: StoreOpening = .existing, configuration: String? = nil,
        options: StoreOptions = StoreOptions()
    ) -> StoreDescription {
        StoreDescription(
            .json, at: path, opening: opening, configuration: configuration, options: options)
    }
}
