/// An external merge sort: accepts numbered pieces of bytes in any order and returns them by
/// number.
///
/// If the pieces fill half of its memory, it sorts them and writes them as a run to an unnamed
/// file. The system deletes the file when it is closed. `forEach` merges the runs. Pieces with
/// equal numbers keep their order.
struct SortedSpill: ~Copyable {
    private struct Entry {
        var number: UInt64
        var start: Int
        var count: Int
    }

    /// A sorted run in the file.
    ///
    /// Each piece is stored as its number, its length, and its bytes.
    private struct Run {
        var start: Int64
        var byteCount: Int64
    }

    private let file: SpillFile
    private let memoryBytes: Int
    private let fileBytesMax: Int64
    private let runsMax: Int
    private var bytes: UnsafeMutableRawBufferPointer
    private var used = 0
    private var entries: [Entry] = []
    private var runs: [Run] = []
    private var fileBytes: Int64 = 0
    /// The number of pieces.
    private(set) var count = 0
    /// Whether the caller should stop adding pieces: the file has reached its size limit or its
    /// maximum number of runs, or cannot be written.
    ///
    /// Pieces added after that stay in memory.
    private(set) var isFull = false
    /// Whether writing the file failed.
    ///
    /// No piece is lost.
    private(set) var hasFailed = false

    /// Creates an empty sort.
    ///
    /// - Parameters:
    ///   - file: The file for pieces that do not fit in memory; no other spill may use it at the
    ///     same time.
    ///   - memoryBytes: The approximate memory limit in bytes.
    ///   - fileBytesMax: The maximum size of the file in bytes.
    ///   - runsMax: The maximum number of runs; the merge needs a block of memory for each.
    init(
        in file: SpillFile, memoryBytes: Int, fileBytesMax: Int64 = .max, runsMax: Int = .max
    ) {
        self.file = file
        self.fileBytesMax = fileBytesMax
        self.runsMax = runsMax
        self.memoryBytes = max(2, memoryBytes)
        bytes = .allocate(byteCount: self.memoryBytes / 2, alignment: 8)
    }

    deinit {
        bytes.deallocate()
    }

