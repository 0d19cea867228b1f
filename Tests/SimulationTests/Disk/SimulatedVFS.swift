import CSQLite
import Foundation
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import Synchronization

/// SQLite's files of simulated disks: the default VFS, with a call of the disk before each
/// operation.
///
/// See https://www.sqlite.org/vfs.html. All other files are opened by the system's VFS itself.
enum SimulatedVFS {
    private static let disks = Mutex<[SimulatedDisk]>([])

    static func register(_ disk: SimulatedDisk) {
        _ = isInstalled
        disks.withLock { $0.append(disk) }
    }

    static func unregister(_ disk: SimulatedDisk) {
        disks.withLock { $0.removeAll { $0 === disk } }
    }

    fileprivate static func disk(of path: String) -> SimulatedDisk? {
        disks.withLock { $0.first { path.hasPrefix($0.folder + "/") } }
    }

    // It is written once, before anything reads it.
    nonisolated(unsafe) private static var found: UnsafeMutablePointer<sqlite3_vfs>?

    /// The system's VFS.
    fileprivate static var base: UnsafeMutablePointer<sqlite3_vfs> {
        guard let found else { preconditionFailure("no VFS is installed") }
        return found
    }

    private static let isInstalled: Bool = {
        sqlite3_initialize()
        guard let system = sqlite3_vfs_find(nil) else { return false }
        found = system
        let shim = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        shim.initialize(to: system.pointee)
        shim.pointee.zName = UnsafePointer(strdup("simulated"))
        shim.pointee.pNext = nil
        shim.pointee.szOsFile = system.pointee.szOsFile + Int32(Head.bytes)
        shim.pointee.xOpen = { _, name, file, flags, given in
            SimulatedFile.open(name, file, flags, given)
        }
        shim.pointee.xDelete = { _, name, isDurable in
            SimulatedFile.delete(name, isDurable)
        }
        shim.pointee.xAccess = { _, name, flags, answer in
            guard let name, let disk = disk(of: String(cString: name)), disk.isDead else {
                return base.pointee.xAccess(base, name, flags, answer)
            }
            return SQLITE_IOERR | (13 << 8)
        }
        sqlite3_vfs_register(shim, 1)
        return true
    }()

    /// The header before the system's own file in the memory of a simulated file.
    struct Head {
        var methods: UnsafePointer<sqlite3_io_methods>?
        var file: Unmanaged<SimulatedFile>?

        static let bytes = 32
    }
}

private typealias FilePointer = UnsafeMutablePointer<sqlite3_file>

/// An open file of a simulated disk.
final class SimulatedFile {
    private let disk: SimulatedDisk
    private let path: String
    private let number: UInt64
    /// Whether this is a new journal, which SQLite makes durable together with its name.
    private var isNewJournal: Bool

    private init(_ disk: SimulatedDisk, _ path: String, _ number: UInt64, _ isNewJournal: Bool) {
        self.disk = disk
        self.path = path
        self.number = number
        self.isNewJournal = isNewJournal
    }

    private static func real(_ file: FilePointer?) -> FilePointer {
        guard let file else { preconditionFailure("no file") }
        return (UnsafeMutableRawPointer(file) + SimulatedVFS.Head.bytes)
            .assumingMemoryBound(to: sqlite3_file.self)
    }

    private static func head(
        _ file: FilePointer?
    ) -> UnsafeMutablePointer<SimulatedVFS.Head> {
        guard let file else { preconditionFailure("no file") }
        return UnsafeMutableRawPointer(file).assumingMemoryBound(to: SimulatedVFS.Head.self)
    }

    private static func object(_ file: UnsafeMutablePointer<sqlite3_file>?) -> SimulatedFile {
        guard let object = head(file).pointee.file else { preconditionFailure("it is closed") }
        return object.takeUnretainedValue()
    }

