package import Files

/// A format that etl identifies by its first bytes or by a file name extension, but neither reads
/// nor writes.
package enum ForeignFormat: Sendable, Hashable, CaseIterable {
    case zip, emptyZip, workbook, oldWorkbook, zstd, xz, bzip2, parquet
    /// A tar archive, maybe compressed by gzip; its signature is not in the first bytes.
    case tar
    /// A gzip file in a gzip file; etl decompresses one level.
    case nestedGzip

    /// The length of the longest signature.
    static let byteCountMax = 10
    /// The header of the first file in a zip archive, with a name of up to 255 bytes.
    static let headerByteCount = 30 + 255

    /// Identifies the format of a file by its first bytes.
    ///
    /// - Parameter name: distinguishes a workbook from other zip archives.
    init?(_ bytes: some Collection<UInt8>, name: String) {
        let format = Self.allCases.first { $0.isBeginning(of: bytes) }
        guard let format else { return nil }
        self = format == .zip && name.lowercased().hasSuffix(".xlsx") ? .workbook : format
    }

    /// Identifies the format by the extension of a file name.
    package init?(fileName: FileName) {
        let name = fileName.lowercasedASCII
        let format = Self.allCases.first { $0.facts.ending.map(name.hasSuffix) ?? false }
        guard let format else { return nil }
        self = format
    }

    /// The name of a format, and how its files are recognized.
    private struct Facts {
        let text: String
        /// The extension of file names; `nil` if it does not identify the format.
        var ending: FileName?
        /// The signature; empty if the format has none of its own in the first bytes.
        var signature: [UInt8] = []
    }

    private var facts: Facts {
        switch self {
        case .zip: Facts(text: "a zip archive", ending: ".zip", signature: [0x50, 0x4B, 3, 4])
        case .emptyZip:
            Facts(text: "a zip archive without a file", signature: [0x50, 0x4B, 5, 6])
        // It starts like a gzip file that etl decompresses.
        case .nestedGzip: Facts(text: "a gzip file inside a gzip file")
        case .workbook:
            Facts(text: "an Excel workbook", ending: ".xlsx", signature: [0x50, 0x4B, 3, 4])
        case .oldWorkbook:
            Facts(
                text: "an Excel workbook of the old kind", ending: ".xls",
                signature: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1])
        case .tar: Facts(text: "a tar archive")
        case .zstd: Facts(text: "a zstd file", ending: ".zst", signature: [0x28, 0xB5, 0x2F, 0xFD])
        case .xz:
            Facts(text: "an xz file", ending: ".xz", signature: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0])
        // After it follow the block size as a digit and the signature of the first block.
        case .bzip2: Facts(text: "a bzip2 file", ending: ".bz2", signature: [0x42, 0x5A, 0x68])
        // After it follows the header of the first page, which is not text.
        case .parquet:
            Facts(text: "a Parquet file", ending: ".parquet", signature: "PAR1".utf8 + [0x15])
        }
    }

    /// The text for "the first bytes are those of …".
    package var text: String { facts.text }

    /// Returns whether two bytes start any of the signatures.
    static func mayBegin(with bytes: some Collection<UInt8>) -> Bool {
        allCases.contains {
            let signature = $0.facts.signature
            return !signature.isEmpty && bytes.prefix(2).elementsEqual(signature.prefix(2))
        }
    }

    private func isBeginning(of bytes: some Collection<UInt8>) -> Bool {
        let signature = facts.signature
        guard !signature.isEmpty, bytes.starts(with: signature) else { return false }
        // Text can also start with these three letters.
        return self != .bzip2
            || bytes.dropFirst(4).starts(with: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
    }

    /// Returns the line of a spec that reads the file.
    ///
    /// - Parameters:
    ///   - path: the file as the spec names it.
    ///   - format: the format of its contents; `nil` to derive it from the name.
    package func fix(_ path: String, as format: RecordFormat? = nil) -> String {
        if InputName.isCommand(FileName(path)) {
            return "let the command unpack or convert it: `command: [sh, -c, \"COMMAND | "
                + words("-").dropLast().joined(separator: " ") + "\"]`"
        }
        let file = path == "-" ? "FILE" : path
        let format = format ?? innerFormat(file)
        let line = CommandExample.read(words(file), as: format)
        switch self {
        case .emptyZip: return Self.emptyFix
        case .zip, .tar:
            return
                "unpack it, or let a command do so: `\(line)`, with the name of one of its files "
                + "at the end if it has several" + CommandExample.note(on: format)
        case .workbook, .oldWorkbook:
            return "save the sheet as CSV, or let a command do so: `\(line)`"
        case .parquet: return "let a command convert it: `\(line)`"
        case .zstd, .xz, .bzip2, .nestedGzip:
            return "let a command unpack it: `\(line)`" + CommandExample.note(on: format)
        }
    }

    /// Returns whether a file is a tar archive: by the signature of its first header, or by its
    /// name if it is compressed by gzip.
    ///
    /// - Parameter bytes: the first bytes of a file that is not a pipe.
    static func isTar(_ bytes: some Collection<UInt8>, name: String, isGzip: Bool) -> Bool {
        let name = name.lowercased()
        guard !isGzip else { return name.hasSuffix(".tar.gz") || name.hasSuffix(".tgz") }
        return bytes.dropFirst(257).starts(with: "ustar".utf8)
    }

    private static let emptyFix = "put a file into it, or name another one"

    /// Returns the command line that reads the file.
    ///
    /// - Parameters:
    ///   - path: the file as the user named it; `-` is standard input.
    ///   - format: the format of its contents; `nil` to derive it from the name.
    ///   - command: a command that reads standard input, such as `etl infer -`.
    package func fix(
        _ path: String, as format: RecordFormat? = nil, for command: String
    ) -> String {
        let isStream = path == "-"
        let format = format ?? innerFormat(path)
        let note = CommandExample.note(on: format)
        let line = CommandExample.pipe(
            words(isStream ? "FILE" : path), as: format, into: command)
        switch self {
        case .zstd, .xz, .bzip2, .nestedGzip:
            let words = isStream ? filter ?? [] : words(path)
            let piped = CommandExample.pipe(words, as: format, into: command)
            return (isStream ? "unpack it before: `… | \(piped)`" : "unpack it: `\(piped)`") + note
        case .emptyZip: return Self.emptyFix
        case .zip where isStream, .tar where isStream:
            return "save it to a file, and unpack that: `\(line)`" + note
        case .zip, .tar:
            return "unpack it: `\(line)`, with the name of a file in it if it has several" + note
        case .workbook, .oldWorkbook:
            return "save the sheet as CSV, or convert it: `\(line)`"
        case .parquet where isStream: return "save it to a file, and convert that: `\(line)`"
        case .parquet: return "convert it: `\(line)`"
        }
    }

    /// Returns the fix for an output with this name in a spec.
    ///
    /// - Parameters:
    ///   - path: the file as the spec names it.
    ///   - format: the format of the records.
    ///   - isSeveral: whether the export has several files, so that a command cannot receive it.
    package func fix(writing path: String, as format: RecordFormat, isSeveral: Bool) -> String {
        let inner = Self.inner(FileName(path)).displayText
        func named(_ format: RecordFormat) -> String {
            RecordFormat(fileName: inner) == nil ? "\(inner).\(format.rawValue)" : inner
        }
        let words: [String]
        switch self {
        case .workbook, .oldWorkbook:
            return "export `to: \(named(.csv))`, and convert that file to a workbook"
        case .parquet:
            let name = named(.ndjson)
            return "export `to: \(name)`, and convert that file: "
                + "`duckdb -c \"COPY (FROM '\(name)') TO '\(path)'\"`"
        case .zip, .emptyZip, .tar: words = ["zip", "-q", path, "-"]
        case .nestedGzip: words = ["sh", "-c", "gzip | gzip > \"$0\"", path]
        case .zstd: words = ["zstd", "-q", "-f", "-o", path]
        case .xz: words = ["sh", "-c", "xz > \"$0\"", path]
        case .bzip2: words = ["sh", "-c", "bzip2 > \"$0\"", path]
        }
        guard !isSeveral else {
            return "export `to: \(named(format)).gz`, which etl compresses itself"
        }
        return "let a command compress it: `\(CommandExample.write(words))`, and "
            + "`as: \(format.rawValue)`"
    }

    /// Returns the command that writes the contents of a file to standard output.
    private func words(_ file: String) -> [String] {
        switch self {
        case .zip, .emptyZip: ["unzip", "-p", file]
        case .nestedGzip: ["sh", "-c", "gzip -dc \"$0\" | gzip -dc", file]
        case .workbook: ["xlsx2csv", file]
        case .oldWorkbook: ["xls2csv", file]
        case .tar: ["tar", "-xOf", file]
        case .zstd: ["zstd", "-dc", file]
        case .xz: ["xz", "-dc", file]
        case .bzip2: ["bzip2", "-dc", file]
        case .parquet: ["duckdb", "-c", "COPY '\(file)' TO '/dev/stdout' (FORMAT json)"]
        }
    }

    /// The command that decompresses standard input; `nil` if it needs a file.
    package var filter: [String]? {
        switch self {
        case .zstd, .xz, .bzip2: words("").dropLast()
        case .nestedGzip: ["gzip", "-dc"]
        case .zip, .emptyZip, .workbook, .oldWorkbook, .parquet, .tar: nil
        }
    }

    /// The command that compresses standard input; `nil` if it needs a file.
    package var packing: [String]? {
        switch self {
        case .zip, .emptyZip: ["zip", "-q", "-", "-"]
        case .zstd: ["zstd", "-q"]
        case .xz: ["xz"]
        case .bzip2: ["bzip2"]
        case .nestedGzip: ["sh", "-c", "gzip | gzip"]
        case .workbook, .oldWorkbook, .parquet, .tar: nil
        }
    }

    /// Returns the format of the contents of a file; `nil` if the name does not show it.
    package func innerFormat(_ file: String) -> RecordFormat? {
        switch self {
        case .parquet: return .ndjson
        case .workbook, .oldWorkbook: return .csv
        default: break
        }
        let whole = FileName(file)
        // If the inner name shows no format, the full name may.
        return RecordFormat(fileName: Self.inner(whole)) ?? RecordFormat(fileName: whole)
    }

    /// Returns the format of the first file in a zip archive, by its name.
    ///
    /// - Parameter bytes: the first bytes of the archive; see section 4.3.7 of
    ///   https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT.
    func innerFormat(of bytes: some Collection<UInt8>) -> RecordFormat? {
        guard self == .zip else { return nil }
        let header = Array(bytes.prefix(Self.headerByteCount))
        guard header.count > 30 else { return nil }
        let length = Int(header[26]) | Int(header[27]) << 8
        return RecordFormat(fileName: FileName(bytes: Array(header[30...].prefix(length))))
    }

    /// Returns the name without the extension of the archive or the compression.
    package static func inner(_ whole: FileName) -> FileName {
        FileName(bytes: whole.bytes.dropLast(whole.suffix.count))
    }
}
