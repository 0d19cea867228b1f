/// Counts lines and columns, and finds what is not UTF-8; used only when something is wrong.
enum YAMLText {
    /// The place that follows these bytes.
    static func mark(after bytes: some Collection<UInt8>) -> YAMLMark {
        var mark = YAMLMark(line: 1, column: 1)
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                mark = YAMLMark(line: mark.line + 1, column: 1)
            } else if byte & 0xC0 != 0x80 {
                mark.column += 1
            }
        }
        return mark
    }

    /// The offset of the first byte that is not part of UTF-8 text, or nil.
    static func invalidOffset(_ bytes: ArraySlice<UInt8>) -> Int? {
        do {
            _ = try UTF8Span(validating: bytes.span)
            return nil
        } catch {
            return bytes.startIndex + error.byteOffsets.lowerBound
        }
    }
}