    private static func methods(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> (sqlite3_io_methods, UnsafeMutablePointer<sqlite3_file>) {
        let real = real(file)
        return (real.pointee.pMethods.pointee, real)
    }

    static func open(
        _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
        _ given: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        let base = SimulatedVFS.base
        guard let name, let disk = SimulatedVFS.disk(of: String(cString: name)) else {
            return base.pointee.xOpen(base, name, file, flags, given)
        }
        file?.pointee.pMethods = nil
        let path = String(cString: name)
        let isNew = !Disk.exists(path)
        guard isNew ? flags & SQLITE_OPEN_CREATE != 0 : true else { return SQLITE_CANTOPEN }
        let verdict = disk.judge(isNew ? .open : .read, path) { if isNew { $0.make(path) } }
        if case .fail = verdict { return SQLITE_CANTOPEN }
        let result = base.pointee.xOpen(base, name, real(file), flags, given)
        guard result == SQLITE_OK, let info = Disk.status(path) else { return result }
        let journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL | SQLITE_OPEN_SUPER_JOURNAL
        let object = SimulatedFile(disk, path, info.number, isNew && flags & journals != 0)
        head(file).pointee.file = Unmanaged.passRetained(object)
        head(file).pointee.methods = UnsafePointer(table)
        return SQLITE_OK
    }

    static func delete(_ name: UnsafePointer<CChar>?, _ isDurable: Int32) -> Int32 {
        let base = SimulatedVFS.base
        guard let name else { return SQLITE_MISUSE }
        let path = String(cString: name)
        guard let disk = SimulatedVFS.disk(of: path) else {
            return base.pointee.xDelete(base, name, isDurable)
        }
        guard Disk.exists(path) else { return SQLITE_IOERR | (23 << 8) }
        let verdict = disk.judge(.name, path) {
            $0.remove(path)
            if isDurable != 0 { $0.synchronize(folder: Disk.parent(path)) }
        }
        if case .fail = verdict { return SQLITE_IOERR | (10 << 8) }
        return base.pointee.xDelete(base, name, 0)
    }

    private func write(_ real: FilePointer, _ bytes: UnsafeRawPointer?, _ count: Int32, _ at: Int64)
        -> Int32
    {
        let size = Disk.status(path).map { Int64($0.st_size) } ?? 0
        let verdict = disk.judge(.write, path) {
            $0.write(number, at: at, count: Int(count), size: size) {
                Disk.bytes(path, $0, $1)
            }
        }
        switch verdict {
        case .proceed: return real.pointee.pMethods.pointee.xWrite(real, bytes, count, at)
        case .half:
            _ = real.pointee.pMethods.pointee.xWrite(real, bytes, count / 2, at)
            return SQLITE_IOERR | (3 << 8)
        case .fail(let number):
            return number == ENOSPC || number == EDQUOT ? SQLITE_FULL : SQLITE_IOERR | (3 << 8)
        }
    }

    private func truncate(_ real: FilePointer, _ length: Int64) -> Int32 {
        let size = Disk.status(path).map { Int64($0.st_size) } ?? 0
        let verdict = disk.judge(.truncate, path) {
            $0.truncate(number, from: size, to: length) { Disk.bytes(path, $0, $1) }
        }
        if case .fail = verdict { return SQLITE_IOERR | (6 << 8) }
        return real.pointee.pMethods.pointee.xTruncate(real, length)
    }

    private func synchronize() -> Int32 {
        let verdict = disk.judge(.synchronize, path) {
            $0.synchronize(file: number)
            if isNewJournal { $0.synchronize(folder: Disk.parent(path)) }
        }
        if case .fail = verdict { return SQLITE_IOERR | (4 << 8) }
        isNewJournal = false
        return SQLITE_OK
    }

    private var isDead: Bool { disk.isDead }

    // It is written once, before anything reads it, and never again.
    nonisolated(unsafe) private static let table: UnsafeMutablePointer<sqlite3_io_methods> = {
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        var methods = sqlite3_io_methods()
        // No memory maps, because their accesses cannot be counted.
        methods.iVersion = 2
        methods.xClose = { file in
            let (methods, real) = SimulatedFile.methods(file)
            let result = methods.xClose(real)
            SimulatedFile.head(file).pointee.file?.release()
            SimulatedFile.head(file).pointee.file = nil
            return result
        }
        methods.xRead = { file, room, count, place in
            guard !SimulatedFile.object(file).isDead else { return SQLITE_IOERR | (1 << 8) }
            let (methods, real) = SimulatedFile.methods(file)
            return methods.xRead(real, room, count, place)
        }
        methods.xWrite = { file, bytes, count, place in
            SimulatedFile.object(file).write(SimulatedFile.real(file), bytes, count, place)
        }
        methods.xTruncate = { file, length in
            SimulatedFile.object(file).truncate(SimulatedFile.real(file), length)
        }
        methods.xSync = { file, _ in SimulatedFile.object(file).synchronize() }
        methods.xFileSize = { file, size in
            guard !SimulatedFile.object(file).isDead else { return SQLITE_IOERR | (7 << 8) }
            let (methods, real) = SimulatedFile.methods(file)
            return methods.xFileSize(real, size)
        }
        methods.xLock = { file, level in
            guard !SimulatedFile.object(file).isDead else { return SQLITE_IOERR | (15 << 8) }
            let (methods, real) = SimulatedFile.methods(file)
            return methods.xLock(real, level)
        }
        methods.xUnlock = { file, level in
            let (methods, real) = SimulatedFile.methods(file)
            return methods.xUnlock(real, level)
        }
        methods.xCheckReservedLock = { file, answer in
            let (methods, real) = SimulatedFile.methods(file)
            return methods.xCheckReservedLock(real, answer)
        }
        methods.xFileControl = { file, code, argument in
            // It would extend the file without a recorded call.
            if code == SQLITE_FCNTL_SIZE_HINT || code == SQLITE_FCNTL_CHUNK_SIZE {
                return SQLITE_OK
            }
            if code == SQLITE_FCNTL_MMAP_SIZE { return SQLITE_NOTFOUND }
            let (methods, real) = SimulatedFile.methods(file)
            return methods.xFileControl(real, code, argument)
        }
        methods.xSectorSize = { file in
            let (methods, real) = SimulatedFile.methods(file)
            return methods.xSectorSize(real)
        }
        methods.xDeviceCharacteristics = { file in
            let (methods, real) = SimulatedFile.methods(file)
            return methods.xDeviceCharacteristics(real)
        }
        methods.xShmMap = { file, page, size, extends, memory in
            guard !SimulatedFile.object(file).isDead else { return SQLITE_IOERR | (21 << 8) }
            let (methods, real) = SimulatedFile.methods(file)
            return methods.xShmMap(real, page, size, extends, memory)
        }
        methods.xShmLock = { file, offset, count, flags in
            guard flags & SQLITE_SHM_UNLOCK != 0 || !SimulatedFile.object(file).isDead else {
                return SQLITE_IOERR | (20 << 8)
            }
            let (methods, real) = SimulatedFile.methods(file)
            return methods.xShmLock(real, offset, count, flags)
        }
        methods.xShmBarrier = { file in
            let (methods, real) = SimulatedFile.methods(file)
            methods.xShmBarrier(real)
        }
        methods.xShmUnmap = { file, deletes in
            let (methods, real) = SimulatedFile.methods(file)
            return methods.xShmUnmap(real, SimulatedFile.object(file).isDead ? 0 : deletes)
        }
        table.initialize(to: methods)
        return table
    }()
}
