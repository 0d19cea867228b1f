/// The scan of records that may be larger than the maximum size.
extension CSVScanner {
    /// Scans a record again as if the data ended after its first `byteCount` bytes.
    ///
    /// The scanner needs the terminator bytes at the end of the data, so they replace the next two
    /// bytes during the call.
    @inline(never)
    func limited(
        _ outcome: Outcome, of start: UnsafeMutablePointer<UInt8>, to byteCount: Int,
        target: Target, arena: ByteArena
    ) -> Outcome {
        switch outcome {
        case .record(let next) where next - Bytes(start) <= byteCount: return outcome
        // The byte after a CR shows whether the CR ends the record.
        case .bad(_, let place) where place - Bytes(start) < byteCount - 1: return outcome
        default: break
        }
        let end = start + byteCount
        let (first, second) = (end[0], end[1])
        end[0] = 10
        end[1] = quote
        defer {
            end[0] = first
            end[1] = second
        }
        var scanner = self
        // The fields are not used.
        var target = target
        target.columnCount = 0
        return scanner.record(
            Bytes(start), limit: Bytes(end), isFinal: false, target: target, arena: arena)
    }
}
