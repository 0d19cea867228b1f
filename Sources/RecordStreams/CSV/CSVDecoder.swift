internal import Diagnostics

/// Decodes comma- or tab-separated values, whose columns are named by a header or by the options.
///
/// Every line of input belongs to one record, even if the record is bad: decoding resumes at the
/// next line start outside it. To decide whether a record is too big, the decoder reads at most the
/// size of the largest record and its line end. The result is therefore the same wherever the chunk
/// ends:
///
/// ```
/// 7,"two          The quote is not closed within the largest record, so it counts as never
/// 8,lines …       closed: the bad record is this line, and the next line is a record.
/// 9,very long …   Outside quotes, a record or a bad line is longer than the largest record:
///                 it is too big, and skipped up to the first line end after that, even if
///                 the line end is in quotes.
/// ```
final class CSVDecoder: RecordDecoder {
    let terminator: (UInt8, UInt8)
    private(set) var failure: RecordStreamError?
    private(set) var recordCount = 0
    private(set) var blankLinesBefore = 0
    /// The number of records before the last reset of the counts of unselected fields.
    private var recordsForgotten = 0

    private let source: String
    private let options: ReadOptions
    private let selection: FieldSelection
    private var dialect: CSVDialect
    private var scanner: CSVScanner
    /// The columns of the header; empty until the start of the input is read.
    private var columns: CSVColumns
    private var isSkippingLine = false
    private var preambleBlankLines = 0

    init(
        source: String, format: RecordFormat, selection: FieldSelection, options: ReadOptions
    ) throws(RecordStreamError) {
        self.source = source
        self.options = options
        self.selection = selection
        dialect = try CSVDialect(format: format, options: options, source: source)
        terminator = (10, dialect.quote ?? 10)
        scanner = CSVScanner(dialect, nulls: options.nulls)
        columns = CSVColumns()
    }

    /// Creates a copy that decodes pieces of the same input after its header on another thread.
    private init(of other: CSVDecoder) {
        source = other.source
        options = other.options
        selection = other.selection
        dialect = other.dialect
        terminator = other.terminator
        scanner = other.scanner
        columns = CSVColumns(copying: other.columns)
    }

    deinit {
        columns.deallocate()
    }

    var columnNames: [String]? { columns.names }

    var extraFields: [(name: String, count: Int)] {
        columns.extra.map { ($0, recordCount - recordsForgotten) }
    }

    func forgetExtraFields() { recordsForgotten = recordCount }

    var lineEnd: UInt8 { dialect.endsAtReturn ? 13 : 10 }

    // MARK: Header

    private var header: CSVHeader {
        CSVHeader(
            source: source, recordBytesMax: options.maxRecordBytes, encoding: options.encoding,
            lineEnd: lineEnd)
    }

    func begin(
        _ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool
    ) throws(RecordStreamError) -> Int? {
        guard let mark = try startOfTable(bytes, isFinal: isFinal) else { return nil }
        let text = UnsafeBufferPointer(rebasing: bytes[mark...])
        let isLonger = text.count > windowByteCount
        let endsAtReturn =
            options.endsAtReturn
            ?? dialect.firstLineEndsAtReturn(
                UnsafeBufferPointer(rebasing: text.prefix(windowByteCount)),
                isFinal: isFinal && !isLonger)
        if endsAtReturn == nil {
            guard isLonger else { return nil }
            // Without a header, this is a bad record like any other, and LF ends nearly all lines.
            if options.header, let first = bytes.baseAddress {
                throw header.tooLong(
                    at: header.start(from: first + mark, to: first + bytes.count), first)
            }
        }
        dialect.endsAtReturn = endsAtReturn ?? false
        scanner = CSVScanner(dialect, nulls: options.nulls)
        guard options.header else {
            guard let columns = options.columns else {
                throw RecordStreamError(.csvNoColumnNames, in: source)
            }
            try setColumns(columns) { _ in RecordLocation(source: source) }
            return mark
        }
        guard let first = bytes.baseAddress else {
            throw RecordStreamError(.csvNoHeader, in: source)
        }
        let limit = first + bytes.count
        let start = header.start(from: first + mark, to: limit)
        blankLinesBefore =
            preambleBlankLines + CSVHeader.lineCount(from: first + mark, to: start)
        guard start < limit else {
            guard isFinal else { return nil }
            throw RecordStreamError(.csvNoHeader, in: source)
        }
        guard
            let (names, places, next) = try header.names(
                first, from: start, to: limit, isFinal: isFinal, scanner: scanner)
        else { return nil }
        if let columns = options.columns {
            guard columns.count == names.count else {
                throw RecordStreamError(
                    .csvColumnCount(columns: columns.count, header: names.count),
                    at: header.placeOfName(start, first))
            }
            try setColumns(columns) { header.placeOfName(places[$0], first) }
        } else {
            try setColumns(names) { header.placeOfName(places[$0], first) }
            // If no column is selected, each row would be reported as having too many fields.
            if names == [""] {
                throw header.error("the first line names no column", at: start, first)
            }
        }
        return next - first
    }

