// How this folder writes an SQLite file
//
// A program that inserts a million rows pays SQLite for a million searches of each b-tree, although
// it knows all the rows. This folder writes the finished pages instead. Its source is "Database
// File Format" (https://www.sqlite.org/fileformat2.html); the sections below are sections of it.
//
// SQLite creates the file and its schema: the header (1.3), the schema table (2.6), and an empty
// root page for each table and index. This folder then appends pages and fills the roots:
//
// ```
// page 1   header, schema table
// page 2   pointer map of the pages 3 to 821         (1.8)
// page 3   root of ZTASK           <- the top page of its tree
// page 4   root of Z_Task_UNIQUE_id
// page 5   leaf, leaf, overflow, leaf, interior, …   in the order in which they are filled
// page 822 pointer map of the pages 823 to 1641
// ```
//
// A b-tree (1.6) is built from its leaves up. Rows come in rising order, so a page is filled to its
// end, appended, and never changed. Its number and its largest key then go into a page of the level
// above. Take an index whose pages hold three keys, and the keys 1 to 8:
//
// ```
// after 1…3    leaf [1 2 3]
// key 4        does not fit: it becomes the divider to the right of [1 2 3]
// after 5…7    leaf [5 6 7], level 1 [page of (1 2 3), 4, …]
// key 8        becomes the next divider, and no key is left for a leaf to its right
// end          so 7 becomes the divider and 8 gets the leaf: [1 2 3] 4 [5 6] 7 [8]
// ```
//
// The last step is why each level holds back its last full page: no page of the finished tree is
// empty, and no interior page has only one child. A table's leaves keep all their rows, and the
// divider is the largest row ID of the page to its left.
//
// Payload that does not fit in a page continues in a chain of overflow pages (1.6). Each page has
// an entry in a pointer-map page: its kind, and the page that refers to it (1.8). The entry is
// known when the referring page is written, so a pointer-map page is written when its last entry is
// known. The lock-byte page (1.4) stays zero.
//
// The keys of an index are records (2.1) in the order of 2.4.1: NULL, numbers, text, blobs; text
// and blobs by their bytes. They are sorted in bounded memory with runs in a temporary file. The
// integers 0 and 1 have no content. A column with REAL affinity stores an integral value as an
// integer of at most six bytes (2.1, 2.3), in the table and in its indexes.
//
// A change of a shared file must be atomic. Before the first page is written, the original content
// of each page that changes goes into a rollback journal (3). If the process is killed, SQLite
// rolls the file back when it is opened next: it restores these pages and truncates the file.
// Deleting the journal commits.

/// The constants of files with pages of 4,096 bytes.
package enum PageFormat {
    /// The size of a page in bytes, without reserved space.
    package static let pageBytes = 4_096
    /// The offset of the change counter in the file (1.3.7).
    package static let changeCounterOffset: Int64 = 24
    /// SQLite accepts a few more pages by default (https://www.sqlite.org/limits.html).
    static let pageCountMax: UInt32 = 1_073_741_800
    /// The page of the bytes that SQLite locks; it contains no data.
    static let lockBytePage: UInt32 = 262_145
    /// The number of pages from one pointer-map page to the next.
    static let pointerMapStride: UInt32 = 820
    /// The first pointer-map page.
    static let firstPointerMap: UInt32 = 2
    /// The maximum payload of a table's cell without overflow pages.
    static let tableLocalMax = pageBytes - 35
    /// The maximum payload of an index's cell without overflow pages.
    static let indexLocalMax = (pageBytes - 12) * 64 / 255 - 23
    /// The minimum payload of a cell in its own page.
    private static let localMin = (pageBytes - 12) * 32 / 255 - 23
    /// The payload of an overflow page, after the number of the next one.
    static let overflowBytes = pageBytes - 4
    /// The number of bytes that are read or written at once, the size of SQLite's largest page.
    ///
    /// Its Unix file methods write nothing, or only a part, if 128 KiB or more are requested.
    static let transferBytesMax = 1 << 16
    /// SQLite never gives a cell less space.
    static let cellBytesMin = 4

    static func isPointerMap(_ page: UInt32) -> Bool {
        page >= firstPointerMap && (page - firstPointerMap) % pointerMapStride == 0
    }

    /// Returns the part of a payload that is stored in its own page.
    static func localBytes(of payload: Int, atMost limit: Int) -> Int {
        guard payload > limit else { return payload }
        let fitting = localMin + (payload - localMin) % overflowBytes
        return fitting <= limit ? fitting : localMin
    }
}

