/// Functions that locate problems in a text; they run only if there is a problem.
enum YAMLText {
    /// Returns the position after these bytes.
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

    /// Returns the offset of the first byte that is not valid UTF-8; `nil` if all bytes are valid.
    static func invalidOffset(_ bytes: ArraySlice<UInt8>) -> Int? {
        do {
            _ = try UTF8Span(validating: bytes.span)
            return nil
        } catch {
            return bytes.startIndex + error.byteOffsets.lowerBound
        }
    }
}
