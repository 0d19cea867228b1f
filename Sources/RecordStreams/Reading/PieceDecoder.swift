/// Decodes pieces of an input in parallel with other decoders.
package final class PieceDecoder {
    private let decoder: (any RecordDecoder)?

    /// Creates a decoder for the pieces of the reader; it can be used on another thread.
    package init(of reader: RecordReader) {
        decoder = reader.pieceDecoder()
    }

    /// Returns the unselected fields, and the number of records decoded here that contained them
    /// since the last call.
    package func takeExtraFields() -> [(name: String, count: Int)] {
        decoder?.takeExtraFields() ?? []
    }

    /// Decodes the piece that `RecordReader.nextPiece` has put into a batch, unless the reader
    /// decoded it.
    package func decode(_ batch: RecordBatch) {
        guard !batch.isDecoded, let decoder else { return }
        batch.isDecoded = true
        batch.numbersBefore = decoder.recordCount
        let used = decoder.decode(into: batch, isFinal: false)
        precondition(used == batch.chunk.count, "a piece holds whole records")
    }
}
