import FuzzHarnesses

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The harness that `ETL_FUZZ_HARNESS` names.
private let harness: FuzzHarness = {
    let name = getenv("ETL_FUZZ_HARNESS").map { String(cString: $0) } ?? ""
    guard let harness = FuzzHarness(rawValue: name) else {
        fatalError("ETL_FUZZ_HARNESS is none of \(FuzzHarness.allCases.map(\.rawValue))")
    }
    return harness
}()

/// Called by libFuzzer, whose own `main` this program has: https://llvm.org/docs/LibFuzzer.html.
@_cdecl("LLVMFuzzerTestOneInput")
public func tryOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    harness.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
