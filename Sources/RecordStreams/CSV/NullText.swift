/// Texts that stand for no value in tables of others.
///
/// A table that is written has them in quotes, since an inference takes only unquoted ones for null.
package enum NullText {
    /// Those that mean nothing else; a column of texts may hold them, too.
    private static let sure = ["\\N", "NULL", "N/A", "#N/A", "(null)"]
    /// Those that may also be values: of Namibia, or of somebody who is called so.
    private static let doubtful = ["null", "n/a", "NA", "None", "NaN", "nan", "-", "--"]

    /// All null texts; the texts that can only mean null come first.
    package static let all = sure + doubtful
    private static let bytes = all.map { Array($0.utf8) }
    static let bytesMax = 6

    /// The place of a text among them.
    package static func place(of text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard text.count <= bytesMax else { return nil }
        return bytes.firstIndex { $0.elementsEqual(text) }
    }

    /// Returns whether the text at this index of `all` can only mean null.
    package static func isSure(_ place: Int) -> Bool { place < sure.count }

    /// Whether a short text may be one of them, by its first byte.
    @inline(__always)
    static func mayBegin(with byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "N"), UInt8(ascii: "n"), UInt8(ascii: "#"),
            UInt8(ascii: "("), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
