import FoundationEssentials
import GraphModel
import GraphStore
import RecordStreams
import XcodeModel

/// The content of Transformable attributes that a transformer other than `json` has written.
///
/// Exports write it as Base64 text, and imports restore the bytes from it. JSON stays as it is.
enum TransformedBytes {
    /// Returns the bytes that an export writes as the JSON value in a cell.
    ///
    /// These are the value itself, except if it is Base64 text of bytes that are not JSON.
    static func stored(_ cell: BulkCell, _ arena: inout ByteArena) -> BulkCell {
        let json = cell.bytes
        guard json.count > 2, json.first == UInt8(ascii: "\""), json.last == UInt8(ascii: "\"")
        else { return cell }
        let text = UnsafeBufferPointer(rebasing: json[1..<(json.count - 1)])
        let most = ScalarParser.base64BytesMax(text.count)
        let target = UnsafeMutableBufferPointer(start: arena.allocate(most), count: most)
        let count = ScalarParser.base64(text, into: target) ?? 0
        arena.giveBack(most - count)
        let bytes = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(target)[..<count])
        return count > 0 && isForeign(bytes) ? .blob(bytes) : cell
    }

    /// Returns the bytes that an export writes as a JSON value.
    static func stored(_ json: [UInt8]) -> [UInt8] {
        var arena = ByteArena()
        return json.withUnsafeBufferPointer { Array(stored(.blob($0), &arena).bytes) }
    }

    /// Returns whether the bytes are not JSON.
    static func isForeign(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        BinaryPropertyList.isOne(bytes.prefix(8)) || !JSONScanner.validate(bytes, depthMax: .max)
    }

    /// Returns bytes as Base64 text in JSON.
    ///
    /// - Parameter readsArchives: Whether to return an archive of plain classes as its content.
    static func json(_ bytes: UnsafeBufferPointer<UInt8>, readsArchives: Bool) -> [UInt8] {
        let bytes = Array(bytes)
        if readsArchives, let json = ArchiveJSON.text(of: bytes) { return json }
        return Array("\"\(Data(bytes).base64EncodedString())\"".utf8)
    }
}
