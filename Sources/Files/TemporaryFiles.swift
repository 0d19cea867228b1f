#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif
internal import Synchronization

/// Files that are deleted when this process ends, even if a signal ends it.
package enum TemporaryFiles {
    /// A slot with the address of a file path as a C string; 0 if it is empty.
    private final class Place: Sendable {
        let path = Atomic<UInt>(0)
    }

    /// The slots, for at most 64 files; further files are ignored.
    private static let places = (0..<64).map { _ in Place() }

    /// Registers a file for deletion.
    package static func add(_ path: FileName) {
        let bytes = path.bytes.map { CChar(bitPattern: $0) } + [0]
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        let address = UInt(bitPattern: copy)
        for place in places
        where place.path.compareExchange(
            expected: 0, desired: address, ordering: .sequentiallyConsistent
        ).exchanged {
            return
        }
        copy.deallocate()
    }

    /// Unregisters a file that was already deleted or must be kept.
    package static func forget(_ path: FileName) {
        for place in places {
            let address = place.path.load(ordering: .sequentiallyConsistent)
            guard let copy = UnsafeMutablePointer<CChar>(bitPattern: address),
                FileName(
                    bytes: Array(UnsafeBufferPointer(start: copy, count: strlen(copy)))
                        .map(UInt8.init(bitPattern:))) == path,
                place.path.compareExchange(
                    expected: address, desired: 0, ordering: .sequentiallyConsistent
                ).exchanged
            else { continue }
            copy.deallocate()
            return
        }
    }

    /// Allocates the slots for `removeAll`, because a signal handler must not allocate memory.
    package static func prepare() { _ = places }

    /// Deletes the registered files; after `prepare`, it takes no lock and allocates no memory.
    package static func removeAll() {
        for place in places {
            let address = place.path.load(ordering: .sequentiallyConsistent)
            if let path = UnsafePointer<CChar>(bitPattern: address) { _ = unlink(path) }
        }
    }
}
