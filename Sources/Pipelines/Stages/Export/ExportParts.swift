import Digests
import Files
import FoundationEssentials
import GraphStore
import RecordStreams

/// The names of an export that is split into parts.
///
/// ```
/// to: out/tasks.ndjson.gz       parts: 8
/// out/tasks-001-of-008.ndjson.gz … out/tasks-008-of-008.ndjson.gz
/// out/tasks.manifest.json       the files with their rows and digests, named last
/// ```
struct ExportParts {
    /// The maximum number of parts, because all of them are open at the same time.
    static let countMax = 256

    let count: Int
    private let folder: FileName
    private let stem: FileName
    /// The end of the file names: the suffix of the format, followed by `.gz` if compressed.
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

    /// The paths of the parts, in order.
    var paths: [FileName] {
        (1...count).map { number in
            let place = "-\(Self.digits(number))-of-\(Self.digits(count))"
            return folder.joining(FileName(bytes: stem.adding(place).bytes + ending.bytes))
        }
    }

    /// The manifest of all parts.
    var manifest: FileName { folder.joining(ExportManifest.path(of: stem)) }

    /// The parts in the existing manifest that this export does not overwrite.
    ///
    /// They belong to an export with another number of parts. The array is empty if there is no
    /// readable manifest.
    var earlier: [FileName] {
        struct Listed: Decodable {
            struct File: Decodable {
                var file: FileName
            }

            var files: [File]
        }
        // The manifest of an earlier export is optional; without it, earlier parts are unknown.
        guard let data = (try? WholeFile.readIfThere(manifest)) ?? nil,
            let listed = try? JSONDecoder().decode(Listed.self, from: data)
        else { return [] }
        let own = Set(paths)
        return listed.files.map(\.file).filter(isPart).map(folder.joining)
            .filter { !own.contains($0) }
    }

    /// Returns whether a name is that of a part, with any number and in any format.
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
    /// Returns the files that the export writes, the manifest last, or no files if a command reads
    /// it.
    ///
    /// - Parameter path: The resolved `to` of the export.
    func outputs(at path: FileName) -> [FileName] {
        guard command == nil else { return [] }
        if let parts {
            let parts = ExportParts(of: path, count: parts)
            return parts.paths + [parts.manifest]
        }
        return [path] + (hasManifest ? [ExportManifest.path(of: path)] : [])
    }
}

/// Assigns a row to a part by its key alone.
///
/// The part is the first eight bytes of the SHA-256 of the key's text, as a number, modulo the
/// number of parts. The text is the same as in a table, with a tab between several attributes.
/// Without a key, it is the object's primary key.
struct PartChooser {
    private let count: Int
    private let columns: [RowColumn]
    private let keyColumns: Range<Int>
    private let text = KeyText()
    private let cells: CellEncoder<KeyText>

    /// Creates a chooser.
    ///
    /// - Parameter keyColumns: The cursor's columns that hold the key; empty if there is no key.
    init(_ cursor: RowCursor, keyColumns: Range<Int>, count: Int) {
        self.count = count
        self.keyColumns = keyColumns
        columns = cursor.columns
        cells = CellEncoder(text, external: cursor.externalValues)
    }

    /// Returns the zero-based part of a row.
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

/// Collects the text of a key as in a table, without quotes.
private final class KeyText: CellOutput {
    var bytes: [UInt8] = []

    func null() {}
    func bool(_ value: Bool) { bytes += Array((value ? "true" : "false").utf8) }
    func integer(_ value: Int64) { bytes += Array(String(value).utf8) }
    func double(_ value: Double) { bytes += Array("\(value)".utf8) }
    func text(_ text: UnsafeBufferPointer<UInt8>) { bytes += Array(text) }
    func ascii(_ text: UnsafeBufferPointer<UInt8>) { bytes += Array(text) }
    func number(_ text: UnsafeBufferPointer<UInt8>) { bytes += Array(text) }
    func json(_ text: UnsafeBufferPointer<UInt8>) { bytes += Array(text) }
}
