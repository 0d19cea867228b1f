extension Sequence<UInt8> {
    /// The bytes in hexadecimal, two small digits each.
    package var hexText: String {
        map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
    }
}
