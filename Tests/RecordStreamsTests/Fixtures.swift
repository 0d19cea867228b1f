import Diagnostics
import FoundationEssentials
import RecordStreams

/// A folder that is removed with its contents when the test lets go of it.
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
        return InputFile(path: file, byteCount: bytes.count)
    }

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path + "/" + name)))
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }
}

/// What a reader gave, as one line of text for each record, reject, and the error at the end.
struct Reading: Equatable {
    var records: [String] = []
    var rejects: [String] = []
    var error: String?
    var duplicateKeys = 0
    var blankLines = 0

    /// Reads the bytes as a file of that name.
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
        var result = Reading()
        do throws(RecordStreamError) {
            let reader = try RecordReader(input: input, options: options, selection: selection)
            let batch = RecordBatch()
            while try reader.next(batch) { result.add(batch) }
        } catch {
            result.error = error.code
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
