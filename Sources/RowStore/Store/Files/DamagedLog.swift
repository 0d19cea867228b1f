import Files
import SQLite

/// A write-ahead log (WAL) with saved changes that SQLite ignores because of a damage.
///
/// SQLite uses the frames of a log up to the last commit before the first frame with a wrong
/// checksum, and deletes the log afterward (https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
/// These unused frames are normal:
///
/// - frames of an earlier log, which was checkpointed; both of their salts differ from the header's
/// - frames of a transaction that was not committed, for example because its process was killed
/// - an incomplete last frame that ends after its header or at a block of the disk, because the
///   process was killed or the disk was full
///
/// A frame with a salt of the header is therefore lost if it marks a commit and SQLite ignores it.
struct DamagedLog: Error, Hashable {
    /// The sizes and magic numbers of the format.
    private enum Format {
        static let header = 32
        static let frameHeader = 24
        /// The two magic numbers differ in the last bit, which is set if checksums are big-endian.
        static let magic = 0x377F_0682
        static let version = 3_007_000
        /// Disks do not write less.
        static let block = 512
    }

    /// The damage in one sentence.
    let text: String
    /// The first damaged frame and the last ignored one with a commit; `nil` if no frame after the
    /// damage commits.
    private var frames: ClosedRange<Int>?

    /// Reads the log of a store; `nil` if there is none, or it has no such damage.
    ///
    /// Another process may write to the log meanwhile, so damage counts only if a second look finds
    /// it, too, and nothing was written in between.
    init?(ofStoreAt path: String) {
        let log = StoreFiles.resolved(path) + "-wal"
        let stamp = StoreFiles.stamp(log)
        // Opening the store reports a log that cannot be read.
        guard StoreFiles.size(log) > Format.header, let found = try? DamagedLog(log) else {
            return nil
        }
        Connection.sleep(milliseconds: 20)
        guard let again = try? DamagedLog(log), again == found, StoreFiles.stamp(log) == stamp
        else { return nil }
        self = found
    }

    private init?(_ log: String) throws(SystemFault) {
        let file = try FileSystem.open(log, .reading)
        defer { FileSystem.close(file) }
        let size = try FileStatus(of: file).size
        let header = try Self.bytes(Format.header, of: file, at: 0)
        guard header.number(at: 0, bytes: 4) & ~1 == Format.magic else {
            text = "The write-ahead log does not begin as one does, so SQLite ignores all of it"
            return
        }
        var sum = LogChecksum(header)
        let pageSize = header.number(at: 8, bytes: 4)
        guard sum.isStored(in: header, at: 24), pageSize >= 512, pageSize <= 65_536,
            header.number(at: 4, bytes: 4) == Format.version
        else {
            text = "The header of the write-ahead log is damaged, so SQLite ignores all of it"
            return
        }
        let salts = Array(header[16..<24])
        let frameSize = Format.frameHeader + pageSize
        let count = (size - Format.header) / frameSize
        // The last frame before the damage that commits, the first wrong one, and the last lost one.
        var (committed, wrong, lost) = (0, Int?.none, Int?.none)
        for number in stride(from: 1, through: count, by: 1) {
            let place = Format.header + (number - 1) * frameSize
            let wanted = wrong == nil ? frameSize : Format.frameHeader
            let frame = try Self.bytes(wanted, of: file, at: place)
            let commits = frame.number(at: 4, bytes: 4) != 0
            if wrong == nil {
                sum.add(frame[..<8])
                sum.add(frame[Format.frameHeader...])
                if frame[8..<16].elementsEqual(salts), frame.number(at: 0, bytes: 4) != 0,
                    sum.isStored(in: frame, at: 16)
                {
                    if commits { committed = number }
                    continue
                }
                wrong = number
            }
            if commits, Self.isCurrent(frame, salts) { lost = number }
        }
        if let wrong, let lost {
            frames = wrong...lost
            text =
                "The write-ahead log is damaged in frame \(wrong), so SQLite ignores frames "
                + "\(committed + 1) to \(lost), which contain saved changes"
            return
        }
        let rest = size - Format.header - count * frameSize
        guard rest > Format.frameHeader, size % Format.block != 0,
            Self.isCurrent(
                try Self.bytes(
                    Format.frameHeader, of: file, at: Format.header + count * frameSize), salts)
        else { return nil }
        text =
            "The write-ahead log is truncated in frame \(count + 1), so SQLite ignores frames "
            + "\(committed + 1) to \(count + 1)"
    }

