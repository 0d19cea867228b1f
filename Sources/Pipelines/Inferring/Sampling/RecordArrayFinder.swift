import RecordStreams

/// Finds the arrays of records inside a JSON document, in one pass and constant memory.
///
/// ```
/// {"meta": {"pages": [1, 2]}, "data": {"items": [{"id": 1}, {"id": 2}]}}   →   $.data.items
/// ```
/// Each array that contains an object is included. Nested arrays are parts of records. The
/// finder also returns the paths to all other values, which are in no record.
struct RecordArrayFinder {
    private struct Level {
        var isObject: Bool
        var key: String?
        var expectsKey: Bool
        /// Whether the key has a value that is not an object, an array, or null.
        var hasScalar = false
    }

    private var levels: [Level] = []
    private var isInString = false
    private var isEscaped = false
    private var key: [UInt8]?
    /// The nesting level of the array that is being counted.
    private var arrayLevel: Int?
    private var count = 0
    /// Whether the array that is being counted has items.
    private var hasItems = false
    private var found: [String] = []
    /// The paths to arrays without items.
    private var empty: [String] = []
    private var others: [String] = []

    private static let keyBytesMax = 1024
    private static let levelsMax = 512
    /// The maximum number of arrays; a document with more of them is one record.
    private static let arraysMax = 100

    /// Returns the paths to the arrays of records, and to the values outside these arrays.
    ///
    /// The path is `$` if the document is an array itself, or has no array of records or more than
    /// 100 of them. If empty arrays are all that the document has, these are its arrays of records.
    static func paths(
        in file: InputFile, _ encoding: TextEncoding
    ) throws(RecordStreamError) -> (arrays: [String], others: [String]) {
        let source = try ByteSource(file, compression: .auto, encoding: encoding)
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 18)
        defer { room.deallocate() }
        var finder = RecordArrayFinder()
        while true {
            let count = try source.read(into: room, count: 1 << 18)
            guard count > 0 else { break }
            for index in 0..<count { finder.take(room[index]) }
            // Neither an array of records nor text that is nested too deeply for a document needs a
            // path.
            if finder.isPlain { return (["$"], []) }
        }
        let found = finder.found.isEmpty && finder.others.isEmpty ? finder.empty : finder.found
        return found.isEmpty || found.count > arraysMax
            ? (["$"], []) : (found, finder.others)
    }

    private var isPlain = false

    private mutating func take(_ byte: UInt8) {
        if isInString { return takeInString(byte) }
        switch byte {
        case UInt8(ascii: "\""):
            isInString = true
            hasItems = true
            key = levels.last?.expectsKey == true && arrayLevel == nil ? [] : nil
        case UInt8(ascii: "{"): open(isObject: true)
        case UInt8(ascii: "["): open(isObject: false)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): close()
        case UInt8(ascii: ","):
            endMember()
            if let last = levels.indices.last, levels[last].isObject {
                levels[last].expectsKey = true
            }
        // Only `null` begins with this letter, and no other value contains it outside strings.
        case UInt8(ascii: "n"):
            if let last = levels.indices.last { levels[last].hasScalar = false }
            hasItems = true
        case 9, 10, 13, 32: break
        default: hasItems = true
        }
    }

    private mutating func takeInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
            key?.append(byte)
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
            key?.append(byte)
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
            guard let last = levels.indices.last, levels[last].expectsKey else { return }
            levels[last].expectsKey = false
            levels[last].hasScalar = true
            levels[last].key = key.map { bytes in
                bytes.withUnsafeBufferPointer {
                    String(decoding: JSONEscapes.resolved($0), as: UTF8.self)
                }
            }
        } else {
            key?.append(byte)
        }
        if let length = key?.count, length > Self.keyBytesMax { key = nil }
    }

    /// Records the path of a member whose value is in no array of records.
    private mutating func endMember() {
        guard let last = levels.indices.last, levels[last].hasScalar, arrayLevel == nil else {
            return
        }
        levels[last].hasScalar = false
        noteOther(levels.map(\.key))
    }

    private mutating func noteOther(_ keys: [String?]) {
        guard others.count <= Self.arraysMax else { return }
        let path = keys.map { FieldPath.escaped($0 ?? "") }.joined(separator: ".")
        if !others.contains(path) { others.append(path) }
    }

    private mutating func open(isObject: Bool) {
        if levels.isEmpty, !isObject { isPlain = true }
        if let last = levels.indices.last { levels[last].hasScalar = false }
        if let arrayLevel, levels.count == arrayLevel {
            hasItems = true
            if isObject { count += 1 }
        }
        guard levels.count < Self.levelsMax else {
            isPlain = true
            return
        }
        levels.append(Level(isObject: isObject, key: nil, expectsKey: isObject))
        if !isObject, arrayLevel == nil {
            arrayLevel = levels.count
            count = 0
            hasItems = false
        }
    }

    private mutating func close() {
        guard !levels.isEmpty else { return }
        endMember()
        if levels.count == arrayLevel {
            arrayLevel = nil
            let keys = levels.dropLast().map { $0.key.flatMap { $0.isEmpty ? nil : $0 } }
            let steps = keys.compactMap { $0 }.map(FieldPath.escaped)
            let path = "$." + steps.joined(separator: ".") + "[*]"
            if hasItems, count == 0 || keys.contains(nil) {
                noteOther(keys)
            } else if hasItems {
                Self.note(path, in: &found)
            } else if !keys.contains(nil) {
                Self.note(path, in: &empty)
            }
        }
        levels.removeLast()
    }

    private static func note(_ path: String, in paths: inout [String]) {
        if paths.count <= arraysMax, !paths.contains(path) { paths.append(path) }
    }
}
