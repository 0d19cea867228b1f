#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runtime isolation checks on every access to an object, with `GRAPHSTORE_CONCURRENCY_DEBUG=1`.
///
/// They find errors that unsafe isolation marks hide from the compiler.
enum ConcurrencyDebug {
    static let isOn = getenv("GRAPHSTORE_CONCURRENCY_DEBUG").map { String(cString: $0) } == "1"
}
