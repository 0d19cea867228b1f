/// The strings by which other programs write null in a table.
///
/// An inference reads only unquoted ones as null, so an export writes such a string in quotes.
package enum NullText {
    /// Strings that always mean null, even in a column of text.
    private static let sure = ["\\N", "NULL", "N/A", "#N/A", "(null)"]
    /// Strings that can also be values: `NA` is the code of Namibia, and `Null` is a surname.
    private static let doubtful = ["null", "n/a", "NA", "None", "NaN", "nan", "-", "--"]

    /// All null texts; the texts that can only mean null come first.
    package static let all = sure + doubtful
    private static let bytes = all.map { Array($0.utf8) }
    static let bytesMax = 6

    /// Returns the index of a string in `all`; `nil` if it is not a null text.
    package static func place(of text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard text.count <= bytesMax else { return nil }
        return bytes.firstIndex { $0.elementsEqual(text) }
    }

    /// Returns whether the text at this index of `all` can only mean null.
    package static func isSure(_ place: Int) -> Bool { place < sure.count }

    /// Returns whether a null text starts with the byte.
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
