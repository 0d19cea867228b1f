import GraphModel

/// The conversion between values and their text in model files.
enum ContentsText {
    /// The attributes that Xcode writes into every new model.
    static let usualAttributes: [(String, String)] = [
        ("type", "com.apple.IDECoreDataModeler.DataModel"), ("documentVersion", "1.0"),
        ("minimumToolsVersion", "Automatic"), ("sourceLanguage", "Swift"),
    ]

    static func boolean(_ text: String) -> Bool? {
        switch text.uppercased() {
        case "YES", "TRUE", "1": true
        case "NO", "FALSE", "0": false
        default: nil
        }
    }

    /// Returns the number in a text; `nil` if it is not a finite number.
    static func number(_ text: String) -> Double? {
        guard let number = Double(text), number.isFinite else { return nil }
        return number
    }

    /// Returns a number as text for an attribute type: `3` for integers, `3.0` for other types.
    static func text(_ number: Double, of type: AttributeType) -> String {
        switch type {
        case .integer16, .integer32, .integer64: ScalarText.whole(number)
        default: "\(number)"
        }
    }

    /// Returns the default value that a text describes; `nil` if it is not valid for the type.
    static func defaultValue(_ text: String, of type: AttributeType) -> StoredValue? {
        switch type {
        case .integer16: integer(text, within: Int64(Int16.min)...Int64(Int16.max))
        case .integer32: integer(text, within: Int64(Int32.min)...Int64(Int32.max))
        case .integer64: integer(text, within: .min ... .max)
        case .boolean: boolean(text).map { .integer($0 ? 1 : 0) }
        case .double: number(text).map { .real($0) }
        case .float:
            number(text).map { Double(Float($0)) }.flatMap { $0.isFinite ? .real($0) : nil }
        case .decimal: ScalarText.decimal(text).map { .real($0) }
        case .date: number(text).map { .real($0) }
        case .string: .text(text)
        case .uri: ScalarText.hasScheme(text) ? .text(text) : nil
        case .uuid: ScalarText.uuid(text).map { .blob($0) }
        case .binary, .transformable, .composite, .undefined: nil
        }
    }

    /// Returns the text of a default value; `nil` if model files cannot express the value.
    static func text(_ value: StoredValue, of type: AttributeType) -> String? {
        switch (value, type) {
        case (.integer(let number), .boolean): number == 0 ? "NO" : "YES"
        case (.integer(let number), _): String(number)
        case (.real(let number), .float): "\(Float(number))"
        case (.real(let number), _): "\(number)"
        case (.text(let text), _): text
        case (.blob(let bytes), .uuid) where bytes.count == 16:
            bytes.withUnsafeBufferPointer(ScalarText.uuidText)
        case (.blob, _), (.null, _): nil
        }
    }

    private static func integer(_ text: String, within bounds: ClosedRange<Int64>) -> StoredValue? {
        let number = Int64(text) ?? number(text).flatMap { Int64(exactly: $0) }
        return number.flatMap { bounds.contains($0) ? .integer($0) : nil }
    }
}
