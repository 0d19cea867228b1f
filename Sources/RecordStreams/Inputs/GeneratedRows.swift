/// The bytes of an input without a file: a line `{"row":7}` for each row, starting with 0.
struct GeneratedRows {
    private let count: Int
    private var next = 0
    private static let prefix = Array("{\"row\":".utf8)
    private static let suffix = Array("}\n".utf8)
    /// The maximum length of a line.
    private static let lineMax = prefix.count + suffix.count + 20

    init(_ count: Int) {
        self.count = count
    }

    /// Returns the number of bytes of `rows` rows.
    static func byteCount(_ rows: Int) -> Int {
        var digits = 0
        var (low, width) = (0, 1)
        var high = 10
        while low < rows {
            digits += (min(rows, high) - low) * width
            (low, width) = (high, width + 1)
            high = high.multipliedReportingOverflow(by: 10).overflow ? .max : high * 10
        }
        return digits + rows * (prefix.count + suffix.count)
    }

    /// Writes as many complete lines as fit into the buffer; returns 0 at the end.
    mutating func read(into target: UnsafeMutablePointer<UInt8>, count room: Int) -> Int {
        var used = 0
        while next < count, room - used >= Self.lineMax {
            for part in [Self.prefix, Array(String(next).utf8), Self.suffix] {
                for byte in part {
                    target[used] = byte
                    used += 1
                }
            }
            next += 1
        }
        return used
    }
}
