/// A growing part of the input in memory, followed by padding that scanners may read.
///
/// Scanners load complete words and rely on a specific byte after the last one, so their inner
/// loops need no test for the end.
final class ByteChunk {
    /// The number of readable bytes after the end; the first of them is set by `terminate`.
    static let padding = 64

    private(set) var start: UnsafeMutablePointer<UInt8>
    private(set) var capacity: Int
    var count = 0

    init() {
        capacity = 0
        start = .allocate(capacity: Self.padding)
        start.initialize(repeating: 0, count: Self.padding)
    }

    deinit {
        start.deallocate()
    }

    /// Grows the capacity to at least `byteCount` bytes and keeps the contents.
    func reserve(_ byteCount: Int) {
        guard byteCount > capacity else { return }
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCount + Self.padding)
        larger.update(from: start, count: count)
        start.deallocate()
        start = larger
        capacity = byteCount
    }

    /// Drops all bytes, and releases memory beyond a limit.
    func removeAll(keepingAtMost limit: Int) {
        count = 0
        guard capacity > limit else { return }
        start.deallocate()
        capacity = 0
        start = .allocate(capacity: Self.padding)
    }

    /// Drops the first bytes and moves the rest to the front.
    func removeFirst(_ byteCount: Int) {
        guard byteCount > 0 else { return }
        count -= byteCount
        start.update(from: start + byteCount, count: count)
    }

    /// Writes the bytes that stop scanners after the last byte.
    func terminate(_ first: UInt8, _ second: UInt8 = 0) {
        let end = start + count
        end.update(repeating: 0, count: Self.padding)
        end[0] = first
        end[1] = second
    }
}

/// A position in the input: a byte offset, a line, and a column.
struct ChunkOrigin: Equatable {
    /// The offset in the decompressed bytes, from zero.
    var byteOffset = 0
    /// The line number, from one.
    var line = 1
    /// The column in bytes, from one.
    var column = 1
    /// The byte that ends a line.
    var lineEnd: UInt8 = 10

    /// Returns the position `count` bytes later.
    func advanced(over start: UnsafePointer<UInt8>, count: Int) -> ChunkOrigin {
        var result = self
        result.byteOffset += count
        let lines = Self.countOccurrences(of: lineEnd, in: start, count: count)
        guard lines > 0 else {
            result.column += count
            return result
        }
        result.line += lines
        var last = count - 1
        while start[last] != lineEnd { last -= 1 }
        result.column = count - last
        return result
    }

    /// Returns the number of occurrences of a byte in a range.
    static func countOccurrences(
        of byte: UInt8, in start: UnsafePointer<UInt8>, count: Int
    ) -> Int {
        var total = 0
        var index = 0
        let pattern = SIMD32<UInt8>(repeating: byte)
        while index + 32 <= count {
            // A lane counts to 255 at most, so it is added and reset before that.
            let end = min(count - 32, index + 255 * 32 - 32)
            var lanes = SIMD32<UInt8>(repeating: 0)
            while index <= end {
                let bytes = UnsafeRawPointer(start + index)
                    .loadUnaligned(as: SIMD32<UInt8>.self)
                // A lane of the mask is 255, that is, -1, if it is true.
                lanes &-= unsafeBitCast(bytes .== pattern, to: SIMD32<UInt8>.self)
                index += 32
            }
            for lane in 0..<32 { total += Int(lanes[lane]) }
        }
        while index < count {
            total += start[index] == byte ? 1 : 0
            index += 1
        }
        return total
    }
}
