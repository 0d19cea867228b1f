/// Records that are larger than one may be.
extension CSVScanner {
    /// What a record comes to if only so many of its bytes are seen, though there are more.
    ///
    /// The scanner wants to find behind them what stands behind the data, so that is put there
    /// meanwhile.
    @inline(never)
    func limited(
        _ outcome: Outcome, of start: UnsafeMutablePointer<UInt8>, to byteCount: Int,
        target: Target, arena: ByteArena
    ) -> Outcome {
        switch outcome {
        case .record(let next) where next - Bytes(start) <= byteCount: return outcome
        // Whether a CR ends the record shows by the byte behind it.
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
        // Its fields are in nobody's hands.
        var target = target
        target.columnCount = 0
        return scanner.record(
            Bytes(start), limit: Bytes(end), isFinal: false, target: target, arena: arena)
    }
}
