/// Sorts the keys of an index in bounded memory.
///
/// ```
/// let order = KeyOrder(columns: 1)
/// let sorter = KeySorter(order, isUnique: false, spill: spill, memoryBytes: 1 << 25)
/// try sorter.add(key)                        // once per row, in rising order of the row IDs
/// try sorter.finish()                        // may run on another thread than the next line
/// try sorter.forEach { key in try tree.add(key) }
/// ```
/// Keys that fill the memory are sorted and written as a run to a temporary file; `forEach` merges
/// the runs. Keys with equal columns keep the order in which they were added, which is the order of
/// their row IDs. If some columns are already in order wherever the columns before them are equal,
/// leave them out of the order.
package final class KeySorter {
    /// A key in memory: the number that its first bytes form, and the position of its size and
    /// bytes.
    struct Entry {
        var prefix: UInt64
        var start: Int
    }

    private static let sizeBytes = 4
    /// The minimum size of a run's buffer in a merge.
    private static let blockBytesMin = 1 << 14
    /// The limit under which a merge may use more memory than it was given.
    private static let mergeBytesMax = 4 << 20
    /// The memory of a key besides its bytes: its entry, and another one to sort with.
    private static let entryBytes = 2 * MemoryLayout<Entry>.stride

    private let order: KeyOrder
    private let isUnique: Bool
    private let memoryBytes: Int
    private let spill: KeySpill
    // Unchecked: only one thread uses it at a time, and no access is nested in another.
    @exclusivity(unchecked) private var bytes: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private var used = 0
    @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Entry>
    @exclusivity(unchecked) private var entryCount = 0
    @exclusivity(unchecked) private var isExact = true
    @exclusivity(unchecked) private var runs: [KeySpill.Run] = []
    private var isFinished = false

    /// Creates a sorter.
    ///
    /// - Parameters:
    ///   - isUnique: whether two keys with equal columns are an error.
    ///   - spill: the temporary file, which several sorters may share.
    ///   - memoryBytes: the approximate limit; a larger key is accepted. When runs are merged, the
    ///     memory of each must also hold its largest key.
    package init(_ order: KeyOrder, isUnique: Bool, spill: KeySpill, memoryBytes: Int) {
        self.order = order
        self.isUnique = isUnique
        self.spill = spill
        self.memoryBytes = max(memoryBytes, 1 << 12)
        // The system provides the memory only when it is used.
        capacity = self.memoryBytes
        bytes = .allocate(byteCount: capacity, alignment: 8)
        entries = .allocate(capacity: self.memoryBytes / Self.entryBytes + 1)
    }

    deinit {
        bytes.deallocate()
        entries.deallocate()
    }

    /// Adds a key: the record of its columns and its row ID.
    @inline(__always)
    package func add(_ key: UnsafeRawBufferPointer) throws(PageFault) {
        let count = Self.sizeBytes + key.count
        if isFull(adding: count) { try makeSpace(count) }
        guard let start = key.baseAddress else { return }
        entries[entryCount] = Entry(prefix: order.prefix(of: key, isExact: &isExact), start: used)
        entryCount += 1
        bytes.storeBytes(of: UInt32(key.count), toByteOffset: used, as: UInt32.self)
        (bytes + used + Self.sizeBytes).copyMemory(from: start, byteCount: key.count)
        used += Self.sizeBytes + key.count
    }

    private func isFull(adding count: Int) -> Bool {
        used + count > capacity
            || used + count + (entryCount + 1) * Self.entryBytes > memoryBytes
    }

    /// Writes a run, and grows the buffer for a key that is larger than it.
    private func makeSpace(_ count: Int) throws(PageFault) {
        if entryCount > 0 { try writeRun() }
        guard count > capacity else { return }
        bytes.deallocate()
        capacity = count
        bytes = .allocate(byteCount: capacity, alignment: 8)
    }

    private func key(_ entry: Entry) -> UnsafeRawBufferPointer {
        let size = bytes.loadUnaligned(fromByteOffset: entry.start, as: UInt32.self)
        return UnsafeRawBufferPointer(
            start: bytes + entry.start + Self.sizeBytes, count: Int(size))
    }

    // MARK: Sorting

    private func sort() {
        let room = UnsafeMutablePointer<Entry>.allocate(capacity: max(1, entryCount))
        defer { room.deallocate() }
        PrefixSort.sort(entries, count: entryCount, using: room)
        guard !isExact || !order.hasOneColumn else { return }
        var first = 0
        while first < entryCount {
            var end = first + 1
            while end < entryCount, entries[end].prefix == entries[first].prefix { end += 1 }
            if end - first > 1 { sortEqual(first..<end) }
            first = end
        }
    }

    /// Sorts entries with equal prefixes by their keys.
    private func sortEqual(_ places: Range<Int>) {
        var slice = UnsafeMutableBufferPointer(
            start: entries + places.lowerBound, count: places.count)
        slice.sort { left, right in
            let result = order.compare(
                bytes + left.start + Self.sizeBytes, bytes + right.start + Self.sizeBytes)
            return result != 0 ? result < 0 : left.start < right.start
        }
    }

    private func writeRun() throws(PageFault) {
        sort()
        var writer = spill.beginRun()
        for place in 0..<entryCount {
            try writer.add(entries[place].prefix, key(entries[place]))
        }
        runs.append(try writer.finish())
        entryCount = 0
        used = 0
    }

    /// Frees the memory, which the merge needs.
    private func release() {
        bytes.deallocate()
        entries.deallocate()
        capacity = 8
        bytes = .allocate(byteCount: capacity, alignment: 8)
        entries = .allocate(capacity: 1)
    }

    /// Sorts what is still in memory; no key can be added afterwards.
    package func finish() throws(PageFault) {
        guard !isFinished else { return }
        isFinished = true
        if runs.isEmpty { return sort() }
        if entryCount > 0 { try writeRun() }
        release()
    }

    // MARK: Reading

    /// Calls a closure with each key in order; the bytes are valid during the call.
    ///
    /// - Throws: `PageFault.duplicateKey`, or an error of the closure.
    package func forEach(
        _ body: (UnsafeRawBufferPointer) throws(PageFault) -> Void
    ) throws(PageFault) {
        try finish()
        var check = DuplicateCheck(order, isOn: isUnique)
        if runs.isEmpty {
            for place in 0..<entryCount {
                let key = key(entries[place])
                try check.see(entries[place].prefix, key)
                try body(key)
            }
            return
        }
        let share = memoryBytes / (runs.count + 1)
        guard share >= Self.blockBytesMin || memoryBytes < Self.mergeBytesMax else {
            throw .unsuitable("its keys do not fit in memory")
        }
        var merge = try KeyMerge(
            runs, order, in: spill, blockBytes: max(share, Self.blockBytesMin))
        while let (prefix, key) = merge.first {
            try check.see(prefix, key)
            try body(key)
            try merge.removeFirst()
        }
    }
}

