import FoundationEssentials
import RecordStreams
import XcodeModel

/// What Transformable attributes hold where no transformer of ours wrote it.
enum TransformedBytes {
    /// Whether the bytes are no JSON.
    static func isForeign(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        BinaryPropertyList.isOne(bytes.prefix(8)) || !JSONScanner.validate(bytes)
    }

    /// An archive of plain classes as JSON; other bytes as a text of base64.
    static func json(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        if let json = ArchiveJSON.text(of: bytes) { return json }
        return Array("\"\(Data(bytes).base64EncodedString())\"".utf8)
    }
}
