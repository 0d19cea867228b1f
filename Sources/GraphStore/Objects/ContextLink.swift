import Dispatch

/// What an object holds of its context: the way to it for as long as both belong together.
///
/// A context that goes, and one that is reset, cuts the link, and its objects know that they are
/// no longer valid. One check of a pointer, in release builds too.
final class ContextLink {
    /// The context itself clears this before it goes; it is never followed after that.
    private unowned(unsafe) var target: ManagedObjectContext?
    /// Under `GRAPHSTORE_CONCURRENCY_DEBUG=1`: makes sure that the caller is where the context is.
    var check: (() -> Void)?

    init(_ context: ManagedObjectContext) {
        target = context
    }

    var context: ManagedObjectContext? {
        check?()
        return target
    }

    func cut() {
        target = nil
    }
}
