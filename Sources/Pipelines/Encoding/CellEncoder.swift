import GraphModel
import GraphStore

/// A buffer for the text of a value, which is freed with its owner.
private final class CellMemory {
    let room = UnsafeMutableBufferPointer<UInt8>.allocate(
        capacity: ScalarFormatter.decimalBytesMax)

    deinit {
        room.deallocate()
    }
}

/// Writes a column's value in a form that imports read back as the same value.
struct CellEncoder<Output: CellOutput> {
    private let encoder: Output
    private let room: UnsafeMutableBufferPointer<UInt8>
    private let memory: CellMemory
    /// The location of external values, or `nil` for values that are in no store.
    private let external: ExternalValues?
    private let missing: MissingFiles?

    init(_ encoder: Output, external: ExternalValues? = nil, _ missing: MissingFiles? = nil) {
        self.encoder = encoder
        self.external = external
        self.missing = missing
        memory = CellMemory()
        room = memory.room
    }

    func write(_ cell: BulkCell, _ column: RowColumn) {
        // Use a pattern here and below: `==` of another module's enum is a call.
        if case .null = cell.kind { return encoder.null() }
        guard case .attribute(let type) = column.content else {
            return encoder.integer(cell.integerValue)
        }
        switch type {
        case .string, .uri: encoder.text(cell.bytes)
        case .boolean: encoder.bool(cell.integerValue != 0)
        case .integer16, .integer32, .integer64: encoder.integer(cell.integerValue)
        case .double, .float: encoder.double(number(cell))
        case .date: encoder.ascii(text(ScalarFormatter.isoDate(number(cell), into: room)))
        case .uuid: encoder.ascii(text(ScalarFormatter.uuid(cell.bytes, into: room)))
        case .decimal:
            if case .text = cell.kind { return encoder.number(cell.bytes) }
            encoder.number(text(ScalarFormatter.decimal(number(cell), into: room)))
        case .transformable: writeTransformable(cell.bytes, column)
        case .binary:
            guard column.isExternal, let external else { return writeBase64(cell.bytes) }
            external.withValue(of: cell.bytes) { value in
                if let value { return writeBase64(value) }
                missing?.isRowAffected = true
                encoder.null()
            }
        case .undefined: writeUndefined(cell)
        case .composite: encoder.null()
        }
    }

    /// Writes the value of a transformable attribute: JSON unchanged, and other content in base64.
    ///
    /// An archive of plain classes in an app's store is written as JSON, which people can read. Our
    /// stores can be filled again from base64 alone.
    private func writeTransformable(_ bytes: UnsafeBufferPointer<UInt8>, _ column: RowColumn) {
        let isOfApp = external?.isOfApp == true
        guard isOfApp || column.isArchive, TransformedBytes.isForeign(bytes) else {
            return encoder.json(bytes)
        }
        let json = TransformedBytes.json(bytes, readsArchives: isOfApp)
        json.withUnsafeBufferPointer { encoder.json($0) }
    }

    /// Writes the value of a column without a type by its storage class.
    private func writeUndefined(_ cell: BulkCell) {
        switch cell.kind {
        case .integer: encoder.integer(cell.integerValue)
        case .real: encoder.double(cell.realValue)
        case .text: encoder.text(cell.bytes)
        case .blob: writeBase64(cell.bytes)
        default: encoder.null()
        }
    }

    /// Returns a number; dates in full seconds and decimals without a fraction are stored as
    /// integers.
    private func number(_ cell: BulkCell) -> Double {
        if case .integer = cell.kind { return Double(cell.integerValue) }
        return cell.realValue
    }

    private func text(_ count: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: room.baseAddress, count: count)
    }

    private func writeBase64(_ bytes: UnsafeBufferPointer<UInt8>) {
        // Empty data is a value, which a table must distinguish from null.
        guard !bytes.isEmpty else { return encoder.text(bytes) }
        let count = ScalarFormatter.base64Bytes(bytes.count)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(1, count)) { room in
            let written = ScalarFormatter.base64(bytes, into: room)
            encoder.ascii(UnsafeBufferPointer(start: room.baseAddress, count: written))
        }
    }
}
