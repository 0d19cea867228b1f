import FoundationEssentials
import RecordStreams
import XcodeModel

/// The content of Transformable attributes that etl did not write.
enum TransformedBytes {
    /// Returns whether the bytes are not JSON.
    static func isForeign(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        BinaryPropertyList.isOne(bytes.prefix(8)) || !JSONScanner.validate(bytes)
    }

    /// Returns an archive of plain classes as JSON, and other bytes as Base64 text.
    static func json(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        if let json = ArchiveJSON.text(of: bytes) { return json }
        return Array("\"\(Data(bytes).base64EncodedString())\"".utf8)
    }
}