    /// Returns the first byte after the byte-order mark and the lines before the table, or `nil` if
    /// more data is needed.
    private func startOfTable(
        _ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool
    ) throws(RecordStreamError) -> Int? {
        guard let mark = byteOrderMarkLength(bytes, isFinal: isFinal) else { return nil }
        guard options.linesSkipped > 0 || options.comment != nil else { return mark }
        let preamble = dialect.preamble(
            UnsafeBufferPointer(rebasing: bytes[mark...]), lines: options.linesSkipped,
            comments: options.header, lineBytesMax: options.maxRecordBytes,
            bytesMax: max(options.maxPreambleBytes, options.maxRecordBytes), isFinal: isFinal)
        switch preamble {
        case .ends(let place, let blankLines):
            preambleBlankLines = blankLines
            return mark + place
        case .needsMore: return nil
        case .tooFewLines:
            throw RecordStreamError(.csvTooShort(skip: options.linesSkipped), in: source)
        case .tooLong:
            throw RecordStreamError(
                .csvHeader(
                    reason: "the lines before it are longer than "
                        + "\(max(options.maxPreambleBytes, options.maxRecordBytes)) bytes together"),
                in: source)
        case .lineTooLong:
            throw RecordStreamError(
                .csvHeader(reason: "a line before it is not terminated"), in: source)
        }
    }

    private func setColumns(
        _ names: [String], at place: (_ column: Int) -> RecordLocation
    ) throws(RecordStreamError) {
        let named = try CSVColumns(names, selection, at: place)
        columns.deallocate()
        columns = named
        guard !options.columnNulls.isEmpty else { return }
        var nulls = Array(repeating: [[UInt8]](), count: selection.paths.count)
        for only in options.columnNulls {
            guard
                let column = names.firstIndex(where: { $0.utf8.elementsEqual(only.column.utf8) })
            else {
                throw RecordStreamError(
                    .csvUnknownColumn(name: only.column, header: names), at: place(0))
            }
            let slot = Int(columns.slots[column])
            if slot >= 0 { nulls[slot] += only.texts.map { Array($0.utf8) } }
        }
        scanner.setNulls(nulls)
    }

    // MARK: Records

    func piece(of chunk: ByteChunk, recordsMax: Int) -> Piece {
        // If CR ends records, an LF may follow the end of the chunk.
        guard !isSkippingLine, !dialect.endsAtReturn, dialect.canBeSplit else { return Piece() }
        let cutter = PieceSplitter(
            quoting: dialect.quote.map { ($0, dialect.delimiter[0]) },
            recordBytesMax: options.maxRecordBytes)
        return cutter.piece(of: chunk, recordsMax: recordsMax)
    }

    func twin() -> (any RecordDecoder)? { CSVDecoder(of: self) }

    func rowSplitter() -> RowSplitter? { RowSplitter(dialect, columnCount: columns.count) }

    func decode(into batch: RecordBatch, isFinal: Bool) -> Int {
        let chunkStart = Bytes(batch.chunk.start)
        let limit = chunkStart + batch.chunk.count
        var position = chunkStart
        var scanner = self.scanner
        let slotCount = batch.slotCount
        let columnCount = columns.count
        var target = CSVScanner.Target(
            fields: batch.fieldStorage, slots: columns.slots, columnCount: columnCount)
        while position < limit, !batch.isFull {
            if isSkippingLine {
                guard let next = nextLine(position, limit) else { return batch.chunk.count }
                isSkippingLine = false
                position = next
                continue
            }
            if position.pointee == 10 || position.pointee == 13, columnCount > 1,
                let next = scanner.lineEnd(position, limit: limit, isFinal: isFinal)
            {
                batch.addBlankLines()
                position = next
                continue
            }
            if position.pointee == scanner.comment, dialect.comment != nil {
                guard let next = nextLine(position, limit) else {
                    isSkippingLine = !isFinal
                    return batch.chunk.count
                }
                position = next
                continue
            }
            target.fields = batch.fieldStorage + batch.count * slotCount
            let outcome = scanner.record(
                position, limit: limit, isFinal: isFinal, target: target, arena: batch.arena)
            if case .record(let next) = outcome, scanner.fieldCount == columnCount,
                !scanner.needsValidation, next - position <= options.maxRecordBytes
            {
                keep(position, scanner.recordEnd ?? next, target: target, batch: batch)
                position = next
                continue
            }
            guard
                let next = unusual(
                    outcome, position, limit, isFinal: isFinal, scanner: scanner, target: target,
                    batch: batch)
            else { break }
            position = next
        }
        return position - chunkStart
    }