/// The first byte of a b-tree page.
struct PageKind: RawRepresentable, Hashable {
    static let indexInterior = PageKind(rawValue: 2)
    static let tableInterior = PageKind(rawValue: 5)
    static let indexLeaf = PageKind(rawValue: 10)
    static let tableLeaf = PageKind(rawValue: 13)

    /// The byte; another value is not of a b-tree page.
    let rawValue: UInt8

    var isInterior: Bool { self == .indexInterior || self == .tableInterior }
    var headerBytes: Int { isInterior ? 12 : 8 }
}

/// The error of writing pages.
package enum PageFault: Error, Hashable {
    /// SQLite's file methods returned this result code.
    case storage(Int32)
    /// A call on the journal or on a temporary file failed with this error number.
    case system(Int32)
    /// The file is not one that this folder writes, for this reason.
    case unsuitable(String)
    /// Two rows have the same key in a unique index.
    case duplicateKey
}

extension UnsafeMutableRawPointer {
    @inline(__always)
    func storeBig(_ value: UInt16, at offset: Int) {
        storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self)
    }

    @inline(__always)
    func storeBig(_ value: UInt32, at offset: Int) {
        storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt32.self)
    }

    /// Stores a variable-length integer (1.6) and returns its size in bytes.
    @inline(__always)
    func storeVarint(_ value: UInt64, at offset: Int) -> Int {
        if value < 0x80 {
            storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: offset, as: UInt8.self)
            return 1
        }
        return storeLongVarint(value, at: offset)
    }

    private func storeLongVarint(_ value: UInt64, at offset: Int) -> Int {
        let count = value.varintBytes
        var rest = value
        var place = offset + count - 1
        if count == 9 {
            storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: place, as: UInt8.self)
            rest >>= 8
            place -= 1
        }
        while place >= offset {
            let flag: UInt8 = place == offset + count - 1 ? 0 : 0x80
            storeBytes(
                of: UInt8(truncatingIfNeeded: rest & 0x7F) | flag, toByteOffset: place,
                as: UInt8.self)
            rest >>= 7
            place -= 1
        }
        return count
    }
}

extension UnsafeRawPointer {
    @inline(__always)
    func loadBig16(at offset: Int) -> UInt16 {
        UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    @inline(__always)
    func loadBig32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @inline(__always)
    func loadBig64(at offset: Int) -> UInt64 {
        UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns a variable-length integer and moves the offset past it.
    @inline(__always)
    func loadVarint(at offset: inout Int) -> UInt64 {
        let first = load(fromByteOffset: offset, as: UInt8.self)
        offset += 1
        return first < 0x80 ? UInt64(first) : loadLongVarint(first, at: &offset)
    }

    private func loadLongVarint(_ first: UInt8, at offset: inout Int) -> UInt64 {
        var value = UInt64(first & 0x7F)
        for _ in 0..<7 {
            let byte = load(fromByteOffset: offset, as: UInt8.self)
            offset += 1
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return value }
        }
        value = value << 8 | UInt64(load(fromByteOffset: offset, as: UInt8.self))
        offset += 1
        return value
    }
}

extension UInt64 {
    /// The size of the number as a variable-length integer.
    @inline(__always)
    var varintBytes: Int {
        if self < 0x80 { return 1 }
        return Swift.min(9, (UInt64.bitWidth - leadingZeroBitCount + 6) / 7)
    }
}

extension UInt64 {
    /// The size of a value with this serial type (2.1).
    @inline(__always)
    var serialByteCount: Int {
        if self >= 12 { return Int(truncatingIfNeeded: (self - 12) / 2) }
        return switch self {
        case 1, 2, 3, 4: Int(self)
        case 5: 6
        case 6, 7: 8
        default: 0
        }
    }
}

extension Int64 {
    /// The serial type of an integer (2.1), and the size of its value.
    @inline(__always)
    var serialType: (type: UInt8, byteCount: Int) {
        let size = self < 0 ? ~self : self
        if size <= 0x7F {
            return self == 0 || self == 1 ? (8 + UInt8(truncatingIfNeeded: self), 0) : (1, 1)
        }
        if size <= 0x7FFF { return (2, 2) }
        if size <= 0x7F_FFFF { return (3, 3) }
        if size <= 0x7FFF_FFFF { return (4, 4) }
        return size <= Self.sixBytesMax ? (5, 6) : (6, 8)
    }

    /// The largest integer of six bytes.
    static var sixBytesMax: Int64 { 0x7FFF_FFFF_FFFF }
}
