import Foundation
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import TestSeeds

/// The changes of bytes and names on a simulated disk since it was last synchronized, in order,
/// with the previous contents.
struct DiskJournal {
    /// A change of a file's bytes.
    private enum Bytes {
        case write(at: Int64, count: Int, old: [UInt8], oldSize: Int64)
        case truncate(from: Int64, tail: [UInt8], to: Int64)
    }

    /// A change of names in folders; removed files are kept in the grave folder.
    private enum Name {
        case made(String)
        case removed(String, grave: String)
        case removedFolder(String)
        case moved(from: String, to: String, grave: String?)

        var folders: [String] {
            switch self {
            case .made(let path), .removed(let path, _), .removedFolder(let path):
                [Disk.parent(path)]
            case .moved(let from, let to, _): [Disk.parent(to), Disk.parent(from)]
            }
        }
    }

    private enum Change {
        case bytes(Bytes, of: UInt64)
        case name(Name)
    }

    private var changes: [Change] = []
    private let grave: String
    private var graves = 0

    init(grave: String) {
        self.grave = grave
    }

    var isEmpty: Bool { changes.isEmpty }

    // MARK: Changes that are about to be made

    /// Records a write.
    ///
    /// - Parameter read: Reads the current bytes.
    mutating func write(
        _ file: UInt64, at place: Int64, count: Int, size: Int64, read: (Int64, Int) -> [UInt8]
    ) {
        let known = max(0, min(Int64(count), size - place))
        let old = known > 0 ? read(place, Int(known)) : []
        changes.append(
            .bytes(.write(at: place, count: count, old: old, oldSize: size), of: file))
    }

    mutating func truncate(
        _ file: UInt64, from size: Int64, to length: Int64, read: (Int64, Int) -> [UInt8]
    ) {
        guard size != length else { return }
        let tail = size > length ? read(length, Int(size - length)) : []
        changes.append(.bytes(.truncate(from: size, tail: tail, to: length), of: file))
    }

    mutating func make(_ path: String) { changes.append(.name(.made(path))) }

    mutating func remove(_ path: String) {
        changes.append(.name(.removed(path, grave: bury(path))))
    }

    mutating func removeFolder(_ path: String) { changes.append(.name(.removedFolder(path))) }

    mutating func move(_ path: String, to target: String) {
        let replaced = Disk.exists(target) ? bury(target) : nil
        changes.append(.name(.moved(from: path, to: target, grave: replaced)))
    }

    private mutating func bury(_ path: String) -> String {
        graves += 1
        let name = "\(grave)/\(graves)"
        precondition(Glibc.link(path, name) == 0, "no grave for \(path): \(errno)")
        return name
    }

    // MARK: Durable and lost changes

    /// Marks the bytes of a file as durable.
    mutating func synchronize(file: UInt64) {
        changes.removeAll {
            if case .bytes(_, file) = $0 { true } else { false }
        }
    }

    /// Marks the names in a folder as durable.
    mutating func synchronize(folder: String) {
        changes.removeAll {
            if case .name(let name) = $0 { name.folders[0] == folder } else { false }
        }
    }

    /// Reverts some of the changes that are not durable, as a power loss does.
    ///
    /// - Parameter isWhole: Whether to revert all of them.
    mutating func losePower(_ random: inout SeededGenerator, isWhole: Bool, in folder: String) {
        loseBytes(&random, isWhole, in: folder)
        loseNames(&random, isWhole)
        changes = []
        Disk.names(in: grave).forEach { unlink("\(grave)/\($0)") }
        // The shared-memory index of a WAL is never synchronized.
        Disk.walk(folder) { path, _ in if path.hasSuffix("-shm") { unlink(path) } }
    }

    /// The part of some changes that survives.
    private enum Share {
        case none, beginning, any
    }

    private func share(_ random: inout SeededGenerator, _ isWhole: Bool) -> Share {
        isWhole ? .none : random.pick([.none, .beginning, .any, .any])
    }

