extension ExactDecimal {
    /// Returns the order of two strings as decimal numbers.
    ///
    /// Strings that are not numbers come last, in the order of their bytes.
    package static func order(ofTexts left: ByteView, _ right: ByteView) -> Int {
        switch (ExactDecimal(left), ExactDecimal(right)) {
        case (let left?, let right?): order(left, right)
        case (.some, nil): -1
        case (nil, .some): 1
        case (nil, nil): TextCollation.bytes(left, right)
        }
    }
}
