import Digests
import Files
import FoundationEssentials
import GraphModel
import GraphStore
import RecordStreams

/// The names of an export that is cut into parts.
///
/// ```
/// to: out/tasks.ndjson.gz       parts: 8
/// out/tasks-001-of-008.ndjson.gz … out/tasks-008-of-008.ndjson.gz
/// out/tasks.manifest.json       the files with their rows and digests, named last
/// ```
struct ExportParts {
    /// More files than that would need too many open at once.
    static let countMax = 256

    let count: Int
    private let folder: FileName
    private let stem: FileName
    /// The format's, and `.gz`.
    private let ending: FileName

    init(of path: FileName, count: Int) {
        self.count = count
        folder = path.folder
        let name = path.lastComponent
        var rest = name
        if rest.lowercasedASCII.hasSuffix(".gz") { rest = FileName(bytes: rest.bytes.dropLast(3)) }
        if RecordFormat(fileName: rest) != nil {
            rest = FileName(bytes: rest.bytes.dropLast(rest.suffix.count))
        }
        stem = rest
        ending = FileName(bytes: name.bytes.dropFirst(rest.bytes.count))
    }

    /// The files, in their order.
    var paths: [FileName] {
        (1...count).map { number in
            let place = "-\(Self.digits(number))-of-\(Self.digits(count))"
            return folder.joining(FileName(bytes: stem.adding(place).bytes + ending.bytes))
        }
    }

    /// The file that tells of the others.
    var manifest: FileName { folder.joining(ExportManifest.path(of: stem)) }

    /// The parts that the manifest at hand lists and that this export does not write.
    ///
    /// They are those of another number of parts; none if there is no manifest that can be read.
    var earlier: [FileName] {
        struct Listed: Decodable {
            struct File: Decodable {
                var file: FileName
            }

            var files: [File]
        }
        guard let data = (try? WholeFile.readIfThere(manifest)) ?? nil,
            let listed = try? JSONDecoder().decode(Listed.self, from: data)
        else { return [] }
        let own = Set(paths)
        return listed.files.map(\.file).filter(isPart).map(folder.joining)
            .filter { !own.contains($0) }
    }

    /// Whether it is the name of a part, of whatever number, and in whatever format.
    private func isPart(_ name: FileName) -> Bool {
        guard name.hasPrefix(stem) else { return false }
        let place = Array(name.bytes.dropFirst(stem.bytes.count))
        let pattern = Array("-000-of-000".utf8)
        guard place.count >= pattern.count, !place.contains(UInt8(ascii: "/")) else {
            return false
        }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return zip(place, pattern).allSatisfy { byte, sign in
            sign == digits.lowerBound ? digits.contains(byte) : byte == sign
        }
    }

    private static func digits(_ number: Int) -> String {
        String(String(1000 + number).dropFirst())
    }
}

extension ExportSpec {
    /// The files that the export writes, the manifest last; none if a command reads it.
    ///
    /// - Parameter path: its `to`.
    func outputs(at path: FileName) -> [FileName] {
        guard command == nil else { return [] }
        if let parts {
            let parts = ExportParts(of: path, count: parts)
            return parts.paths + [parts.manifest]
        }
        return [path] + (hasManifest ? [ExportManifest.path(of: path)] : [])
    }
}

/// Tells which part a row belongs to, by nothing but its key: the first eight bytes of the SHA-256 of
/// the key's text, as a number, modulo the number of parts.
///
/// The text is as in a table; that of several attributes has a tab between them. Without a key it
/// is the object's number.
struct PartChooser {
    private let count: Int
    private let columns: [RowColumn]
    private let keyColumns: Range<Int>
    private let text = KeyText()
    private let cells: CellEncoder<KeyText>

    /// - Parameter keyColumns: where the cursor has the key; empty where there is none.
    init(_ cursor: RowCursor, keyColumns: Range<Int>, count: Int) {
        self.count = count
        self.keyColumns = keyColumns
        columns = cursor.columns
        cells = CellEncoder(text, external: cursor.externalValues)
    }

    /// The part of a row, from 0 on.
    func part(of row: Int, in batch: RowBatch) -> Int {
        let values = batch.row(row)
        text.bytes.removeAll(keepingCapacity: true)
        if keyColumns.isEmpty { text.integer(values[columns.count].integerValue) }
        for column in keyColumns {
            if column > keyColumns.lowerBound { text.bytes.append(9) }
            cells.write(values[column], columns[column])
        }
        let number = ByteDigest.of(text.bytes).prefix(8).reduce(UInt64(0)) {
            $0 << 8 | UInt64($1)
        }
        return Int(number % UInt64(count))
    }
}

/// The text of a key as a table has it, without quotes.
private final class KeyText: ValueEncoder {
    var bytes: [UInt8] = []
    let rowCount = 0

    func beginRecord() {}
    func endRecord() throws(RecordStreamError) {}
    func beginList() {}
    func endList() -> Bool { false }
    func null() {}
    func bool(_ value: Bool) { bytes += Array((value ? "true" : "false").utf8) }
    func integer(_ value: Int64) { bytes += Array(String(value).utf8) }
    func double(_ value: Double) { bytes += Array("\(value)".utf8) }
    func text(_ text: UnsafeBufferPointer<UInt8>) { bytes += Array(text) }
    func ascii(_ text: UnsafeBufferPointer<UInt8>) { bytes += Array(text) }
    func number(_ text: UnsafeBufferPointer<UInt8>) { bytes += Array(text) }
    func json(_ text: UnsafeBufferPointer<UInt8>) { bytes += Array(text) }
    func finish() throws(RecordStreamError) -> OutputSummary {
        OutputSummary(byteCount: bytes.count, rowCount: 0)
    }
}
