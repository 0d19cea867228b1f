import Files
import Foundation
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import Synchronization
import TestSeeds

/// A folder whose calls are counted, may fail, and are undone by a power loss.
///
/// It uses a real folder. Writes go there at once, as they go to the system's memory; `DiskJournal`
/// keeps what it needs to undo writes that were not synchronized. After a kill, all calls fail and
/// change nothing until the run has unwound and `revive` is called.
final class SimulatedDisk: Sendable {
    let folder: String
    private let grave: String
    private let state: Mutex<State>
    private let hook = Mutex<Int?>(nil)

    private struct State {
        var isDead = false
        /// The number of calls that change something (`false`), and of calls that only read
        /// (`true`).
        var counts: [Bool: Int] = [:]
        var fault: DiskFault?
        /// The call at which the fault occurred.
        var struck: String?
        var journal: DiskJournal
        var trace: [String] = []
    }

    /// The kind of a call, which decides how it may fail.
    enum Call {
        case write, truncate, synchronize, name, open, read
        /// A check whether a file exists. It does not fail, since etl treats a failure as a missing
        /// file, and a disk on which it fails is lost.
        case look

        var isRead: Bool { self == .read || self == .look }

        var numbers: [Int32] {
            switch self {
            case .write, .truncate: [ENOSPC, EIO, EDQUOT]
            case .synchronize: [EIO, ENOSPC]
            case .name: [EIO, ENOSPC, EACCES]
            case .open: [EMFILE, ENOSPC, EACCES, ENFILE]
            case .read, .look: [EIO, EMFILE]
            }
        }
    }

    /// The decision on a call.
    enum Verdict: Equatable {
        case proceed, half
        case fail(Int32)
    }

    init(root: String) throws {
        folder = root + "/disk"
        grave = root + "/grave"
        state = Mutex(State(journal: DiskJournal(grave: root + "/grave")))
        for path in [folder, grave] {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }
        let hook = FileHook(folder: folder) { [weak self] call in
            self?.answer(call) ?? .proceed
        }
        self.hook.withLock { $0 = FileHooks.install(hook) }
        SimulatedVFS.register(self)
    }

    /// Removes the hooks, so that the system handles all calls again.
    func end() {
        SimulatedVFS.unregister(self)
        hook.withLock { $0.map(FileHooks.remove) }
    }

    // MARK: Faults

    /// Resets the counts, and triggers the fault at its call.
    func arm(_ fault: DiskFault?) {
        state.withLock { state in
            state.counts = [:]
            state.fault = fault
            state.struck = nil
            state.trace = []
        }
    }

    /// The numbers of calls since `arm`: calls that change something, and calls that only read.
    var counts: (changes: Int, reads: Int) {
        state.withLock { ($0.counts[false, default: 0], $0.counts[true, default: 0]) }
    }

    var isDead: Bool { state.withLock(\.isDead) }
    var struck: String? { state.withLock(\.struck) }
    var trace: [String] { state.withLock { $0.trace } }

    /// Makes the disk of a killed process usable again; after a power loss, without the lost
    /// changes.
    func revive(_ random: inout SeededGenerator, isLoss: Bool, isWhole: Bool = false) {
        state.withLock { state in
            if isLoss { state.journal.losePower(&random, isWhole: isWhole, in: folder) }
            state.isDead = false
            state.fault = nil
        }
    }