    /// Adds a piece.
    ///
    /// - Parameters:
    ///   - byteCountMax: The maximum size of the piece in bytes.
    ///   - fill: Writes the piece to memory of that size, and returns the end of the piece.
    mutating func add(
        _ number: UInt64, atMost byteCountMax: Int,
        _ fill: (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer
    ) {
        let size = used + byteCountMax + (entries.count + 1) * MemoryLayout<Entry>.stride
        if size > memoryBytes / 2, !entries.isEmpty, !isFull { writeRun() }
        if used + byteCountMax > bytes.count {
            grow(to: max(used + byteCountMax, bytes.count * 2))
        }
        guard let room = bytes.baseAddress.map({ $0 + used }) else { return }
        let count = fill(room) - room
        precondition(
            count >= 0 && count <= byteCountMax, "A piece is larger than the memory it asked for")
        entries.append(Entry(number: number, start: used, count: count))
        used += count
        self.count += 1
    }

    /// Enlarges the buffer for a piece larger than the buffer, or for pieces that cannot be
    /// written.
    private mutating func grow(to size: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<used]))
        bytes.deallocate()
        bytes = larger
    }

    /// Calls a closure with each piece in the order of the numbers; no piece can be added
    /// afterwards.
    ///
    /// - Parameter body: Receives a number and its piece, which is valid only during the call.
    /// - Throws: `RunFailure` (74) if the file cannot be read, or an error of `body`.
    mutating func forEach(_ body: (UInt64, UnsafeRawBufferPointer) throws -> Void) throws {
        sort()
        let share = max(1 << 12, memoryBytes / 2 / (runs.count + 1))
        var readers: [RunReader] = []
        for run in runs {
            let reader = RunReader(
                file, start: run.start, end: run.start + run.byteCount, blockBytes: share)
            if try reader.next() { readers.append(reader) }
        }
        let room = PieceBuffer()
        // The pieces in memory were added after those in the runs.
        var rest = entries[...]
        // A heap of run indexes by their next number. Of equal numbers, the earlier run comes
        // first.
        var heap = RunHeap(readers.map(\.number) + (rest.first.map { [$0.number] } ?? []))
        while let (number, place) = heap.first {
            if place == readers.count {
                let entry = rest.removeFirst()
                try body(
                    number,
                    UnsafeRawBufferPointer(
                        rebasing: bytes[entry.start..<(entry.start + entry.count)]))
                heap.replaceFirst(with: rest.first?.number)
            } else {
                let reader = readers[place]
                try body(number, reader.piece(in: room))
                heap.replaceFirst(with: try reader.next() ? reader.number : nil)
            }
        }
    }

    private mutating func sort() {
        // The start position reflects the order of addition.
        entries.sort { ($0.number, $0.start) < ($1.number, $1.start) }
    }

    /// Writes the pieces in memory as a run.
    ///
    /// If that fails, they stay in memory unchanged.
    private mutating func writeRun() {
        let size = used + entries.count * RunReader.headBytes
        guard fileBytes + Int64(size) <= fileBytesMax, runs.count < runsMax else {
            isFull = true
            return
        }
        sort()
        var position = fileBytes
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 8)
        defer { block.deallocate() }
        var filled = 0
        func write(_ piece: UnsafeRawBufferPointer) -> Bool {
            guard file.write(piece, at: position) else { return false }
            position += Int64(piece.count)
            return true
        }
        for entry in entries {
            let size = RunReader.headBytes + entry.count
            if filled + size > block.count {
                guard write(UnsafeRawBufferPointer(rebasing: block[..<filled])) else {
                    return fail()
                }
                filled = 0
            }
            let piece = UnsafeRawBufferPointer(
                rebasing: bytes[entry.start..<(entry.start + entry.count)])
            block.storeBytes(of: entry.number, toByteOffset: filled, as: UInt64.self)
            block.storeBytes(of: UInt32(entry.count), toByteOffset: filled + 8, as: UInt32.self)
            if size <= block.count {
                UnsafeMutableRawBufferPointer(
                    rebasing: block[(filled + RunReader.headBytes)...]
                ).copyMemory(from: piece)
                filled += size
            } else {
                let head = UnsafeRawBufferPointer(rebasing: block[..<RunReader.headBytes])
                guard write(head), write(piece) else { return fail() }
            }
        }
        guard write(UnsafeRawBufferPointer(rebasing: block[..<filled])) else { return fail() }
        runs.append(Run(start: fileBytes, byteCount: position - fileBytes))
        fileBytes = position
        entries.removeAll(keepingCapacity: true)
        used = 0
        if bytes.count > memoryBytes / 2 {
            // A piece larger than the regular buffer enlarged it.
            bytes.deallocate()
            bytes = .allocate(byteCount: memoryBytes / 2, alignment: 8)
        }
    }

    private mutating func fail() {
        hasFailed = true
        isFull = true
    }
}

/// A min-heap of (number, run index) pairs.
///
/// Of equal numbers, the lower index comes first.
private struct RunHeap {
    private var nodes: [(number: UInt64, place: Int)]

    /// Creates a heap of the runs by the number of their first pieces.
    ///
    /// - Parameter numbers: The number of each run, by index.
    init(_ numbers: [UInt64]) {
        // A sorted array is a heap.
        nodes = numbers.enumerated().map { ($1, $0) }.sorted { Self.precedes($0, $1) }
    }

    var first: (number: UInt64, place: Int)? { nodes.first }

    /// Replaces the number of the first entry; `nil` removes the entry.
    mutating func replaceFirst(with number: UInt64?) {
        var node: (number: UInt64, place: Int)
        if let number {
            node = (number, nodes[0].place)
        } else {
            node = nodes.removeLast()
            guard !nodes.isEmpty else { return }
        }
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < nodes.count else { break }
            if child + 1 < nodes.count, Self.precedes(nodes[child + 1], nodes[child]) { child += 1 }
            guard Self.precedes(nodes[child], node) else { break }
            nodes[parent] = nodes[child]
            parent = child
        }
        nodes[parent] = node
    }

    private static func precedes(
        _ a: (number: UInt64, place: Int), _ b: (number: UInt64, place: Int)
    ) -> Bool {
        a.number < b.number || (a.number == b.number && a.place < b.place)
    }
}
