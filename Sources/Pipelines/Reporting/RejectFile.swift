import Diagnostics
import Files
import RecordStreams

/// The refused records of one input, and their reasons.
final class RejectFile {
    static let reasonsSuffix = ".why.ndjson"
    static let linksSuffix = ".links.ndjson"

    private let records: AppendedFile
    private let reasons: AppendedFile
    let isArray: Bool
    private var isFirst = true
    /// The byte behind which a byte of the records stands for itself.
    private let escape: UInt8?
    /// How many of their records replays have saved.
    private let replayed: Int

    /// The file of the reasons of a file of records.
    static func reasons(of path: FileName) -> FileName { path.adding(reasonsSuffix) }

    /// Files that are still to be made.
    ///
    /// - Parameter replayed: how many records of files of this name replays have saved.
    init(path: FileName, isArray: Bool, header: [UInt8], escape: UInt8? = nil, replayed: Int) {
        records = AppendedFile(path)
        reasons = AppendedFile(Self.reasons(of: path))
        self.isArray = isArray
        self.escape = escape
        self.replayed = replayed
        records.write(isArray ? Array("[\n".utf8) : header)
    }

    /// Goes on with the files of an earlier attempt; nil if they are gone, or if somebody has edited
    /// them.
    ///
    /// What they got after its last save is cut off, since these records are read again.
    ///
    /// - Parameter note: how long they were after the last save, or after a replay since.
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
        try make()
    }

    /// The end of an array, which is written when the file is closed.
    static let arrayEnd = Array("\n]\n".utf8)

    var path: FileName { records.path }

    /// Makes the files, or cuts them to what is known of them.
    ///
    /// Leftovers of the records go for good before those of the reasons, by which they are told from
    /// an edited file.
    func make() throws {
        try records.make()
        try reasons.make()
    }

    /// Whether so much waits in memory that it is better written.
    var isFull: Bool { records.isFull || reasons.isFull }

    /// Bytes that wait in memory.
    var waitingBytes: Int { records.waitingBytes + reasons.waitingBytes }

    func note(source: FileName) -> RejectFileNote {
        RejectFileNote(
            source: source, path: records.path, recordsLength: records.length,
            reasonsLength: reasons.length, isArray: isArray, isFirst: isFirst, replayed: replayed)
    }

    func add(_ reject: RejectedRecord, runID: String) {
        if isArray, !isFirst { records.write(Array(",\n".utf8)) }
        isFirst = false
        records.write(isArray && reject.isCut ? Self.element(reject.raw) : reject.raw)
        // An escape at the end of the input stands for itself, and would take the line end along.
        if let escape, reject.raw.reversed().prefix(while: { $0 == escape }).count % 2 == 1 {
            records.write([escape])
        }
        if !isArray { records.write([10]) }
        reasons.write(RejectReason(reject, runID: runID).text)
    }

    /// The beginning of a record as a JSON string: half an object would end the array for whoever
    /// reads it, and with it the rejects behind.
    ///
    /// It is no longer than what it holds, so that it is not too big itself when it is read again.
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

    /// Makes the reasons durable first, so that they tell of records that are not saved yet.
    func flush() throws {
        try reasons.synchronize()
        try records.flush()
    }

    /// In the order of `flush()`.
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
    /// The note as it is after the replays of its folder.
    ///
    /// - Parameter files: what the folder says of its files.
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

    /// Whether the files got more records than their run had saved when it was killed.
    ///
    /// Nobody edits the file of reasons, so it tells.
    var hasLeftovers: Bool {
        FileDescriptor.size(RejectFile.reasons(of: path)) ?? 0 > reasonsLength
    }
}