    private func loseBytes(
        _ random: inout SeededGenerator, _ isWhole: Bool, in folder: String
    ) {
        var paths: [UInt64: String] = [:]
        for place in [folder, grave] {
            Disk.walk(place) { path, info in paths[UInt64(info.st_ino)] = path }
        }
        var order: [UInt64] = []
        var lists: [UInt64: [Bytes]] = [:]
        for case .bytes(let change, let file) in changes {
            if lists[file] == nil { order.append(file) }
            lists[file, default: []].append(change)
        }
        for file in order {
            let (list, share) = (lists[file] ?? [], share(&random, isWhole))
            let end = random.pick(list.count + 1)
            var kept = list.indices.map { place in
                switch share {
                case .none: false
                case .beginning: place < end
                case .any: random.chance(50)
                }
            }
            if list.isEmpty { kept = [] }
            // A file without a name is lost anyway.
            guard let path = paths[file] else { continue }
            let descriptor = open(path, O_RDWR | O_CLOEXEC)
            precondition(descriptor >= 0, "\(path): \(errno)")
            // The bytes of each write, which exist until the write is undone.
            var written: [[UInt8]] = []
            for change in list.reversed() {
                if case .write(let place, let count, _, _) = change {
                    written.append(Disk.bytes(path, place, count))
                } else {
                    written.append([])
                }
                Self.undo(change, descriptor)
            }
            for (place, change) in list.enumerated() where kept[place] {
                let end = random.chance(20) ? random.pick(4096) / 512 * 512 : nil
                let bytes = written[list.count - 1 - place]
                Self.redo(change, descriptor, Array(bytes.prefix(end ?? bytes.count)))
            }
            close(descriptor)
        }
    }

    private static func undo(_ change: Bytes, _ descriptor: Int32) {
        switch change {
        case .write(let place, _, let old, let oldSize):
            _ = old.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(place)) }
            ftruncate(descriptor, off_t(oldSize))
        case .truncate(let size, let tail, let length):
            _ = tail.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(length)) }
            ftruncate(descriptor, off_t(size))
        }
    }

    private static func redo(_ change: Bytes, _ descriptor: Int32, _ bytes: [UInt8]) {
        switch change {
        case .write(let place, _, _, _):
            _ = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(place))
            }
        case .truncate(_, _, let length):
            ftruncate(descriptor, off_t(length))
        }
    }

    /// Loses the names in a folder after a random change, as file system journals do.
    private func loseNames(_ random: inout SeededGenerator, _ isWhole: Bool) {
        var names: [(name: Name, isLost: Bool)] = []
        for case .name(let name) in changes { names.append((name, false)) }
        var counts: [String: Int] = [:]
        var order: [String] = []
        for (name, _) in names {
            for folder in Set(name.folders).sorted() {
                if counts[folder] == nil { order.append(folder) }
                counts[folder, default: 0] += 1
            }
        }
        var left: [String: Int] = [:]
        for folder in order {
            left[folder] = isWhole ? 0 : random.pick(counts[folder, default: 0] + 1)
        }
        // If a change is lost for one of its folders, it is lost for the other, with all later
        // changes.
        var hasChanged = true
        var lost: Set<String> = []
        while hasChanged {
            hasChanged = false
            lost = []
            var seen: [String: Int] = [:]
            for place in names.indices {
                let folders = Set(names[place].name.folders)
                for folder in folders { seen[folder, default: 0] += 1 }
                let isLost =
                    names[place].isLost
                    || folders.contains {
                        lost.contains($0) || seen[$0, default: 0] > left[$0, default: 0]
                    }
                if isLost {
                    lost.formUnion(folders)
                    if !names[place].isLost { hasChanged = true }
                    names[place].isLost = true
                }
            }
        }
        for (name, isLost) in names.reversed() where isLost { Self.undo(name) }
    }

    private static func undo(_ name: Name) {
        switch name {
        case .made(let path): try? FileManager.default.removeItem(atPath: path)
        case .removed(let path, let grave): Glibc.link(grave, path)
        case .removedFolder(let path): mkdir(path, 0o777)
        case .moved(let from, let to, let grave):
            Glibc.rename(to, from)
            if let grave { Glibc.link(grave, to) }
        }
    }
}

/// Direct access to the disk, without the simulation.
enum Disk {
    static func parent(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return String(path[..<slash])
    }

    /// Returns a path without redundant parts.
    static func tidy(_ path: String) -> String {
        var path = path
        while path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
        return path.replacing("/./", with: "/").replacing("//", with: "/")
    }

    static func status(_ path: String) -> stat? {
        var info = stat()
        return stat(path, &info) == 0 ? info : nil
    }

    static func status(_ descriptor: Int32) -> stat {
        var info = stat()
        fstat(descriptor, &info)
        return info
    }

    static func exists(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }

    static func isFolder(_ info: stat) -> Bool { info.st_mode & S_IFMT == S_IFDIR }

    static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// Visits all files below a folder.
    static func walk(_ folder: String, _ visit: (String, stat) -> Void) {
        for name in names(in: folder) {
            let path = "\(folder)/\(name)"
            var info = stat()
            guard lstat(path, &info) == 0 else { continue }
            if isFolder(info) { walk(path, visit) } else { visit(path, info) }
        }
    }

    static func bytes(_ path: String, _ place: Int64, _ count: Int) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let done = pread(descriptor, &bytes, count, off_t(place))
        return Array(bytes.prefix(max(0, done)))
    }
}
