/// A syntax error in a JSON text, and its position.
struct JSONFault {
    /// The kinds of fault.
    enum Kind: Equatable {
        case none
        /// Valid so far, but the data ends.
        case incomplete
        case unexpectedByte
        case badNumber
        case badLiteral
        case controlCharacter
        case badEscape
        case loneSurrogate
        case invalidUTF8
        case tooDeep
        case twoValues
        case notAnObject
        case tooBig
    }

    var kind = Kind.none
    var place: UnsafePointer<UInt8>?

    /// Records the fault; returns `nil`, so that scanners can return its result.
    @inline(never)
    mutating func note(_ kind: Kind, at place: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
        self.kind = kind
        self.place = place
        return nil
    }

    /// Records an unexpected byte, or the end of the data.
    @inline(never)
    mutating func unexpected(
        _ kind: Kind = .unexpectedByte, at place: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
        if place >= end { return note(.incomplete, at: place) }
        return note(Self.isOfNoUTF8(place.pointee) ? .invalidUTF8 : kind, at: place)
    }

    /// Returns whether the byte occurs in no UTF-8 text: 0xFE or 0xFF, with which UTF-16 starts.
    static func isOfNoUTF8(_ byte: UInt8) -> Bool { byte >= 0xFE }
}

extension JSONFault.Kind {
    /// Returns the fault as a reason to reject a record.
    ///
    /// - Parameter encoding: the encoding of the input.
    func recordFault(_ encoding: TextEncoding) -> RecordFault {
        switch self {
        case .none, .unexpectedByte:
            RecordFault(
                code: "parse", detail: "json.unexpected-byte",
                message: "This is not JSON: a byte does not belong here")
        case .incomplete:
            RecordFault(
                code: "parse", detail: "json.incomplete", message: "The JSON value is not complete",
                fix: "write each record on one line, or set `read.as: json`")
        case .badNumber:
            RecordFault(
                code: "parse", detail: "json.bad-number", message: "This is not a JSON number")
        case .badLiteral:
            RecordFault(
                code: "parse", detail: "json.bad-literal",
                message: "Only true, false, and null may be unquoted")
        case .controlCharacter:
            RecordFault(
                code: "parse", detail: "json.control-character",
                message: "A string contains an unescaped control character")
        case .badEscape:
            RecordFault(
                code: "parse", detail: "json.bad-escape", message: "JSON does not have this escape")
        case .loneSurrogate:
            RecordFault(
                code: "encoding", detail: "json.lone-surrogate",
                message: "One half of a surrogate pair is missing")
        case .invalidUTF8:
            RecordFault(
                code: "encoding",
                detail: encoding == .utf8 ? "json.invalid-utf8" : "json.invalid-text",
                message: encoding.fault, fix: encoding.fix)
        case .tooDeep:
            RecordFault(
                code: "parse", detail: "json.too-deep", message: "The value nests too deep",
                fix: "raise `read.max-depth` if the record is valid")
        case .twoValues:
            RecordFault(
                code: "shape", detail: "json.two-values",
                message: "A second value follows on the same line",
                fix: "write each record on its own line")
        case .notAnObject:
            RecordFault(
                code: "shape", detail: "json.not-an-object", message: "The record is not an object")
        case .tooBig:
            RecordFault(
                code: "too-big", detail: "json.record-too-big",
                message: "The record is larger than `read.max-record`",
                fix: "raise `read.max-record` if the record is valid")
        }
    }
}
