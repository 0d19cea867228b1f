#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An address within the bytes of an input.
typealias Bytes = UnsafePointer<UInt8>

/// Returns the first occurrence of `byte` in the range; `nil` if there is none.
///
/// It uses the C library's vector code.
@inline(__always)
func firstIndex(
    of byte: UInt8, from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
) -> UnsafePointer<UInt8>? {
    guard let found = memchr(start, Int32(byte), end - start) else { return nil }
    return UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
}

/// Returns whether two ranges of memory contain the same bytes.
@inline(__always)
func sameBytes(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    memcmp(left, right, count) == 0
}
