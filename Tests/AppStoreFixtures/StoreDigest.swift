internal import CZlib
import Foundation

/// Returns the CRC-32 of bytes, as in gzip and Python.
package func checksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBufferPointer { UInt32(crc32(0, $0.baseAddress, UInt32($0.count))) }
}

/// Returns the contents of a folder, including hidden files: each file's path, size, checksum, and
/// modification time.
package func folderDigest(_ folder: String) throws -> [String] {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return try names.sorted().map { name in
        let path = "\(folder)/\(name)"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let written = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        guard let bytes = FileManager.default.contents(atPath: path),
            attributes[.type] as? FileAttributeType == .typeRegular
        else { return name }
        return "\(name) \(bytes.count) \(checksum(Array(bytes))) \(written)"
    }
}
