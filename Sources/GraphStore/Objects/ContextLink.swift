import Dispatch

/// What an object holds of its context: the way to it for as long as both belong together.
///
/// A context that goes, and one that is reset, cuts the link. After a reset no object gives a value;
/// one whose context is gone can be read, but leads to no other.
/// One check of a flag, in release builds too.
final class ContextLink {
    private enum State {
        case live
        /// The context is gone.
        case left
        /// The context was reset.
        case reset
        /// The object never was in the context, or stands for another one now.
        case nowhere
    }

    /// The context itself clears this before it goes; it is never followed after that.
    private unowned(unsafe) var target: ManagedObjectContext?
    private var state = State.live
    private let rows: RowSource
    /// The context that was reset, which still hears of what goes wrong.
    private weak var former: ManagedObjectContext?
    /// Values are not to be read before `examine`.
    private(set) var isGuarded = false
    /// Under `GRAPHSTORE_CONCURRENCY_DEBUG=1`: makes sure that the caller is where the context is.
    var check: (() -> Void)? {
        didSet { isGuarded = state == .reset || check != nil }
    }

    init(_ context: ManagedObjectContext) {
        target = context
        rows = context.rows
    }

    /// A link of an object that belongs nowhere.
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

    /// Who keeps what an accessor cannot throw.
    var listener: ManagedObjectContext? { context ?? former }

    /// The context is gone.
    func cut() {
        target = nil
        state = .left
    }

    /// The context was reset, and what was read before is not to be seen any more.
    func invalidate() {
        former = target
        target = nil
        state = .reset
        isGuarded = true
    }

    /// Throws where a value in memory may not be read.
    func examine(_ layout: EntityLayout) throws(StoreError) {
        check?()
        if state == .reset { throw missingContext(layout) }
    }

    /// The rows of an object whose context is gone.
    func rowsWithoutContext(_ layout: EntityLayout) throws(StoreError) -> RowSource {
        guard state == .left else { throw missingContext(layout) }
        return rows
    }

    /// Why there is no context.
    func missingContext(_ layout: EntityLayout) -> StoreError {
        switch state {
        case .live, .left:
            StoreError(
                .invalidated,
                "The context of an object of '\(layout.name)' is gone: it can be read, but not changed"
                    + " or followed to other objects")
        case .reset:
            StoreError(
                .invalidated,
                "An object of '\(layout.name)' was used after its context was reset")
        case .nowhere:
            StoreError(.invalidated, "An object of '\(layout.name)' belongs to no context")
        }
    }
}
