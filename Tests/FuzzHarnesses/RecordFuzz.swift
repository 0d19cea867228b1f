import Diagnostics
import Files
import RecordStreams

/// Reads records twice, in chunks of different sizes, which must not affect the result.
///
/// The first byte chooses the format and the table options beyond RFC 4180, the second byte the
/// other options, and the third byte the chunks.
enum RecordFuzz {
    static func run(_ bytes: [UInt8]) {
        guard bytes.count > 3 else { return }
        let format = RecordFormat.allCases[Int(bytes[0]) % RecordFormat.allCases.count]
        var options = ReadOptions()
        options.format = format
        options.compression = .none
        options.header = bytes[1] & 1 == 0
        options.columns = options.header ? nil : ["a", "b", "c"]
        options.padsShortRows = bytes[1] & 2 != 0
        options.quote = bytes[1] & 4 != 0 ? .none : options.quote
        options.delimiter = bytes[1] & 8 != 0 ? [UInt8(ascii: ";")] : nil
        options.escape = bytes[0] & 4 != 0 ? UInt8(ascii: "\\") : nil
        options.comment = bytes[0] & 8 != 0 ? UInt8(ascii: "#") : nil
        options.linesSkipped = bytes[0] & 16 != 0 ? 2 : 0
        options.dropsTrailingDelimiter = bytes[0] & 32 != 0
        if bytes[0] & 64 != 0 { options.delimiter = Array("||".utf8) }
        options.at = ["$", "$[*]", "$.a", "$.a.*", "$.a[*].b", "$.*"][Int(bytes[1] >> 4) % 6]
        options.maxRecordBytes = bytes[2] & 0x80 != 0 ? 64 : 1 << 16
        options.depthMax = 16
        let path = FileName(FuzzHarness.folder + "/records")
        guard write(Array(bytes[3...]), to: path) else { return }
        let whole = read(path, options)
        options.chunkBytes = 1 + Int(bytes[2] & 0x7F)
        let pieces = read(path, options)
        require(whole == pieces, "\(whole)\nin pieces:\n\(pieces)")
    }

    static func write(_ bytes: [UInt8], to path: FileName) -> Bool {
        guard let descriptor = try? FileSystem.open(path, [.writing, .creating, .emptying]) else {
            return false
        }
        defer { FileSystem.close(descriptor) }
        return (try? FileSystem.write(bytes, to: descriptor)) != nil
    }

    /// Returns the result of an input, line by line.
    private static func read(_ path: FileName, _ options: ReadOptions) -> [String] {
        let paths =
            options.format == .csv || options.format == .tsv
            ? ["a", "b"] : ["a", "b.c", "d[*]", "d[*].e", "b\\.c"]
        let selection = FieldSelection(
            paths.compactMap { try? FieldPath(parsing: $0) },
            optional: Set(paths.indices.dropFirst()))
        var lines: [String] = []
        let batch = RecordBatch()
        do throws(RecordStreamError) {
            let reader = try RecordReader(
                input: InputFile(path: path, byteCount: 1), options: options,
                selection: selection)
            while try reader.next(batch) {
                // Good and bad records are listed separately.
                var found: [(Int, String)] = []
                for record in 0..<batch.count {
                    let fields = batch.fields(of: record).map { text($0, batch) }
                    let raw = String(decoding: batch.rawRecord(record), as: UTF8.self)
                    let place = batch.location(of: record, field: nil)
                    found.append(
                        (
                            batch.number(of: record),
                            "\(place.line ?? 0):\(place.column ?? 0) \(fields) \(raw)"
                        ))
                }
                for reject in batch.rejects {
                    let place = reject.location
                    found.append(
                        (
                            place.record ?? 0,
                            "\(place.line ?? 0):\(place.column ?? 0) \(reject.detail) \(reject.raw)"
                        ))
                }
                lines += found.sorted { $0.0 < $1.0 }.map { "\($0.0) \($0.1)" }
            }
        } catch {
            lines.append("\(error.kind) \(error.location.byteOffset ?? -1)")
        }
        return lines
    }

    private static func text(_ field: Field, _ batch: RecordBatch) -> String {
        switch field.kind {
        case .absent: "-"
        case .null: "null"
        case .true: "true"
        case .false: "false"
        case .list:
            "[" + batch.items(of: field).map { text($0, batch) }.joined(separator: ",") + "]"
        case .number, .string, .json: field.text
        }
    }
}

/// Inflates bytes in small and in large chunks, and requires the same result.
enum GzipFuzz {
    static func run(_ bytes: [UInt8]) {
        let path = FileName(FuzzHarness.folder + "/gzip")
        guard bytes.count > 1, RecordFuzz.write(Array(bytes.dropFirst()), to: path) else { return }
        let step = 1 + Int(bytes[0])
        let (whole, pieces) = (inflate(path, 1 << 16), inflate(path, step))
        require(
            whole == pieces,
            "\(whole.count) bytes, \(whole.suffix(20)), in pieces \(pieces.count), \(pieces.suffix(20))"
        )
    }

    private static func inflate(_ path: FileName, _ step: Int) -> [UInt8] {
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: step)
        defer { room.deallocate() }
        var found: [UInt8] = []
        do throws(RecordStreamError) {
            let source = try ByteSource(
                InputFile(path: path, byteCount: 1), compression: .gzip, threads: 0)
            while found.count < 1 << 20 {
                let count = try source.read(into: room, count: step)
                guard count > 0 else { return found }
                found += UnsafeBufferPointer(start: room, count: count)
            }
            return []
        } catch {
            return found + Array(error.code.utf8)
        }
    }
}
