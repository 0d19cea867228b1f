extension ExactDecimal {
    /// Returns the order of two texts as numbers; texts that are not numbers come last, by bytes.
    package static func order(ofTexts left: ByteView, _ right: ByteView) -> Int {
        switch (ExactDecimal(left), ExactDecimal(right)) {
        case (let left?, let right?): order(left, right)
        case (.some, nil): -1
        case (nil, .some): 1
        case (nil, nil): TextCollation.bytes(left, right)
        }
    }
}
