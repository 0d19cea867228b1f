import Diagnostics
import Files
import FoundationEssentials
import RecordStreams
import Testing

/// A folder that is deleted with its contents when its owner is released.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/streams-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String) throws -> InputFile {
        let file = path + "/" + name
        if let slash = name.lastIndex(of: "/") {
            try FileManager.default.createDirectory(
                atPath: path + "/" + name[..<slash], withIntermediateDirectories: true)
        }
        try Data(bytes).write(to: URL(filePath: file))
        return InputFile(path: FileName(file), byteCount: bytes.count)
    }

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path + "/" + name)))
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }
}

/// The output of a reader: one line of text for each record, reject, and the error at the end.
struct Reading: Equatable {
    var records: [String] = []
    var rejects: [String] = []
    var error: String?
    var duplicateKeys = 0
    var blankLines = 0

    /// Reads the bytes as a file with the name.
    static func of(
        _ bytes: [UInt8], as name: String, paths: [String], chunk: Int? = nil,
        _ change: (inout ReadOptions) -> Void = { _ in }
    ) throws -> Reading {
        let folder = try TemporaryFolder()
        let input = try folder.write(bytes, to: name)
        return try of(input, paths: paths, chunk: chunk, change)
    }

    static func of(
        _ text: String, as name: String, paths: [String], chunk: Int? = nil,
        _ change: (inout ReadOptions) -> Void = { _ in }
    ) throws -> Reading {
        try of(Array(text.utf8), as: name, paths: paths, chunk: chunk, change)
    }

    static func of(
        _ input: InputFile, paths: [String], chunk: Int? = nil,
        _ change: (inout ReadOptions) -> Void = { _ in }
    ) throws -> Reading {
        var options = ReadOptions()
        change(&options)
        if let chunk { options.chunkBytes = chunk }
        let format = options.format ?? RecordFormat(fileName: input.path)
        let isCSV = format == .csv || format == .tsv
        let selection = FieldSelection(
            try paths.map { isCSV ? FieldPath(name: $0) : try FieldPath(parsing: $0) })
        let whole = whole(input, options, selection)
        for decoders in 1...2 {
            let pieces = inPieces(input, options, selection, decoders: decoders)
            #expect(pieces == whole, "in pieces, by \(decoders)")
        }
        return whole.reading
    }

    /// A reading with the bytes of the input that it came from.
    struct Whole: Equatable {
        var reading = Reading()
        var bytes: [UInt8] = []
        var extraFields: [String: Int] = [:]

        mutating func add(extraFields: [(name: String, count: Int)]) {
            for (name, count) in extraFields { self.extraFields[name, default: 0] += count }
        }
    }

    static func whole(
        _ input: InputFile, _ options: ReadOptions, _ selection: FieldSelection
    ) -> Whole {
        var result = Whole()
        do throws(RecordStreamError) {
            let reader = try RecordReader(input: input, options: options, selection: selection)
            reader.observer = { result.bytes += $0 }
            let batch = RecordBatch()
            while try reader.next(batch) { result.reading.add(batch) }
            result.add(extraFields: reader.extraFields)
        } catch {
            result.reading.error = error.code
        }
        return result
    }

    /// Reads the same in pieces, with several decoders in turn.
    static func inPieces(
        _ input: InputFile, _ options: ReadOptions, _ selection: FieldSelection, decoders: Int
    ) -> Whole {
        var result = Whole()
        do throws(RecordStreamError) {
            let reader = try RecordReader(input: input, options: options, selection: selection)
            reader.observer = { result.bytes += $0 }
            let decoders = (0..<decoders).map { _ in PieceDecoder(of: reader) }
            let batch = RecordBatch()
            var turn = 0
            while try reader.nextPiece(batch) {
                decoders[turn % decoders.count].decode(batch)
                turn += 1
                batch.renumber(after: result.reading.records.count + result.reading.rejects.count)
                result.bytes += batch.pieceBytes
                result.reading.add(batch)
            }
            for decoder in decoders { result.add(extraFields: decoder.takeExtraFields()) }
            result.add(extraFields: reader.extraFields)
        } catch {
            result.reading.error = error.code
        }
        return result
    }

    private mutating func add(_ batch: RecordBatch) {
        for record in 0..<batch.count {
            let place = batch.location(of: record, field: nil)
            let fields = batch.fields(of: record).map { Self.text($0, batch) }
            records.append(
                "\(place.record ?? 0)@\(place.line ?? 0):\(place.column ?? 0) "
                    + fields.joined(separator: " "))
        }
        for reject in batch.rejects {
            let place = reject.location
            rejects.append(
                "\(place.record ?? 0)@\(place.line ?? 0):\(place.column ?? 0) \(reject.detail) "
                    + String(decoding: reject.raw, as: UTF8.self))
        }
        duplicateKeys += batch.duplicateKeyCount
        blankLines += batch.blankLineCount
    }

    private static func text(_ field: Field, _ batch: RecordBatch) -> String {
        switch field.kind {
        case .absent: "-"
        case .null: "null"
        case .false: "false"
        case .true: "true"
        case .number: "#" + field.text
        case .string: "'" + field.text + "'"
        case .json: "json" + field.text
        case .list:
            "[" + batch.items(of: field).map { text($0, batch) }.joined(separator: " ") + "]"
        }
    }
}
