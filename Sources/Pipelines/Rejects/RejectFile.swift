import Files
import RecordStreams

/// The rejected records of one input, and their reasons.
final class RejectFile {
    static let reasonsSuffix = ".why.ndjson"
    static let linksSuffix = ".links.ndjson"

    private let records: AppendedFile
    private let reasons: AppendedFile
    let isArray: Bool
    /// The format of the records; `nil` for a file of an earlier attempt, which has a note.
    let format: RecordFormat?
    /// Whether each line of the file of records ends with a lone carriage return.
    let endsAtReturn: Bool
    private var isFirst = true
    /// The escape character of the format, as a byte; `nil` if the format has none.
    private let escape: UInt8?
    /// The number of records of the file that replays have saved.
    private let replayed: Int

    /// Returns the path of the reasons file that belongs to a file of records.
    static func reasons(of path: FileName) -> FileName { path.adding(reasonsSuffix) }

    /// Describes files to be created by `make()`.
    ///
    /// - Parameters:
    ///   - header: The header of a table without its line end; empty if it has none.
    ///   - replayed: The number of records of files with this name that replays have saved.
    init(
        path: FileName, form: RejectForm, header: [UInt8], escape: UInt8? = nil, replayed: Int
    ) {
        records = AppendedFile(path)
        reasons = AppendedFile(Self.reasons(of: path))
        format = form.format
        isArray = form.format == .json
        endsAtReturn = form.endsAtReturn
        self.escape = escape
        self.replayed = replayed
        if isArray {
            records.write(Array("[\n".utf8))
        } else if !header.isEmpty {
            write(first: header)
            records.write([lineEnd])
        }
    }

    /// The end of a line, as in the input: a record may contain the other line end.
    private var lineEnd: UInt8 { endsAtReturn ? 13 : 10 }

    /// Writes the first line so that a reader skips none of its bytes.
    private func write(first line: [UInt8]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if line.starts(with: mark) { records.write(mark) }
        records.write(line)
    }

    /// Reopens the files of an earlier attempt; returns `nil` if they were deleted or edited.
    ///
    /// It truncates what was appended after the last save, because those records are read again.
    ///
    /// - Parameter note: The lengths of the files after the last save, or after a later replay.
    init?(resuming note: RejectFileNote, escape: UInt8? = nil) throws {
        let reasonsPath = Self.reasons(of: note.path)
        guard let recordsSize = FileDescriptor.size(note.path),
            let reasonsSize = FileDescriptor.size(reasonsPath)
        else { return nil }
        let end = note.isArray ? Self.arrayEnd.count : 0
        let isWhole =
            reasonsSize == note.reasonsLength
            && [note.recordsLength, note.recordsLength + end].contains(recordsSize)
        guard isWhole || note.hasLeftovers && recordsSize >= note.recordsLength else {
            return nil
        }
        records = AppendedFile(note.path, length: note.recordsLength)
        reasons = AppendedFile(reasonsPath, length: note.reasonsLength)
        self.escape = escape
        (isArray, isFirst, replayed) = (note.isArray, note.isFirst, note.replayed)
        (format, endsAtReturn) = (nil, note.endsAtReturn ?? false)
        try make()
    }

    /// The end of a JSON array, which is written when the file is closed.
    static let arrayEnd = Array("\n]\n".utf8)

    var path: FileName { records.path }

    /// Creates the files, or truncates them to their noted lengths.
    ///
    /// The records are truncated durably before the reasons. If the run is killed in between, there
    /// are more reasons than records. The next run then knows that no user has edited the file.
    func make() throws {
        try records.make()
        try reasons.make()
    }

    /// Whether enough bytes are buffered to write them.
    var isFull: Bool { records.isFull || reasons.isFull }

    /// The number of buffered bytes.
    var bufferedBytes: Int { records.bufferedBytes + reasons.bufferedBytes }

    func note(source: FileName) -> RejectFileNote {
        RejectFileNote(
            source: source, path: records.path, recordsLength: records.length,
            reasonsLength: reasons.length, isArray: isArray, isFirst: isFirst, replayed: replayed,
            endsAtReturn: endsAtReturn ? true : nil)
    }

    func add(_ reject: RejectedRecord, runID: String) {
        if isArray, !isFirst { records.write(Array(",\n".utf8)) }
        let record = isArray && reject.isTruncated ? Self.element(reject.raw) : reject.raw
        if records.length == 0 { write(first: record) } else { records.write(record) }
        isFirst = false
        // An escape at the end of the input is literal; here it would escape the line end.
        if let escape, reject.raw.reversed().prefix(while: { $0 == escape }).count % 2 == 1 {
            records.write([escape])
        }
        if !isArray { records.write([lineEnd]) }
        reasons.write(RejectReason(reject, runID: runID).text)
    }

    /// Returns the beginning of a truncated record as a JSON string.
    ///
    /// Half an object would make the rest of the array unreadable, with all later rejects. The
    /// string is no longer than the bytes that it holds, so it does not exceed the record limit
    /// when it is read again.
    private static func element(_ beginning: [UInt8]) -> [UInt8] {
        let text = String(decoding: beginning, as: UTF8.self).unicodeScalars
        var left = beginning.count - 2
        let end = text.firstIndex { scalar in
            switch scalar {
            case "\"", "\\": left -= 2
            case "\u{0}"..<" ": left -= JSONText.escapeBytesMax
            default: left -= UTF8.width(scalar)
            }
            return left < 0
        }
        return Array(JSONText.quoted(String(text[..<(end ?? text.endIndex)])).utf8)
    }

    /// Writes the buffered bytes, and makes the reasons durable first, so that they reveal records
    /// that are not saved yet.
    func flush() throws {
        try reasons.synchronize()
        try records.flush()
    }

    /// Makes both files durable, in the order of `flush()`.
    func synchronize() throws {
        try reasons.synchronize()
        try records.synchronize()
    }

    func close() throws {
        if isArray { records.write(Self.arrayEnd) }
        try synchronize()
    }
}

extension RejectFileNote {
    /// Returns the note updated by the replays of its folder.
    ///
    /// - Parameter files: The files in the folder's own note.
    func replayed(in files: [RejectNote.File]) -> RejectFileNote {
        let name = path.lastComponent
        guard let file = files.first(where: { $0.name == name }),
            let count = file.replayed, count != replayed
        else { return self }
        var note = self
        note.replayed = count
        note.recordsLength = file.recordsLength ?? 0
        note.reasonsLength = file.reasonsLength ?? 0
        note.isFirst = note.reasonsLength == 0
        return note
    }

    /// Whether the files have more records than their run had saved when it was killed.
    ///
    /// The reasons file decides, because users do not edit it.
    var hasLeftovers: Bool {
        FileDescriptor.size(RejectFile.reasons(of: path)) ?? 0 > reasonsLength
    }
}
