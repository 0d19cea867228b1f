/// Splits the beginning of a table, or single rows of it, into rows and fields.
struct TableRows {
    /// The first byte of the delimiter; `more` contains the others.
    private let delimiter: UInt8
    private let more: [UInt8]
    /// The byte around fields.
    private let quote = UInt8(ascii: "\"")
    /// The byte at the beginning of comment lines.
    let comment: UInt8?
    /// The byte that makes the next character literal.
    private let escape: UInt8?

    init(delimiter: [UInt8], comment: UInt8? = nil, escape: UInt8? = nil) {
        self.escape = escape
        self.delimiter = delimiter[0]
        more = Array(delimiter.dropFirst())
        self.comment = comment
    }

    /// Returns the rows at the beginning of a table without blank ones.
    ///
    /// - Parameters:
    ///   - isWhole: whether these are all bytes, so that the last row is complete.
    ///   - limit: the maximum number of rows.
    func rows(_ bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool, limit: Int) -> [[[UInt8]]] {
        var rows: [[[UInt8]]] = []
        var at = 0
        while at < bytes.count, rows.count < limit {
            if bytes[at] == comment {
                while at < bytes.count, bytes[at] != 10, bytes[at] != 13 { at += 1 }
                at += 1
                continue
            }
            let (fields, isEnded) = row(bytes, &at)
            guard isEnded || isWhole else { break }
            if fields != [[]] { rows.append(fields) }
        }
        return rows
    }

    /// Returns the fields of one row.
    func fields(_ row: UnsafeBufferPointer<UInt8>) -> [[UInt8]] {
        var at = 0
        return self.row(row, &at).fields
    }

    private func row(
        _ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int
    ) -> (fields: [[UInt8]], isEnded: Bool) {
        var fields: [[UInt8]] = []
        var field: [UInt8] = []
        var isQuoted = false
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == escape, at < bytes.count {
                field.append(bytes[at])
                at += 1
            } else if isQuoted {
                if byte != quote {
                    field.append(byte)
                } else if at < bytes.count, bytes[at] == quote {
                    field.append(byte)
                    at += 1
                } else {
                    isQuoted = false
                }
            } else if byte == quote, field.isEmpty {
                isQuoted = true
            } else if byte == delimiter, more.isEmpty || bytes[at...].starts(with: more) {
                at += more.count
                fields.append(field)
                field = []
            } else if byte == 10 || byte == 13 {
                if byte == 13, at < bytes.count, bytes[at] == 10 { at += 1 }
                fields.append(field)
                return (fields, true)
            } else {
                field.append(byte)
            }
        }
        fields.append(field)
        return (fields, false)
    }
}
