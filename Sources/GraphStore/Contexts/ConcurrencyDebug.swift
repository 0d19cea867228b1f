#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `GRAPHSTORE_CONCURRENCY_DEBUG=1`: every access to an object makes sure that it is made where
/// its context lives, for what a mark of unsafe isolation hides from the compiler.
enum ConcurrencyDebug {
    static let isOn = getenv("GRAPHSTORE_CONCURRENCY_DEBUG").map { String(cString: $0) } == "1"
}