/// Reports two equal keys of a unique index; sorted keys that are equal come one after the other.
private struct DuplicateCheck: ~Copyable {
    private let order: KeyOrder
    private let isOn: Bool
    private var prefix: UInt64 = 0
    private var last: [UInt8] = []

    init(_ order: KeyOrder, isOn: Bool) {
        self.order = order
        self.isOn = isOn
    }

    @inline(__always)
    mutating func see(
        _ prefix: UInt64, _ key: UnsafeRawBufferPointer
    ) throws(PageFault) {
        guard isOn else { return }
        if prefix == self.prefix, !last.isEmpty, let start = key.baseAddress {
            let isEqual = last.withUnsafeBytes { bytes in
                bytes.baseAddress.map { order.compare($0, start) == 0 } ?? false
            }
            // SQLite regards NULLs as distinct.
            if isEqual, !order.hasNull(start) { throw .duplicateKey }
        }
        self.prefix = prefix
        last.removeAll(keepingCapacity: true)
        last.append(contentsOf: key)
    }
}

/// Sorts entries by their prefixes with a radix sort; entries with equal prefixes keep their order.
private enum PrefixSort {
    private static let digitBits = 11
    private static let digitMask: UInt64 = (1 << 11) - 1
    /// The number of entries below which comparing takes less time than counting digits.
    private static let insertionMax = 64

    static func sort(
        _ entries: UnsafeMutablePointer<KeySorter.Entry>, count: Int,
        using room: UnsafeMutablePointer<KeySorter.Entry>
    ) {
        guard count > insertionMax else { return sortFew(entries, count) }
        var differing: UInt64 = 0
        var isSorted = true
        for place in 1..<count {
            differing |= entries[place].prefix ^ entries[0].prefix
            if entries[place].prefix < entries[place - 1].prefix { isSorted = false }
        }
        guard !isSorted else { return }
        var (from, to) = (entries, room)
        for shift in stride(from: UInt64(0), to: 64, by: digitBits)
        where differing >> shift & digitMask != 0 {
            move(from, to, count, byDigitAt: shift)
            swap(&from, &to)
        }
        if from != entries { entries.update(from: from, count: count) }
    }

    private static func sortFew(_ entries: UnsafeMutablePointer<KeySorter.Entry>, _ count: Int) {
        guard count > 1 else { return }
        for place in 1..<count {
            let entry = entries[place]
            var hole = place
            while hole > 0, entries[hole - 1].prefix > entry.prefix {
                entries[hole] = entries[hole - 1]
                hole -= 1
            }
            entries[hole] = entry
        }
    }

    private static func move(
        _ from: UnsafeMutablePointer<KeySorter.Entry>,
        _ to: UnsafeMutablePointer<KeySorter.Entry>, _ count: Int, byDigitAt shift: UInt64
    ) {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << digitBits) { places in
            places.initialize(repeating: 0)
            for place in 0..<count { places[Int(from[place].prefix >> shift & digitMask)] += 1 }
            var next = 0
            for digit in places.indices {
                let digits = places[digit]
                places[digit] = next
                next += digits
            }
            for place in 0..<count {
                let digit = Int(from[place].prefix >> shift & digitMask)
                to[places[digit]] = from[place]
                places[digit] += 1
            }
        }
    }
}