    /// Replaces all files with a copy of the template, which is durable.
    func reset(to template: String) throws {
        state.withLock { $0 = State(journal: DiskJournal(grave: grave)) }
        for path in [folder, grave] { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.copyItem(atPath: template, toPath: folder)
        try FileManager.default.createDirectory(
            atPath: grave, withIntermediateDirectories: false)
    }

    /// Descriptors of this process that refer to files below the folder.
    var openFiles: [String] {
        Disk.names(in: "/proc/self/fd").compactMap { name in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
        }.filter { $0.hasPrefix(folder + "/") }
    }

    /// Counts a call and decides on it; `record` records its change.
    func judge(
        _ call: Call, _ label: String, _ record: (inout DiskJournal) -> Void = { _ in }
    ) -> Verdict {
        state.withLock { state in
            guard !state.isDead else { return .fail(EIO) }
            guard call != .look else { return .proceed }
            let number = state.counts[call.isRead, default: 0] + 1
            state.counts[call.isRead] = number
            state.trace.append("\(number) \(call) \(label.dropFirst(folder.count + 1))")
            var verdict = Verdict.proceed
            if let fault = state.fault, fault.isOfReads == call.isRead {
                if fault.call == number {
                    verdict = fault.verdict(of: call)
                    state.struck = "\(fault.kind) at \(state.trace.last ?? "")"
                    state.isDead = fault.kind.isKill
                } else if fault.kind == .failOnAndOn, number > fault.call {
                    verdict = fault.verdict(of: call)
                }
            }
            if case .fail = verdict { return verdict }
            record(&state.journal)
            return verdict
        }
    }

    // MARK: Calls through the seam

    private func answer(_ call: FileCall) -> FileHook.Answer {
        let path = Disk.tidy(call.path.displayText)
        if let descriptor = call.descriptor {
            return answer(call, path, descriptor, Disk.status(descriptor))
        }
        switch call.kind {
        case .open(let creates, let empties):
            guard let info = Disk.status(path) else {
                guard creates else { return passing(.read, path) }
                return named(judge(.open, path) { $0.make(path) })
            }
            guard empties, info.length > 0 else { return passing(.read, path) }
            return named(
                judge(.open, path) {
                    $0.truncate(info.number, from: info.length, to: 0) { Disk.bytes(path, $0, $1) }
                })
        case .truncate(let length):
            guard let info = Disk.status(path) else { return passing(.read, path) }
            return named(
                judge(.truncate, path) {
                    $0.truncate(info.number, from: info.length, to: length) {
                        Disk.bytes(path, $0, $1)
                    }
                })
        case .rename(let target):
            guard Disk.exists(path) else { return passing(.read, path) }
            return named(judge(.name, path) { $0.move(path, to: Disk.tidy(target.displayText)) })
        case .link(let name), .makeLink(let name):
            let made = if case .link = call.kind { name.displayText } else { path }
            guard !Disk.exists(made) else { return passing(.read, path) }
            return named(judge(.name, made) { $0.make(Disk.tidy(made)) })
        case .remove:
            guard Disk.exists(path) else { return passing(.read, path) }
            return named(judge(.name, path) { $0.remove(path) })
        case .makeFolder:
            guard !Disk.exists(path), Disk.exists(Disk.parent(path)) else {
                return passing(.read, path)
            }
            return named(judge(.name, path) { $0.make(path) })
        case .removeFolder:
            guard Disk.names(in: path).isEmpty, Disk.exists(path) else {
                return passing(.read, path)
            }
            return named(judge(.name, path) { $0.removeFolder(path) })
        case .setPermissions, .lock: return isDead ? .fail(EIO) : .proceed
        case .status: return passing(.look, path)
        default: return passing(.read, path)
        }
    }

    private func answer(
        _ call: FileCall, _ path: String, _ descriptor: Int32, _ info: stat
    ) -> FileHook.Answer {
        // Also works for files that are open for writing only.
        let read = { Disk.bytes("/proc/self/fd/\(descriptor)", $0, $1) }
        switch call.kind {
        case .close: return .proceed
        case .write(let count, let place):
            let isAtEnd = fcntl(descriptor, F_GETFL) & O_APPEND != 0
            let place =
                place
                ?? (isAtEnd ? info.length : Int64(lseek(descriptor, 0, SEEK_CUR)))
            let verdict = judge(.write, path) {
                $0.write(info.number, at: place, count: count, size: info.length, read: read)
            }
            return verdict == .half ? .short(max(1, count / 2)) : named(verdict)
        case .truncate(let length):
            return named(
                judge(.truncate, path) {
                    $0.truncate(info.number, from: info.length, to: length, read: read)
                })
        case .synchronize:
            let verdict = judge(.synchronize, path) { journal in
                if Disk.isFolder(info) {
                    journal.synchronize(folder: path)
                } else {
                    journal.synchronize(file: info.number)
                }
            }
            return named(verdict)
        case .setPermissions, .lock: return isDead ? .fail(EIO) : .proceed
        default: return passing(.read, path)
        }
    }

    private func passing(_ call: Call, _ path: String) -> FileHook.Answer {
        named(judge(call, path))
    }

    private func named(_ verdict: Verdict) -> FileHook.Answer {
        if case .fail(let number) = verdict { .fail(number) } else { .proceed }
    }
}

extension stat {
    /// The inode number of the file.
    var number: UInt64 { UInt64(st_ino) }

    /// The size of the file in bytes.
    var length: Int64 { Int64(st_size) }
}
