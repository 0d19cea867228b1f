/// A format that etl knows by its first bytes, and does not read.
package enum ForeignFormat: Sendable, Hashable, CaseIterable {
    case zip, workbook, zstd, xz, bzip2, parquet

    /// The longest of the beginnings.
    static let byteCountMax = 10

    /// The format of a file, by its first bytes.
    ///
    /// - Parameter name: tells a workbook, which is a zip archive.
    init?(_ bytes: some Collection<UInt8>, name: String) {
        let format = Self.allCases.first { $0.isBeginning(of: bytes) }
        guard let format else { return nil }
        self = format == .zip && name.lowercased().hasSuffix(".xlsx") ? .workbook : format
    }

    /// Whether two bytes are the first of any.
    static func mayBegin(with bytes: some Collection<UInt8>) -> Bool {
        allCases.contains { bytes.prefix(2).elementsEqual($0.beginning.prefix(2)) }
    }

    private var beginning: [UInt8] {
        switch self {
        case .zip, .workbook: [0x50, 0x4B, 3, 4]
        case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
        case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]
        // Behind it the size of blocks as a digit, and the first block's mark.
        case .bzip2: [0x42, 0x5A, 0x68]
        // Behind it the first page's header, which is no text.
        case .parquet: Array("PAR1".utf8) + [0x15]
        }
    }

    private func isBeginning(of bytes: some Collection<UInt8>) -> Bool {
        guard bytes.starts(with: beginning) else { return false }
        // Text may begin with these three letters.
        return self != .bzip2
            || bytes.dropFirst(4).starts(with: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
    }

    /// As in "the first bytes are those of …".
    var text: String {
        switch self {
        case .zip: "a zip archive"
        case .workbook: "an Excel workbook"
        case .zstd: "a zstd file"
        case .xz: "an xz file"
        case .bzip2: "a bzip2 file"
        case .parquet: "a Parquet file"
        }
    }

    /// How to get a file that etl reads.
    func fix(_ path: String) -> String {
        let file = path == "-" ? "FILE" : path
        switch self {
        case .zip: return "unpack it, and name its files: `unzip \(file)`"
        case .workbook: return "save each sheet as CSV, and name that file"
        case .zstd: return Self.unpacking("zstd", file)
        case .xz: return Self.unpacking("xz", file)
        case .bzip2: return Self.unpacking("bzip2", file)
        case .parquet:
            return
                "write it as NDJSON: `duckdb -c \"COPY '\(file)' TO 'data.ndjson' (FORMAT json)\"`"
        }
    }

    private static func unpacking(_ tool: String, _ file: String) -> String {
        "unpack it with `\(tool) -dk \(file)`, or pipe it: `\(tool) -dc \(file) | etl run …` with "
            + "`files: \"-\"`"
    }
}
