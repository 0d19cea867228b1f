/// A number of a later file such as `1.125`, whose mark may begin a fraction or group digits.
///
/// The other numbers of the column decide, and else the first import of the column:
///
/// ```
/// first import   later file            1.125 is
/// 2,75           1.125  1,5            1125, without a doubt
/// 2,75           1.125  2.25           1.125, because of 2.25
/// 2,75           1.125                 1125, because of the first import
/// 2,75           1.125  2.25  1,5      unknown, so the import fails
/// ```
struct DecimalDoubt {
    /// A sentence that states how the number is read, and which other number decided this.
    let message: String
    let fix: String
    /// Whether other numbers of the column contradict each other, so that the import must fail.
    let isOpen: Bool

    /// Finds a number of a later file that the column's format may misread.
    ///
    /// - Parameters:
    ///   - numbers: the numbers of the later file.
    ///   - kept: their format in the first import.
    ///   - column: the name of the column.
    /// - Returns: `nil` if there is no such number, or no doubt.
    init?(_ numbers: NumberForms, keeping kept: NumberForms.Form, in column: String) {
        guard let open = numbers.open else { return nil }
        let isComma = kept.decimal == ","
        let (own, other) =
            isComma
            ? (numbers.withComma, numbers.withPoint) : (numbers.withPoint, numbers.withComma)
        let (ownMark, otherMark) = isComma ? ("comma", "point") : ("point", "comma")
        let otherSign: Character = isComma ? "." : ","
        let mark = open.text.contains(kept.decimal) ? ownMark : otherMark
        let subject = "'\(open.text)' in \(column) (\(open.place))"
        let asOwn = Self.value(open.text, decimal: kept.decimal)
        let asOther = Self.value(open.text, decimal: otherSign)
        isOpen = own != nil && other != nil
        switch (own, other) {
        case (let own?, let other?):
            message =
                "\(subject) may be \(asOwn) or \(asOther), because '\(own.text)' (\(own.place))"
                + " needs a decimal \(ownMark), and '\(other.text)' (\(other.place)) needs a"
                + " decimal \(otherMark); nothing was imported"
            fix =
                "write all numbers of the column with a decimal \(ownMark), as in the first import"
        case (_?, nil): return nil
        case (nil, let other?):
            message =
                "\(subject) is read as \(asOther), because '\(other.text)' (\(other.place)) needs a"
                + " decimal \(otherMark); the first import had a decimal \(ownMark)"
            fix =
                mark == otherMark
                ? "if the \(mark) groups thousands in this file, remove it"
                : "if the \(mark) is the decimal mark in this file, write a \(otherMark)"
        case (nil, nil):
            guard mark != ownMark else { return nil }
            message =
                "\(subject) is read as \(asOwn), because the first import had a decimal"
                + " \(ownMark), and no number of the column needs another"
            fix = "if the \(mark) is the decimal mark in this file, write a \(ownMark)"
        }
    }

    /// Returns the number as JSON writes it.
    private static func value(_ text: String, decimal: Character) -> String {
        String(
            text.compactMap { character in
                character == decimal ? "." : ".,".contains(character) ? nil : character
            })
    }
}
