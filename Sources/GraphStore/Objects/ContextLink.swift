import Dispatch

/// What an object holds of its context: the way to it for as long as both belong together.
///
/// A context that goes, and one that is reset, cuts the link, and its objects know that they are
/// no longer valid: after a reset none of them gives a value, while those of a context that is
/// gone keep what is in memory. One check of a flag, in release builds too.
final class ContextLink {
    /// The context itself clears this before it goes; it is never followed after that.
    private unowned(unsafe) var target: ManagedObjectContext?
    /// Where objects take themselves out when they go, which may be after the context.
    let registry: ObjectRegistry
    /// The context that was reset, which still hears of what goes wrong.
    private weak var former: ManagedObjectContext?
    private var isInvalidated = false
    /// Values are not to be read before `examine`.
    private(set) var isGuarded = false
    /// Under `GRAPHSTORE_CONCURRENCY_DEBUG=1`: makes sure that the caller is where the context is.
    var check: (() -> Void)? {
        didSet { isGuarded = isInvalidated || check != nil }
    }

    init(_ context: ManagedObjectContext) {
        target = context
        registry = context.registry
    }

    var context: ManagedObjectContext? {
        check?()
        return target
    }

    /// Who keeps what an accessor cannot throw.
    var listener: ManagedObjectContext? { context ?? former }

    func cut() {
        target = nil
    }

    /// The context was reset, and what was read before is not to be seen any more.
    func invalidate() {
        former = target
        target = nil
        isInvalidated = true
        isGuarded = true
    }

    /// Throws where a value in memory may not be read.
    func examine(_ layout: EntityLayout) throws(StoreError) {
        check?()
        guard isInvalidated else { return }
        throw Self.invalidated(layout)
    }

    static func invalidated(_ layout: EntityLayout) -> StoreError {
        StoreError(
            .invalidated, "An object of '\(layout.name)' was used after its context was reset")
    }
}
