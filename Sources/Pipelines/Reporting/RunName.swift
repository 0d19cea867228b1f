import Files
import GraphModel

/// The name of a run, or of an attempt that continues one, such as `20261121T030000Z-4711`: its
/// start, and its process ID.
enum RunName {
    /// Returns the name of a run by its start and its process, which is this one by default.
    static func of(_ started: Double, _ process: Int32 = SystemProcess.number) -> String {
        ScalarText.isoDate(started.rounded(.down)).filter { $0 != "-" && $0 != ":" } + "-\(process)"
    }

    /// Returns the start of a run from its name, as a string of fixed length that can be compared.
    static func second(_ name: String) -> Substring { name.prefix(16) }

    /// Returns the start of a run in seconds since 2001-01-01 UTC; `nil` for any other string.
    static func started(_ name: Substring) -> Double? {
        let bytes = Array(name.utf8)
        guard bytes.count > 17, bytes[15] == UInt8(ascii: "Z"), bytes[16] == UInt8(ascii: "-"),
            Int(name.dropFirst(17)) != nil
        else { return nil }
        var iso: [UInt8] = []
        for (place, byte) in bytes[..<16].enumerated() {
            if place == 4 || place == 6 { iso.append(UInt8(ascii: "-")) }
            if place == 11 || place == 13 { iso.append(UInt8(ascii: ":")) }
            iso.append(byte)
        }
        return iso.withUnsafeBufferPointer { ScalarParser.isoDate($0) }
    }
}
