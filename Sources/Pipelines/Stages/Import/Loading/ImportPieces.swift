import RecordStreams

/// The inputs of an import, in sequence, as pieces that lanes take in round-robin order.
///
/// One lane at a time does the work that depends on the order of the bytes: decompressing, finding
/// the ends of records, hashing, and numbering. The other work runs in parallel.
///
/// ```
/// lane 0  cut 1 | decode 1 | count 1 | map 1  cut 3 | decode 3 ...
/// lane 1          cut 2 | decode 2 |  count 2 | map 2  cut 4 | decode 4 ...
/// ```
final class ImportPieces: Sendable {
    /// An input that is being read, with the counts of its pieces so far.
    final class Input {
        let file: InputFile
        let bytesBefore: Int
        let reader: RecordReader
        let digest = InputDigest(expected: [])
        /// The number of bytes in the counted pieces.
        var byteCount = 0
        /// The number of records in the counted pieces.
        var recordCount = 0
        /// The blank lines in the counted pieces.
        var blankLines = BlankLineCount()

        init(_ file: InputFile, bytesBefore: Int, _ reader: RecordReader) {
            self.file = file
            self.bytesBefore = bytesBefore
            self.reader = reader
            // With pieces, the reader passes only the bytes before the first record to its
            // observer.
            reader.observer = digest.add
        }
    }

    private struct State {
        /// The input from which pieces are cut.
        var input: Input?
        var inputsDone = 0
    }

    private let inputs: ImportInputs
    private let files: [(file: InputFile, bytesBefore: Int)]
    private let lanes: ImportLanes
    // Used only by the lane whose turn it is to cut.
    private nonisolated(unsafe) var state = State()

    init(_ inputs: ImportInputs, _ lanes: ImportLanes) {
        self.inputs = inputs
        files = inputs.filesLeft
        self.lanes = lanes
    }

    /// Fills a batch with the next piece when it is the lane's turn.
    ///
    /// - Returns: The input of the piece, and whether it may have further pieces; `nil` if all
    ///   inputs are read, or if the writer needs no more.
    func split(
        _ batch: MappedBatch, _ plan: ImportPlan, lane: Int
    ) throws -> (input: Input, isMore: Bool)? {
        try lanes.splitting.take(lane) {
            guard let input = try openInput(plan) else { return nil }
            let isMore = try input.reader.nextPiece(batch.records)
            batch.begin(input.reader, plan, bytesBefore: input.bytesBefore)
            batch.extraFields = input.reader.takeExtraFields()
            if !isMore {
                batch.hasGrown = try input.file.hasGrown(
                    bytesRead: input.reader.compressedBytesRead)
                state.input = nil
                state.inputsDone += 1
            }
            return (input, isMore)
        }
    }

    private func openInput(_ plan: ImportPlan) throws -> Input? {
        if let input = state.input { return input }
        guard state.inputsDone < files.count else { return nil }
        let (file, bytesBefore) = files[state.inputsDone]
        let input = Input(
            file, bytesBefore: bytesBefore,
            try inputs.reader(
                of: file, plan.selection, isCancelled: { [lanes] in lanes.isCancelled }))
        state.input = input
        return input
    }

    /// Records the position in the input after a decoded piece, when it is the lane's turn.
    ///
    /// - Returns: `false` if the writer needs no more.
    func count(_ batch: MappedBatch, of input: Input, isMore: Bool, lane: Int) -> Bool {
        let isCounted: Void? = lanes.counting.take(lane) {
            let digest = input.digest
            digest.add(batch.records.pieceBytes)
            batch.plainBytes = digest.byteCount - input.byteCount
            input.byteCount = digest.byteCount
            batch.records.renumber(after: input.recordCount)
            input.recordCount += batch.records.recordCount
            batch.blankLines = input.blankLines.take(batch.records, isLast: !isMore)
            if !isMore {
                batch.finishedInput = InputNote(
                    path: input.file.path, byteCount: input.file.byteCount, digest: digest.value,
                    records: input.recordCount)
            } else if input.recordCount > 0 {
                batch.position = InputPosition(
                    path: input.file.path, record: input.recordCount, offset: digest.byteCount,
                    digest: digest.value, isStream: input.file.isStream)
            }
        }
        return isCounted != nil
    }
}