    @inline(__always)
    private func keep(
        _ start: Bytes, _ end: Bytes, target: CSVScanner.Target, batch: RecordBatch
    ) {
        recordCount += 1
        for slot in columns.absentSlots { target.fields[slot] = Field(.absent) }
        for alias in columns.aliases { target.fields[alias.slot] = target.fields[alias.source] }
        batch.spanStorage[batch.count] = RecordBatch.Span(
            offset: start - Bytes(batch.chunk.start), byteCount: end - start, number: recordCount,
            extraFieldCount: Int32(truncatingIfNeeded: columns.extra.count))
        batch.count += 1
    }

    /// Handles the result of the scanner for a record that is not just plain, valid fields.
    ///
    /// The record may be incomplete, bad, or too big, have another number of fields, or contain
    /// bytes above 0x7F that must be validated.
    ///
    /// - Returns: the start of the next record, or `nil` if more data is needed.
    private func unusual(
        _ outcome: CSVScanner.Outcome, _ start: Bytes, _ limit: Bytes, isFinal: Bool,
        scanner: CSVScanner, target: CSVScanner.Target, batch: RecordBatch
    ) -> Bytes? {
        let isLonger = limit - start > windowByteCount
        var outcome = outcome
        if isLonger {
            let chunk = batch.chunk.start
            outcome = scanner.limited(
                outcome, of: chunk + (start - Bytes(chunk)), to: windowByteCount, target: target,
                arena: batch.arena)
        }
        switch outcome {
        case .incomplete:
            guard isLonger else { return nil }
            return skipBad(
                .tooBig, start, limit, at: start + windowByteCount - 1, isFinal: isFinal,
                batch: batch)
        case .incompleteInQuotes(let opened):
            guard isFinal || isLonger else { return nil }
            return skipBad(
                .unterminatedQuote, start, limit, at: opened, isFinal: isFinal, batch: batch)
        case .bad(let fault, let place):
            return skipBad(fault, start, limit, at: place, isFinal: isFinal, batch: batch)
        case .record(let next):
            let end = scanner.recordEnd ?? next
            if let fault = fault(of: scanner, start, end) {
                reject(fault.fault, start, end, at: fault.place, batch: batch)
                return next
            }
            if scanner.fieldCount < columns.count {
                for column in scanner.fieldCount..<columns.count where target.slots[column] >= 0 {
                    target.fields[Int(target.slots[column])] = Field(.absent)
                }
            }
            keep(start, end, target: target, batch: batch)
            return next
        }
    }

    private func fault(
        of scanner: CSVScanner, _ start: Bytes, _ end: Bytes
    ) -> (fault: CSVFault, place: Bytes)? {
        if end - start > options.maxRecordBytes { return (.tooBig, start) }
        if scanner.needsValidation,
            let place = UTF8Validation.firstInvalid(from: start, to: end)
        {
            return (.invalidUTF8, place)
        }
        let count = scanner.fieldCount
        if count > columns.count { return (.tooManyFields(count, expected: columns.count), start) }
        if count < columns.count, !options.padsShortRows {
            return (.tooFewFields(count, expected: columns.count), start)
        }
        return nil
    }

    // MARK: Bad records

    /// The number of bytes that must be read to decide whether a record is too big.
    ///
    /// It is the size of the largest record with CRLF.
    private var windowByteCount: Int { options.maxRecordBytes + 2 }

    /// Rejects a bad record, which ends at the end of the line that contains the fault.
    private func skipBad(
        _ fault: CSVFault, _ start: Bytes, _ limit: Bytes, at place: Bytes, isFinal: Bool,
        batch: RecordBatch
    ) -> Bytes? {
        let next = nextLine(place, limit)
        guard next != nil || isFinal || limit - start > windowByteCount else { return nil }
        var end = limit
        if let next {
            end = next - 1
            if end > start, end.pointee == 10, end[-1] == 13 { end -= 1 }
        }
        if end - start > options.maxRecordBytes {
            reject(.tooBig, start, end, at: start, batch: batch)
        } else {
            reject(fault, start, end, at: place, batch: batch)
        }
        isSkippingLine = next == nil && !isFinal
        return next ?? limit
    }

    /// Returns the start of the next line, ignoring quotes.
    private func nextLine(_ start: Bytes, _ limit: Bytes) -> Bytes? {
        firstIndex(of: dialect.endsAtReturn ? 13 : 10, from: start, to: limit).map { $0 + 1 }
    }

    private func reject(
        _ fault: CSVFault, _ start: Bytes, _ end: Bytes, at place: Bytes, batch: RecordBatch
    ) {
        recordCount += 1
        let chunkStart = Bytes(batch.chunk.start)
        batch.reject(
            fault.recordFault(options.encoding), number: recordCount, offset: start - chunkStart,
            byteCount: end - start, faultOffset: place - chunkStart)
    }
}
