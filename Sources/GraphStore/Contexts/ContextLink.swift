import Dispatch

/// An object's link to its context, for as long as the object belongs to the context.
///
/// The link ends when the context is deallocated or reset. After a reset, reading an object throws.
/// After the deallocation, an object can be read, but its relationships cannot be followed to other
/// objects. The check costs one flag test, in release builds too.
final class ContextLink {
    private enum State {
        case live
        /// The context was deallocated.
        case left
        /// The context was reset.
        case reset
        /// The object was never in the context, or has been replaced by another object.
        case nowhere
    }

    /// The context clears this reference before its deallocation, so it is never used afterwards.
    private unowned(unsafe) var target: ManagedObjectContext?
    private var state = State.live
    private let rows: RowSource
    /// The context that was reset, which still receives errors.
    private weak var former: ManagedObjectContext?
    /// Whether `examine` must be called before values are read.
    private(set) var isGuarded = false
    /// With `GRAPHSTORE_CONCURRENCY_DEBUG=1`, checks that the caller is isolated to the context.
    var check: (() -> Void)? {
        didSet { isGuarded = state == .reset || check != nil }
    }

    init(_ context: ManagedObjectContext) {
        target = context
        rows = context.rows
    }

    /// Returns a link for an object without a context.
    static func nowhere(_ context: ManagedObjectContext) -> ContextLink {
        let link = ContextLink(context)
        link.target = nil
        link.state = .nowhere
        return link
    }

    var context: ManagedObjectContext? {
        check?()
        return target
    }

    /// Whether the context was reset.
    var isReset: Bool { state == .reset }

    /// The context that records errors of accessors that cannot throw.
    var listener: ManagedObjectContext? { context ?? former }

    /// Ends the link because the context is being deallocated.
    func disconnect() {
        target = nil
        state = .left
    }

    /// Ends the link because the context was reset, and prevents reads of old values.
    func invalidate() {
        former = target
        target = nil
        state = .reset
        isGuarded = true
    }

    /// Throws if the context was reset, so that the object's old values must not be read.
    func examine(_ layout: EntityLayout) throws(StoreError) {
        check?()
        if state == .reset { throw missingContext(layout) }
    }

    /// Returns the row source of an object whose context was deallocated.
    func rowsWithoutContext(_ layout: EntityLayout) throws(StoreError) -> RowSource {
        guard state == .left else { throw missingContext(layout) }
        return rows
    }

    /// Returns the container of an object that can be read, with or without its context.
    func container(_ layout: EntityLayout) throws(StoreError) -> PersistentContainer {
        if let context { return context.container }
        return try rowsWithoutContext(layout).container
    }

    /// Returns an error that states why there is no context.
    func missingContext(_ layout: EntityLayout) -> StoreError {
        switch state {
        case .live, .left:
            StoreError(
                .invalidated,
                "The context of an object of '\(layout.name)' no longer exists: the object can be "
                    + "read, but its links cannot be followed and it cannot be changed")
        case .reset:
            StoreError(
                .invalidated,
                "An object of '\(layout.name)' was used after its context was reset")
        case .nowhere:
            StoreError(.invalidated, "An object of '\(layout.name)' belongs to no context")
        }
    }
}
