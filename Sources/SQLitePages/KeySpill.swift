package import Files

/// A temporary file for keys that do not fit in memory; the system deletes it when it is closed.
///
/// The file consists of runs. A run is a sequence of keys in sorted order, and each key in it is
/// stored as its prefix, its size, and its bytes. Several sorters append runs to the file, one at a
/// time.
package final class KeySpill {
    /// The start and the end of a run of sorted keys in the file.
    struct Run {
        var start: Int64
        var end: Int64
    }

    static let headBytes = 12
    private static let blockBytes = 1 << 18

    private let folder: FileName
    private var descriptor: Int32 = -1
    private var end: Int64 = 0

    /// Creates a spill without a file.
    ///
    /// - Parameter folder: the folder of the file, which is created by the first run.
    package init(in folder: FileName) {
        self.folder = folder
    }

    deinit {
        if descriptor >= 0 { FileSystem.close(descriptor) }
    }

    /// Starts to append a run of sorted keys; finish it before the next one begins.
    func beginRun() -> Writer { Writer(self) }

    /// Writes one run.
    struct Writer: ~Copyable {
        private let spill: KeySpill
        private let start: Int64
        private let block: UnsafeMutableRawPointer
        private var used = 0

        fileprivate init(_ spill: KeySpill) {
            self.spill = spill
            start = spill.end
            block = .allocate(byteCount: KeySpill.blockBytes, alignment: 8)
        }

        deinit { block.deallocate() }

        mutating func add(
            _ prefix: UInt64, _ key: UnsafeRawBufferPointer
        ) throws(PageFault) {
            if used + KeySpill.headBytes + key.count > KeySpill.blockBytes { try flush() }
            block.storeBytes(of: prefix, toByteOffset: used, as: UInt64.self)
            block.storeBytes(of: UInt32(key.count), toByteOffset: used + 8, as: UInt32.self)
            used += KeySpill.headBytes
            if used + key.count > KeySpill.blockBytes {
                try flush()
                return try spill.write(key)
            }
            if let bytes = key.baseAddress {
                (block + used).copyMemory(from: bytes, byteCount: key.count)
            }
            used += key.count
        }

        private mutating func flush() throws(PageFault) {
            try spill.write(UnsafeRawBufferPointer(start: block, count: used))
            used = 0
        }

        mutating func finish() throws(PageFault) -> Run {
            try flush()
            return Run(start: start, end: spill.end)
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(PageFault) {
        do throws(SystemFault) {
            if descriptor < 0 {
                descriptor = try FileSystem.openUnnamed(in: folder, prefix: ".etl-keys-")
            }
            try FileSystem.write(bytes, to: descriptor, at: end)
        } catch {
            throw .system(error.number)
        }
        end += Int64(bytes.count)
    }

    fileprivate func read(
        _ room: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(PageFault) {
        let filled: Int
        do throws(SystemFault) {
            filled = try FileSystem.fill(room, from: descriptor, at: offset)
        } catch {
            throw .system(error.number)
        }
        guard filled == room.count else { throw .unsuitable("the temporary file lost its end") }
    }
}

/// Reads the keys of one run through a block of memory.
private final class RunReader {
    private let spill: KeySpill
    private var position: Int64
    private let end: Int64
    private var block: UnsafeMutableRawBufferPointer
    private var held = 0..<0
    private(set) var prefix: UInt64 = 0
    private(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ run: KeySpill.Run, in spill: KeySpill, blockBytes: Int) {
        self.spill = spill
        position = run.start
        end = run.end
        block = .allocate(byteCount: blockBytes, alignment: 8)
    }

    deinit { block.deallocate() }

    /// Reads the next key, and returns whether there is one.
    func next() throws(PageFault) -> Bool {
        guard position < end || !held.isEmpty else { return false }
        try hold(KeySpill.headBytes)
        prefix = block.loadUnaligned(fromByteOffset: held.lowerBound, as: UInt64.self)
        let count = Int(
            block.loadUnaligned(fromByteOffset: held.lowerBound + 8, as: UInt32.self))
        try hold(KeySpill.headBytes + count)
        let start = held.lowerBound + KeySpill.headBytes
        key = UnsafeRawBufferPointer(rebasing: block[start..<(start + count)])
        held = (start + count)..<held.upperBound
        return true
    }

    /// Reads until the block holds `count` bytes, and grows it for a larger key.
    private func hold(_ count: Int) throws(PageFault) {
        guard held.count < count else { return }
        let rest = UnsafeRawBufferPointer(rebasing: block[held])
        if count > block.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
            larger.copyMemory(from: rest)
            block.deallocate()
            block = larger
        } else {
            block.copyMemory(from: rest)
        }
        held = 0..<held.count
        let room = UnsafeMutableRawBufferPointer(rebasing: block[held.count...])
        let wanted = Int(min(Int64(room.count), end - position))
        try spill.read(UnsafeMutableRawBufferPointer(rebasing: room[..<wanted]), at: position)
        position += Int64(wanted)
        held = 0..<(held.count + wanted)
    }
}

/// Merges runs with a heap of their next keys.
///
/// If keys have equal columns, the key of the earlier run comes first.
struct KeyMerge: ~Copyable {
    private let order: KeyOrder
    private var readers: [RunReader] = []
    /// Indexes of readers; each parent precedes its children.
    private var heap: [Int] = []

    init(
        _ runs: [KeySpill.Run], _ order: KeyOrder, in spill: KeySpill, blockBytes: Int
    ) throws(PageFault) {
        self.order = order
        for run in runs {
            let reader = RunReader(run, in: spill, blockBytes: blockBytes)
            guard try reader.next() else { continue }
            readers.append(reader)
        }
        heap = Array(readers.indices)
        for place in heap.indices.reversed() { moveDown(from: place) }
    }

    /// The next key and its prefix; `nil` after the last one.
    var first: (prefix: UInt64, key: UnsafeRawBufferPointer)? {
        heap.first.map { (readers[$0].prefix, readers[$0].key) }
    }

    mutating func removeFirst() throws(PageFault) {
        guard let first = heap.first else { return }
        if try !readers[first].next() {
            heap[0] = heap[heap.count - 1]
            heap.removeLast()
        }
        moveDown(from: 0)
    }

    private mutating func moveDown(from start: Int) {
        guard start < heap.count else { return }
        let reader = heap[start]
        var parent = start
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, precedes(heap[child + 1], heap[child]) { child += 1 }
            guard precedes(heap[child], reader) else { break }
            heap[parent] = heap[child]
            parent = child
        }
        heap[parent] = reader
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        let (first, second) = (readers[left], readers[right])
        if first.prefix != second.prefix { return first.prefix < second.prefix }
        guard let start = first.key.baseAddress, let other = second.key.baseAddress else {
            return left < right
        }
        let result = order.compare(start, other)
        return result != 0 ? result < 0 : left < right
    }
}
