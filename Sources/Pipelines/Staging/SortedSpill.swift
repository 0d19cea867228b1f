/// Pieces of bytes that come in any order and go out in the order of their numbers, in little memory
/// however many they are.
///
/// What fills half of its memory is sorted and written as a run to a file without a name, which is
/// gone with whoever has it open; in the end the runs are merged. Pieces of one number keep their
/// order.
struct SortedSpill: ~Copyable {
    private struct Entry {
        var number: UInt64
        var start: Int
        var count: Int
    }

    /// A run: a piece is its number, its length and its bytes.
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
    /// How many pieces it holds.
    private(set) var count = 0
    /// No more is to be added, since the file would take more than it may, or cannot be written, or
    /// has as many runs as can be merged; what comes all the same stays in memory.
    private(set) var isFull = false
    /// The file could not be written, and nothing of what was added is lost.
    private(set) var hasFailed = false

    /// - Parameters:
    ///   - file: where pieces are written, once there are more than fit the memory; no other spill
    ///     uses it meanwhile.
    ///   - memoryBytes: what it takes, about.
    ///   - fileBytesMax: what the file may take.
    ///   - runsMax: how many runs it may have; each needs a block of memory when they are merged.
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
    ///   - byteCountMax: how many bytes it has at most.
    ///   - fill: writes it to as many, and returns where it ends.
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
        entries.append(Entry(number: number, start: used, count: count))
        used += count
        self.count += 1
    }

    /// A piece may be larger than what there is for all; and what cannot be written stays here.
    private mutating func grow(to size: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<used]))
        bytes.deallocate()
        bytes = larger
    }

    /// Gives all pieces in the order of their numbers; nothing can be added afterwards.
    ///
    /// - Parameter body: gets a number and its piece, which lives as long as the call.
    /// - Throws: `RunFailure` (74) where the file cannot be read, or what `body` throws.
    mutating func forEach(_ body: (UInt64, UnsafeRawBufferPointer) throws -> Void) throws {
        sort()
        let share = max(1 << 12, memoryBytes / 2 / (runs.count + 1))
        var readers: [RunReader] = []
        for run in runs {
            let reader = RunReader(
                file, start: run.start, end: run.start + run.byteCount, blockBytes: share)
            if try reader.next() { readers.append(reader) }
        }
        let room = PieceRoom()
        // What is in memory came last.
        var rest = entries[...]
        // A heap of the runs' places by their next number; the earlier run first of equals.
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
        // Where a piece starts tells which of two came first.
        entries.sort { ($0.number, $0.start) < ($1.number, $1.start) }
    }

    /// Writes what is in memory, where it stays as it is when that cannot be done.
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
            // One piece was larger than what there is for all.
            bytes.deallocate()
            bytes = .allocate(byteCount: memoryBytes / 2, alignment: 8)
        }
    }

    private mutating func fail() {
        hasFailed = true
        isFull = true
    }
}

/// Numbers, each of a place, of which the smallest comes first, and the earlier place of equals.
private struct RunHeap {
    private var nodes: [(number: UInt64, place: Int)]

    /// - Parameter numbers: that of each place.
    init(_ numbers: [UInt64]) {
        // What is sorted is a heap.
        nodes = numbers.enumerated().map { ($1, $0) }.sorted { Self.precedes($0, $1) }
    }

    var first: (number: UInt64, place: Int)? { nodes.first }

    /// Gives the first place another number; nil takes it away.
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
