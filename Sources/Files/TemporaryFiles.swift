#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif
internal import Synchronization

/// Files that go with this process, also if a signal ends it.
package enum TemporaryFiles {
    /// The path of a file, as the system wants it; 0 if there is none.
    private final class Place: Sendable {
        let path = Atomic<UInt>(0)
    }

    /// The files, as far as there is room.
    private static let places = (0..<64).map { _ in Place() }

    /// Notes a file.
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

    /// Takes back the note of a file, which is gone or stays.
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

    /// Makes what `removeAll` needs, which a signal's handler must not do.
    package static func prepare() { _ = places }

    /// Removes the files; takes no lock and no memory once `prepare` was called.
    package static func removeAll() {
        for place in places {
            let address = place.path.load(ordering: .sequentiallyConsistent)
            if let path = UnsafePointer<CChar>(bitPattern: address) { _ = unlink(path) }
        }
    }
}
