/// Writes records to an output, value by value in the order of the columns.
///
/// ```swift
/// let encoder = RecordEncoder(format: .csv, columns: ["id", "title"], output: file)
/// encoder.beginRecord()
/// encoder.integer(1)
/// encoder.text(title)
/// try encoder.endRecord()
/// let summary = try encoder.finish()
/// ```
/// JSON is one array with one record per line; NDJSON is one object per line. CSV and TSV start
/// with the column names, and separate the values of a list by `|`. In a list, a `|` inside a text
/// is written as `\|`, and backslashes right before a `|` are doubled. `RecordReader` reads the
/// same values from this output.
///
/// Memory is bounded whatever the length of a value or a list, because the buffer is also flushed
/// within a record.
package final class RecordEncoder {
    private static let flushByteCount = 256 * 1024
    /// The size from which values are written in parts, so that the buffer stays small.
    private static let partByteCount = 64 * 1024
    /// The byte between the values of a list in a table.
    package static let listSeparator = UInt8(ascii: "|")
    /// The value of `split` that reads such a list.
    package static let listSplit = String(UnicodeScalar(listSeparator))
    private static let listEscape = UInt8(ascii: "\\")

    private let output: OutputFile
    private let isJSON: Bool
    private let isArray: Bool
    private let csv: CSVText
    private let delimiter: UInt8
    /// For each column, the bytes that precede its value, such as a delimiter or `"title":`.
    ///
    /// They are concatenated; `prefixEnds` contains the offset where each one ends.
    private let prefixes: ByteBuffer
    private let prefixEnds: UnsafeMutablePointer<Int>
    private let recordEnd: StaticString

    // Unchecked: no method passes a buffer to code that could call this encoder, and checking every
    // access takes a tenth of the time.
    @exclusivity(unchecked)
    private var buffer = ByteBuffer(capacity: flushByteCount + 64 * 1024)
    /// The values of a list, until it is known whether the CSV field needs quotes.
    @exclusivity(unchecked)
    private var listBuffer = ByteBuffer(capacity: 256)
    @exclusivity(unchecked) private var column = 0
    @exclusivity(unchecked) private var isInList = false
    @exclusivity(unchecked) private var listCount = 0
    private enum ListPass {
        /// The list fits into its buffer so far.
        case buffered
        /// The list does not fit; its values are only checked, and the caller passes them again.
        case measuring
        /// The values are passed again and written.
        case writing
    }

    /// The state of a table's list.
    @exclusivity(unchecked) private var listPass = ListPass.buffered
    /// Whether a long list needs quotes.
    @exclusivity(unchecked) private var isListQuoted = false
    /// The reason why the buffer could not be flushed within a record.
    @exclusivity(unchecked) private var failure: RecordStreamError?
    /// The start of the last value of the list.
    @exclusivity(unchecked) private var listItemStart = 0
    private var hasStarted = false
    /// The number of finished records.
    package private(set) var rowCount = 0
    /// Whether a text was not valid UTF-8, so that the output is not readable.
    @exclusivity(unchecked) package private(set) var hasInvalidText = false

    /// Creates an encoder; nothing is written before the first record or `finish`.
    package init(format: RecordFormat, columns: [String], output: OutputFile) {
        self.output = output
        isJSON = format == .json || format == .ndjson
        isArray = format == .json
        delimiter = UInt8(ascii: format == .tsv ? "\t" : ",")
        csv = CSVText(delimiter: delimiter)
        var text = ByteBuffer(capacity: 256)
        prefixEnds = .allocate(capacity: max(1, columns.count))
        for (index, name) in columns.enumerated() {
            var name = name
            if isJSON {
                text.append([UInt8(ascii: index == 0 ? "{" : ",")])
                _ = name.withUTF8 { JSONText.append($0, to: &text) }
                text.append([UInt8(ascii: ":")])
            } else if index > 0 {
                text.append([delimiter])
            }
            prefixEnds[index] = text.count
        }
        prefixes = text
        recordEnd = !isJSON ? "\n" : columns.isEmpty ? "{}" : "}"
        if !isJSON {
            for (index, name) in columns.enumerated() {
                var name = name
                if index > 0 { buffer.append([delimiter]) }
                // Readers would remove a byte-order mark at the start of a file.
                let startsWithMark = index == 0 && name.utf8.starts(with: [0xEF, 0xBB, 0xBF])
                name.withUTF8 {
                    if startsWithMark {
                        csv.appendQuoted($0, to: &buffer)
                    } else {
                        csv.append($0, to: &buffer)
                    }
                }
            }
            buffer.append([10])
        }
    }

    deinit {
        buffer.deallocate()
        listBuffer.deallocate()
        prefixes.deallocate()
        prefixEnds.deallocate()
    }

    /// Starts a record.
    package func beginRecord() {
        if isArray {
            buffer.reserve(2)
            buffer.put(UInt8(ascii: hasStarted ? "," : "["))
            buffer.put(10)
        }
        hasStarted = true
        column = 0
    }

    /// Writes the bytes that precede the value of the current column.
    @inline(__always)
    private func beginValue() {
        guard !isInList else {
            if listCount > 0 {
                if isJSON {
                    buffer.reserve(1)
                    buffer.put(UInt8(ascii: ","))
                    if buffer.count >= Self.flushByteCount { spill() }
                } else {
                    doubleEscapes()
                    listBuffer.reserve(1)
                    listBuffer.put(Self.listSeparator)
                    if listBuffer.count >= Self.flushByteCount { passListOn() }
                    listItemStart = listBuffer.count
                }
            }
            listCount += 1
            return
        }
        let start = column == 0 ? 0 : prefixEnds[column - 1]
        buffer.append(prefixes.start + start, prefixEnds[column] - start)
        column += 1
    }

    /// Writes the absence of a value.
    package func null() {
        beginValue()
        if isJSON { plain("null") }
    }

    /// Writes `true` or `false`.
    package func bool(_ value: Bool) {
        beginValue()
        plain(value ? "true" : "false")
    }

    /// Writes an integer.
    package func integer(_ value: Int64) {
        beginValue()
        if isInList && !isJSON {
            NumberText.append(value, to: &listBuffer)
        } else {
            NumberText.append(value, to: &buffer)
        }
    }

    /// Writes the shortest text that reads back as the same double; infinities and NaN become null.
    package func double(_ value: Double) {
        beginValue()
        let isWritten =
            isInList && !isJSON
            ? NumberText.append(value, to: &listBuffer) : NumberText.append(value, to: &buffer)
        if !isWritten, isJSON { plain("null") }
    }

    /// Writes text; if it is not valid UTF-8, `hasInvalidText` becomes `true`.
    package func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        beginValue()
        guard isJSON else { return appendText(bytes) }
        guard bytes.count <= Self.partByteCount else { return appendLongText(bytes) }
        if JSONText.append(bytes, to: &buffer) { validate(bytes) }
    }

    /// Appends a text to a table.
    @inline(__always)
    private func appendText(_ bytes: UnsafeBufferPointer<UInt8>) {
        if isInList {
            appendItem(bytes)
        } else if bytes.count > Self.partByteCount {
            appendLongText(bytes)
        } else if csv.append(bytes, to: &buffer) {
            validate(bytes)
        }
    }

    /// Appends a text in parts, to JSON or to a table.
    @inline(never)
    private func appendLongText(_ bytes: UnsafeBufferPointer<UInt8>) {
        validate(bytes)
        let isQuoted = isJSON || csv.mustBeQuoted(bytes)
        // JSON and CSV use the same quote.
        if isQuoted { buffer.append([JSONToken.quote]) }
        inParts(bytes) { part in
            if isJSON {
                JSONText.appendPart(part, to: &buffer)
            } else if isQuoted {
                csv.appendPart(part, to: &buffer)
            } else {
                buffer.append(part)
            }
        }
        if isQuoted { buffer.append([JSONToken.quote]) }
    }

    private func inParts(
        _ bytes: UnsafeBufferPointer<UInt8>, _ append: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        var rest = bytes[0..<bytes.count]
        while !rest.isEmpty {
            append(UnsafeBufferPointer(rebasing: rest.prefix(Self.partByteCount)))
            rest = rest.dropFirst(Self.partByteCount)
            if buffer.count >= Self.flushByteCount { spill() }
        }
    }

    /// Validates bytes that may contain bytes above 0x7F.
    @inline(never)
    private func validate(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        let place = UTF8Validation.firstInvalid(from: start, to: start + bytes.count)
        if place != nil { hasInvalidText = true }
    }

    /// Writes text that needs neither escapes nor quotes in any format, such as a UUID or a date.
    package func ascii(_ bytes: UnsafeBufferPointer<UInt8>) {
        // An empty field would be read back as null in a table.
        guard isJSON || !bytes.isEmpty else { return text(bytes) }
        beginValue()
        guard isJSON else {
            raw(bytes)
            return
        }
        buffer.reserve(1)
        buffer.put(JSONToken.quote)
        raw(bytes)
        buffer.reserve(1)
        buffer.put(JSONToken.quote)
    }

    /// Writes a number that is already in JSON's grammar.
    package func number(_ bytes: UnsafeBufferPointer<UInt8>) {
        beginValue()
        raw(bytes)
    }

    /// Writes a value that is already JSON; line ends between its tokens become spaces.
    package func json(_ bytes: UnsafeBufferPointer<UInt8>) {
        beginValue()
        guard isJSON else { return appendText(bytes) }
        var union: UInt8 = 0
        inParts(bytes) { part in
            buffer.reserve(part.count)
            for byte in part {
                union |= byte
                buffer.put(byte == 10 || byte == 13 ? 32 : byte)
            }
        }
        if union >= 0x80 { validate(bytes) }
    }

    /// Starts a list; the values up to `endList` belong to it.
    package func beginList() {
        if listPass == .buffered {
            beginValue()
        } else if isListQuoted {
            buffer.append([JSONToken.quote])
        }
        isInList = true
        listCount = 0
        listItemStart = 0
        listBuffer.count = 0
        if isJSON { plain("[") }
    }

    /// Ends a list; an empty list is null in CSV.
    ///
    /// - Returns: whether the caller must write the list a second time. Whether a long list in a
    ///   table needs quotes is known only at its end.
    package func endList() -> Bool {
        isInList = false
        guard !isJSON else {
            plain("]")
            return false
        }
        guard listPass != .buffered else {
            guard listCount > 0 else { return false }
            let list = listBuffer.bytes
            if csv.append(list, to: &buffer) { validate(list) }
            return false
        }
        passListOn()
        guard listPass == .writing else {
            listPass = .writing
            return true
        }
        if isListQuoted { buffer.append([JSONToken.quote]) }
        listPass = .buffered
        isListQuoted = false
        return false
    }

    /// Moves complete values of a long list, with the separators after them, out of its buffer.
    @inline(never)
    private func passListOn() {
        let part = listBuffer.bytes
        listBuffer.count = 0
        guard listPass == .writing else {
            listPass = .measuring
            isListQuoted = isListQuoted || csv.mustBeQuoted(part)
            return
        }
        validate(part)
        inParts(part) { part in
            if isListQuoted {
                csv.appendPart(part, to: &buffer)
            } else {
                buffer.append(part)
            }
        }
    }

    /// Appends a text to a list in CSV and escapes each `|` in it.
    private func appendItem(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.contains(Self.listSeparator) else { return listBuffer.append(bytes) }
        for byte in bytes {
            if byte == Self.listSeparator {
                doubleEscapes()
                listBuffer.reserve(1)
                listBuffer.put(Self.listEscape)
            }
            listBuffer.reserve(1)
            listBuffer.put(byte)
        }
    }

    /// Doubles the backslashes at the end of the current value, because a `|` follows them.
    private func doubleEscapes() {
        var first = listBuffer.count
        while first > listItemStart, listBuffer.start[first - 1] == Self.listEscape { first -= 1 }
        for _ in first..<listBuffer.count {
            listBuffer.reserve(1)
            listBuffer.put(Self.listEscape)
        }
    }

    /// Ends a record; every column must have been written.
    package func endRecord() throws(RecordStreamError) {
        if let failure { throw failure }
        buffer.append(recordEnd.utf8Start, recordEnd.utf8CodeUnitCount)
        if isJSON && !isArray {
            buffer.reserve(1)
            buffer.put(10)
        }
        rowCount += 1
        if buffer.count >= Self.flushByteCount { try flush() }
    }

    /// Finishes the output and renames its file.
    package func finish() throws(RecordStreamError) -> OutputSummary {
        if isArray { buffer.append(Array((hasStarted ? "\n]\n" : "[]\n").utf8)) }
        try flush()
        return try output.finish(rowCount: rowCount)
    }

    private func flush() throws(RecordStreamError) {
        let bytes = UnsafeRawBufferPointer(start: buffer.start, count: buffer.count)
        buffer.count = 0
        try output.write(bytes)
    }

    /// Flushes the buffer within a record; `endRecord` throws any failure.
    @inline(never)
    private func spill() {
        do throws(RecordStreamError) {
            guard failure == nil else {
                buffer.count = 0
                return
            }
            try flush()
        } catch {
            failure = error
        }
    }

    @inline(__always)
    private func plain(_ text: StaticString) {
        raw(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    private func raw(_ bytes: UnsafeBufferPointer<UInt8>) {
        if isInList && !isJSON { return listBuffer.append(bytes) }
        guard bytes.count > Self.partByteCount else { return buffer.append(bytes) }
        inParts(bytes) { buffer.append($0) }
    }
}
