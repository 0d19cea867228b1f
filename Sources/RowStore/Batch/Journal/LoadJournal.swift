/// Collects what a load must save about its rows: the changes since the last save.
///
/// If a load is killed, the next one restores this state from the notes that were committed with
/// each save. Each save adds only the changes, so its cost depends on the batch.
struct LoadJournal {
    /// The rows that records named for the first time, as ranges of primary keys.
    private(set) var seen: [Range<Int64>] = []
    /// The objects that links named for the first time and that a later deletion spares.
    private(set) var spared: [Range<Int64>] = []
    /// The rows whose difference from their original state has changed.
    private(set) var changed: [Int64] = []
    /// The number of deferred rows that a note already contains.
    var deferredCount = 0
    /// The number under which the next note is stored; notes are numbered from 0.
    var number: Int64 = 0

    mutating func noteSeen(_ key: Int64) { Self.add(key, to: &seen) }

    mutating func noteSpared(_ key: Int64) { Self.add(key, to: &spared) }

    private static func add(_ key: Int64, to runs: inout [Range<Int64>]) {
        // A range cannot end after the largest integer, which only a row of another program has.
        guard key < .max else { return }
        if let last = runs.indices.last, runs[last].upperBound == key {
            runs[last] = runs[last].lowerBound..<(key + 1)
        } else {
            runs.append(key..<(key + 1))
        }
    }

    mutating func noteChanged(_ key: Int64) { changed.append(key) }

    mutating func removeAll() {
        seen.removeAll(keepingCapacity: true)
        spared.removeAll(keepingCapacity: true)
        changed.removeAll(keepingCapacity: true)
    }
}

/// Writes numbers and bytes in sequence; small numbers take few bytes (LEB128).
struct NoteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func write(word: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: word >> shift))
        }
    }

    mutating func write(_ text: UnsafeBufferPointer<UInt8>) {
        write(UInt64(text.count))
        bytes.append(contentsOf: text)
    }
}

/// Reads the output of `NoteWriter`.
///
/// Other programs may damage the bytes. Each read throws `ProgressNotes.damaged` if the bytes end
/// too early or cannot be the output of a `NoteWriter`.
struct NoteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position >= bytes.count }

    private var rest: Int { bytes.count - position }

    private mutating func byte() throws(StoreError) -> UInt8 {
        guard position < bytes.count else { throw ProgressNotes.damaged }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func number() throws(StoreError) -> UInt64 {
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try byte()
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
        }
        throw ProgressNotes.damaged
    }

    /// Returns a number of things of which each has at least one byte in the rest of the note.
    mutating func count() throws(StoreError) -> Int {
        let number = try number()
        guard number <= UInt64(rest) else { throw ProgressNotes.damaged }
        return Int(number)
    }

    mutating func word() throws(StoreError) -> UInt64 {
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            result |= UInt64(try byte()) << shift
        }
        return result
    }

    mutating func text() throws(StoreError) -> ArraySlice<UInt8> {
        let count = try count()
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    /// Checks that nothing is left to read.
    func end() throws(StoreError) {
        guard isAtEnd else { throw ProgressNotes.damaged }
    }
}
