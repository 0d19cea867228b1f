import FoundationEssentials

/// Runtime isolation checks on every access to an object, with `GRAPHSTORE_CONCURRENCY_DEBUG=1`.
///
/// They find errors that unsafe isolation marks hide from the compiler.
enum ConcurrencyDebug {
    static let isOn =
        ProcessInfo.processInfo.environment["GRAPHSTORE_CONCURRENCY_DEBUG"] == "1"
}
