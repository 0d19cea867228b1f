/// Decodes pieces of an input beside others that decode other pieces of it.
package final class PieceDecoder {
    private let decoder: (any RecordDecoder)?

    /// A decoder for what the reader leaves to it, on another thread too.
    package init(of reader: RecordReader) {
        decoder = reader.pieceDecoder()
    }

    /// The fields that nobody asked for, and in how many of the records decoded here they were met.
    package var extraFields: [(name: String, count: Int)] { decoder?.extraFields ?? [] }

    /// Decodes what `RecordReader.nextPiece` has put into a batch, unless it did that itself.
    package func decode(_ batch: RecordBatch) {
        guard !batch.isDecoded, let decoder else { return }
        batch.isDecoded = true
        batch.numbersBefore = decoder.recordCount
        let used = decoder.decode(into: batch, from: 0, isFinal: false)
        precondition(used == batch.chunk.count, "a piece holds whole records")
    }
}
