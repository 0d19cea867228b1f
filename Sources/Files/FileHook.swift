internal import Synchronization

/// Sees the calls on files below a folder before they are made, and may answer in place of the
/// system: for tests of kills, of failures, and of losses of power.
///
/// It is asked for paths that begin with the folder as they are given, and for descriptors that were
/// opened by such a path. Without hooks a call costs the look at one number.
package struct FileHook: Sendable {
    /// What becomes of a call.
    package enum Answer: Sendable {
        /// It is made.
        case proceed
        /// It is not made; it fails with that number.
        case fail(Int32)
        /// Only so many bytes are written or read.
        case short(Int)
    }

    /// The folder, without links and without a slash at its end.
    let folder: FileName
    let answer: @Sendable (FileCall) -> Answer

    /// - Parameters:
    ///   - folder: the folder, without links and without a slash at its end.
    ///   - answer: called on the thread that makes the call, also by several at once.
    package init(
        folder: some FilePath, answer: @escaping @Sendable (FileCall) -> Answer
    ) {
        self.folder = folder.fileName
        self.answer = answer
    }

    fileprivate func covers(_ path: FileName) -> Bool {
        path.hasPrefix(folder)
            && (path.bytes.count == folder.bytes.count
                || path.bytes[folder.bytes.count] == UInt8(ascii: "/"))
    }
}

/// A call that is about to be made.
package struct FileCall: Sendable {
    /// What the call does.
    package enum Kind: Sendable, Hashable {
        /// `creates`: makes a file where there is none; `empties`: cuts one that is there.
        case open(creates: Bool, empties: Bool)
        case close
        case read(count: Int)
        /// At a place, or where the descriptor stands.
        case write(count: Int, at: Int64?)
        case synchronize
        case cut(to: Int64)
        case rename(to: FileName)
        case link(as: FileName)
        case makeLink(to: FileName)
        case remove
        case makeFolder
        case removeFolder
        case list
        case status
        case setRights
        case lock
    }

    /// What the call does.
    package let kind: Kind
    /// The path that it is about, or by which its descriptor was opened.
    package let path: FileName
    /// The open file, where there is one.
    package let descriptor: Int32?
}

/// The hooks of this process, and the files that are open below their folders.
package enum FileHooks {
    private struct State {
        var last = 0
        var hooks: [Int: FileHook] = [:]
        var open: [Int32: (hook: Int, path: FileName)] = [:]
    }

    private static let count = Atomic<Int>(0)
    private static let state = Mutex(State())

    /// Installs a hook; it is asked first if a folder has several.
    ///
    /// - Returns: its number, for `remove`.
    package static func install(_ hook: FileHook) -> Int {
        state.withLock { state in
            state.last += 1
            state.hooks[state.last] = hook
            count.add(1, ordering: .sequentiallyConsistent)
            return state.last
        }
    }

    /// Takes a hook away; its open files are any files from then on.
    package static func remove(_ number: Int) {
        state.withLock { state in
            guard state.hooks.removeValue(forKey: number) != nil else { return }
            state.open = state.open.filter { $0.value.hook != number }
            count.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

    /// Whether there are any.
    static var arePresent: Bool { count.load(ordering: .relaxed) > 0 }

    /// Asks about a call by path.
    ///
    /// - Throws: the failure that is to be told in its place.
    static func ask(
        _ path: FileName, _ kind: @autoclosure () -> FileCall.Kind
    ) throws(SystemFault) {
        guard arePresent, let hook = hook(of: path) else { return }
        if case .fail(let number) = hook.answer(
            FileCall(kind: kind(), path: path, descriptor: nil))
        {
            throw SystemFault(number)
        }
    }

    /// Asks about a call by descriptor.
    ///
    /// - Returns: how many bytes it may be about; nil for all.
    static func ask(
        _ descriptor: Int32, _ kind: @autoclosure () -> FileCall.Kind
    ) throws(SystemFault) -> Int? {
        guard arePresent else { return nil }
        let found = state.withLock { state in
            state.open[descriptor].flatMap { open in
                state.hooks[open.hook].map { (open.path, $0) }
            }
        }
        guard let (path, hook) = found else { return nil }
        switch hook.answer(FileCall(kind: kind(), path: path, descriptor: descriptor)) {
        case .proceed: return nil
        case .fail(let number): throw SystemFault(number)
        case .short(let count): return count
        }
    }

    /// Remembers what a descriptor was opened by.
    static func opened(_ descriptor: Int32, _ path: FileName) {
        guard arePresent else { return }
        state.withLock { state in
            let hook = state.hooks.filter { $0.value.covers(path) }.max { $0.key < $1.key }
            state.open[descriptor] = hook.map { ($0.key, path) }
        }
    }

    /// Forgets a descriptor that is about to be closed.
    static func closing(_ descriptor: Int32) {
        guard arePresent else { return }
        // It is closed whatever a hook says: a process that is killed has nothing open.
        _ = try? ask(descriptor, .close)
        state.withLock { state in state.open[descriptor] = nil }
    }

    private static func hook(of path: FileName) -> FileHook? {
        state.withLock { state in
            state.hooks.filter { $0.value.covers(path) }.max { $0.key < $1.key }?.value
        }
    }
}
