internal import Diagnostics
internal import Files

/// Detection of the format, by the name and the first bytes of an input.
extension RecordReader {
    /// Reads the start of an input into the carried bytes.
    struct Filler {
        let source: ByteSource
        let carry: ByteChunk
        let step: Int
        var isAtEnd = false
        var error: RecordStreamError?

        /// The bytes so far, without a byte order mark.
        var text: Slice<UnsafeBufferPointer<UInt8>> {
            let bytes = UnsafeBufferPointer(
                start: UnsafePointer(carry.start), count: carry.count)
            return bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        }

        mutating func fill() {
            let wanted = max(step, carry.count * 2)
            let enough = RecordReader.enough(after: carry.count)
            carry.reserve(wanted)
            guard !isAtEnd else { return }
            do throws(RecordStreamError) {
                isAtEnd = try source.fill(carry, upTo: wanted, enough: enough)
            } catch {
                self.error = error
                isAtEnd = true
            }
        }
    }

    /// Reads the start of an input.
    ///
    /// - Returns: the number of bytes before the first record.
    static func begin(
        _ decoder: any RecordDecoder, _ carry: ByteChunk, _ filler: inout Filler
    ) throws(RecordStreamError) -> Int {
        while true {
            carry.terminate(decoder.terminator.0, decoder.terminator.1)
            let bytes = UnsafeBufferPointer(start: UnsafePointer(carry.start), count: carry.count)
            if let length = try decoder.begin(
                bytes, isFinal: filler.isAtEnd && filler.error == nil)
            {
                return length
            }
            if filler.isAtEnd, let error = filler.error { throw error }
            filler.fill()
        }
    }

    /// Returns the error to report: the damage of the compressed data, or else the given error.
    ///
    /// Damage explains a wrong format or header.
    static func cause(
        of error: RecordStreamError, _ filler: Filler, isCancelled: () -> Bool
    ) -> RecordStreamError {
        if let damage = filler.error { return damage }
        guard error.fault.origin == .inputData, !error.isOfForeignFormat else { return error }
        return filler.source.damageInMember(isCancelled: isCancelled) ?? error
    }

    static func format(
        of input: InputFile, options: ReadOptions, filler: inout Filler
    ) throws(RecordStreamError) -> RecordFormat {
        filler.fill()
        let start = UnsafeBufferPointer(start: filler.carry.start, count: filler.carry.count)
        if filler.source.isCompressed, start.starts(with: GzipInflater.magic) {
            let path = input.path.displayText
            throw RecordStreamError(
                .foreignFormat(.nestedGzip, path: path, inner: nil), in: input.path)
        }
        if let format = options.format ?? input.formatOfName {
            if format == .json, options.at == "$", hasSecondObject(&filler) {
                throw RecordStreamError(.jsonIsNDJSON, in: input.path)
            }
            return format
        }
        var isEmpty = true
        while true {
            let text = filler.text
            if let first = text.first(where: { !JSONToken.isSpace($0) }) {
                isEmpty = false
                if first == UInt8(ascii: "[") { return .json }
                guard first == UInt8(ascii: "{") else { break }
                // A path to nested records is possible only in a JSON document.
                if options.at != "$" { return .json }
                if let format = objectFormat(text) { return format }
                // One object on one line is the same record in both formats.
                if filler.isAtEnd { return .json }
            }
            if filler.isAtEnd || filler.carry.count > options.maxRecordBytes { break }
            filler.fill()
        }
        if filler.carry.count == 0, let error = filler.error { throw error }
        throw RecordStreamError(
            .ambiguousFormat(isEmpty: isEmpty && filler.isAtEnd), in: input.path)
    }

    /// The maximum number of bytes that are searched for a second object on the second line.
    private static let firstLineMax = 1 << 20

    /// Returns whether a second object follows the one on the first line.
    private static func hasSecondObject(_ filler: inout Filler) -> Bool {
        while true {
            let text = filler.text
            if let open = text.firstIndex(where: { !JSONToken.isSpace($0) }) {
                guard text[open] == UInt8(ascii: "{") else { return false }
                if let end = text[open...].firstIndex(of: 10),
                    let next = text[end...].first(where: { !JSONToken.isSpace($0) })
                {
                    return next == UInt8(ascii: "{") && objectFormat(text) == .ndjson
                }
            }
            if filler.isAtEnd || filler.carry.count > firstLineMax { return false }
            filler.fill()
        }
    }

    /// Returns NDJSON if the first nonblank line is one object, JSON if not, or `nil` if that line
    /// is incomplete.
    private static func objectFormat(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> RecordFormat? {
        guard let open = text.firstIndex(of: UInt8(ascii: "{")) else { return nil }
        guard let line = text[open...].firstIndex(of: 10) else { return nil }
        // A record that is too deep is rejected when it is read.
        let record = UnsafeBufferPointer(rebasing: text[open..<line])
        return JSONScanner.validate(record, depthMax: .max) ? .ndjson : .json
    }

    static func decoder(
        _ format: RecordFormat, source: String, selection: FieldSelection, options: ReadOptions
    ) throws(RecordStreamError) -> any RecordDecoder {
        switch format {
        case .ndjson: NDJSONDecoder(selection: selection, options: options)
        case .json:
            try JSONDocumentDecoder(source: source, selection: selection, options: options)
        case .csv, .tsv:
            try CSVDecoder(
                source: source, format: format, selection: selection, options: options)
        }
    }
}