    /// Whether a frame belongs to the log; one of its salts may be damaged.
    private static func isCurrent(_ frame: [UInt8], _ salts: [UInt8]) -> Bool {
        frame[8..<12].elementsEqual(salts[..<4]) || frame[12..<16].elementsEqual(salts[4...])
    }

    private static func bytes(
        _ count: Int, of file: Int32, at place: Int
    ) throws(SystemFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = bytes.withUnsafeMutableBytes { room -> Result<Int, SystemFault> in
            Result { () throws(SystemFault) in
                try FileSystem.fill(room, from: file, at: Int64(place))
            }
        }
        _ = try result.get()
        return bytes
    }
}

extension DamagedLog {
    /// Gives the frames of a copied log new checksums, so that SQLite also uses the ignored ones.
    ///
    /// - Returns: the sentence about the lost or possibly wrong data.
    func mend(copyOfStoreAt path: String) throws(StoreError) -> String {
        guard let frames else { return text }
        let log = path + "-wal"
        let bytes = try StoreFiles.read(log)
        var mended = Array(bytes[..<Format.header])
        let frameSize = Format.frameHeader + mended.number(at: 8, bytes: 4)
        let salts = Array(mended[16..<24])
        // Each frame adds at most one page; a larger number is damaged.
        let pagesMax =
            StoreFiles.size(path) / (frameSize - Format.frameHeader) + frames.upperBound
        var sum = LogChecksum(mended)
        for number in 1...frames.upperBound {
            let place = Format.header + (number - 1) * frameSize
            var frame = Array(bytes[place..<place + frameSize])
            guard Self.isCurrent(frame, salts),
                (1...pagesMax).contains(frame.number(at: 0, bytes: 4))
            else { continue }
            frame.set(min(frame.number(at: 4, bytes: 4), pagesMax), at: 4, bytes: 4)
            frame.replaceSubrange(8..<16, with: salts)
            sum.add(frame[..<8])
            sum.add(frame[Format.frameHeader...])
            sum.store(in: &frame, at: 16)
            mended += frame
        }
        try StoreFiles.overwrite(log, at: 0, with: mended)
        return "The write-ahead log is damaged in frame \(frames.lowerBound); its changes are read"
            + " nevertheless, and some values may be wrong"
    }
}

/// The running checksum of a write-ahead log, which begins at its header.
private struct LogChecksum {
    private var first: UInt32 = 0
    private var second: UInt32 = 0
    private let isBigEndian: Bool

    /// Adds the fields of the header.
    init(_ header: [UInt8]) {
        isBigEndian = header[3] & 1 == 1
        add(header[..<24])
    }

    /// Adds bytes, whose count is a multiple of 8.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { bytes in
            var place = 0
            while place < bytes.count {
                first &+= word(bytes, place) &+ second
                second &+= word(bytes, place + 4) &+ first
                place += 8
            }
        }
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }

    /// Whether the checksum is stored in these bytes.
    func isStored(in bytes: [UInt8], at place: Int) -> Bool {
        bytes.number(at: place, bytes: 4) == Int(first)
            && bytes.number(at: place + 4, bytes: 4) == Int(second)
    }

    /// Stores the checksum in these bytes.
    func store(in bytes: inout [UInt8], at place: Int) {
        bytes.set(Int(first), at: place, bytes: 4)
        bytes.set(Int(second), at: place + 4, bytes: 4)
    }
}

extension StoreError {
    /// The error for a store with a damaged log.
    init(_ damage: DamagedLog, ofStoreAt path: String) {
        self.init(.corrupt, "\(path)-wal is damaged: \(damage.text)", cause: damage)
    }

    /// Whether the write-ahead log of the store is damaged.
    package var isOfDamagedLog: Bool { cause is DamagedLog }
}
