/// A growing piece of the input in memory, followed by room that scanners may read beyond its end.
///
/// Scanners load whole words and rely on a byte of their choice after the last one, so that they
/// need no test for the end in their inner loops.
final class ByteChunk {
    /// The bytes that may be read, and the first of which is set, beyond the end.
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

    /// Makes room for that many bytes in all, keeping those that are there.
    func reserve(_ byteCount: Int) {
        guard byteCount > capacity else { return }
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCount + Self.padding)
        larger.update(from: start, count: count)
        start.deallocate()
        start = larger
        capacity = byteCount
    }

    /// Drops all bytes, and memory beyond a limit.
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

    /// Writes what scanners are to find after the last byte.
    func terminate(_ first: UInt8, _ second: UInt8 = 0) {
        let end = start + count
        end.update(repeating: 0, count: Self.padding)
        end[0] = first
        end[1] = second
    }
}

/// A place in the input: a byte, and its line and column.
struct ChunkOrigin: Equatable {
    /// From zero, in the inflated bytes.
    var byteOffset = 0
    /// From one.
    var line = 1
    /// From one, in bytes.
    var column = 1
    /// The byte that ends a line.
    var lineEnd: UInt8 = 10

    /// The place that many bytes further on.
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

    /// How often a byte stands in a range.
    static func countOccurrences(
        of byte: UInt8, in start: UnsafePointer<UInt8>, count: Int
    ) -> Int {
        var total = 0
        var index = 0
        let pattern = SIMD32<UInt8>(repeating: byte)
        while index + 32 <= count {
            // A lane counts to 255 at most, so it is emptied before that.
            let end = min(count - 32, index + 255 * 32 - 32)
            var lanes = SIMD32<UInt8>(repeating: 0)
            while index <= end {
                let bytes = UnsafeRawPointer(start + index)
                    .loadUnaligned(as: SIMD32<UInt8>.self)
                // A lane of the mask is 255, that is -1, where it is true.
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
