extension ExactDecimal {
    /// The order of two texts by the numbers they are; texts that are none come after, by bytes.
    package static func order(ofTexts left: ByteView, _ right: ByteView) -> Int {
        switch (ExactDecimal(left), ExactDecimal(right)) {
        case (let left?, let right?): order(left, right)
        case (.some, nil): -1
        case (nil, .some): 1
        case (nil, nil): TextCollation.bytes(left, right)
        }
    }
}
