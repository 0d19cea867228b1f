internal import Diagnostics

/// The columns of a table, and the slots that they fill.
///
/// A slot is the index of a selected field in every record.
struct CSVColumns {
    /// The column names, or `nil` until they are known.
    private(set) var names: [String]?
    private(set) var count = 0
    /// The slot that each column fills, or -1 for an unselected column.
    ///
    /// It has capacity for at least one column, so it is never null.
    private(set) var slots: UnsafeMutablePointer<Int32>
    /// The slots that are filled by the same column as an earlier slot.
    private(set) var aliases: [(slot: Int, source: Int)] = []
    /// The slots that no column fills; the scanner never writes them.
    private(set) var absentSlots: [Int] = []
    /// The names of the columns that fill no slot, because no path selects them.
    private(set) var extra: [String] = []

    /// Creates an empty list of columns, used until the start of the input is read.
    init() {
        slots = .allocate(capacity: 1)
    }

    /// Copies the columns into separate memory.
    init(copying other: CSVColumns) {
        self = other
        slots = .allocate(capacity: max(1, count))
        slots.update(from: other.slots, count: count)
    }

    /// Assigns the columns of a table to the slots of the selected fields.
    ///
    /// - Parameter place: returns the location of a column's name.
    init(
        _ names: [String], _ selection: FieldSelection, at place: (_ column: Int) -> RecordLocation
    ) throws(RecordStreamError) {
        // Names are compared as bytes: `String` treats canonically equivalent names as equal.
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
