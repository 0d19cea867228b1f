internal import Diagnostics

/// A table's columns, and which of them fill which slots of its records.
///
/// The scanner wants plain memory, so who holds columns gives that back by `deallocate`.
struct CSVColumns {
    /// Nil until they are known.
    private(set) var names: [String]?
    private(set) var count = 0
    /// The slot of each column, or -1; there is room for one column even where there is none.
    private(set) var slots: UnsafeMutablePointer<Int32>
    /// Slots with the same column as an earlier one.
    private(set) var aliases: [(slot: Int, source: Int)] = []
    /// Slots that no column fills; the scanner never writes them.
    private(set) var absentSlots: [Int] = []
    /// The columns that nobody asked for.
    private(set) var extra: [String] = []

    /// No columns, before the start of the input is read.
    init() {
        slots = .allocate(capacity: 1)
    }

    /// The same columns in memory of their own.
    init(copying other: CSVColumns) {
        self = other
        slots = .allocate(capacity: max(1, count))
        slots.update(from: other.slots, count: count)
    }

    /// - Parameter place: where the name of a column stands.
    init(
        _ names: [String], _ selection: FieldSelection, at place: (_ column: Int) -> RecordLocation
    ) throws(RecordStreamError) {
        // Names are compared as bytes: `String` would take canonically equal ones for the same.
        var columns: [[UInt8]: Int] = [:]
        for (index, name) in names.enumerated() {
            guard columns.updateValue(index, forKey: Array(name.utf8)) == nil else {
                throw RecordStreamError(.csvDuplicateHeader(name: name), at: place(index))
            }
        }
        self.names = names
        count = names.count
        var slots = Array(repeating: Int32(-1), count: max(1, count))
        for (slot, path) in selection.paths.enumerated() {
            let spellings = [path.text, path.columnName].compactMap(\.self)
            guard let column = spellings.lazy.compactMap({ columns[Array($0.utf8)] }).first else {
                guard selection.optional.contains(slot) else {
                    throw RecordStreamError(
                        .csvUnknownColumn(name: path.text, header: names), at: place(0))
                }
                absentSlots.append(slot)
                continue
            }
            if slots[column] < 0 {
                slots[column] = Int32(slot)
            } else {
                aliases.append((slot, Int(slots[column])))
            }
        }
        guard absentSlots.isEmpty || absentSlots.count < selection.paths.count else {
            throw RecordStreamError(
                .csvNothingFits(wanted: selection.paths.map(\.text), header: names), at: place(0))
        }
        self.slots = .allocate(capacity: slots.count)
        self.slots.initialize(from: slots, count: slots.count)
        extra = names.indices.filter { slots[$0] < 0 }.map { names[$0] }
    }

    func deallocate() {
        slots.deallocate()
    }
}
