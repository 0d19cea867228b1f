internal import Synchronization

/// A hook that sees file calls below a folder before they run and can answer them itself.
///
/// Tests use it to simulate kills, failures, and power losses. It sees calls by paths that begin
/// with the folder as given, and calls on descriptors opened by these paths. Without hooks, a call
/// costs one atomic load.
package struct FileHook: Sendable {
    /// The hook's decision about a call.
    package enum Answer: Sendable {
        /// The call runs.
        case proceed
        /// The call fails with this error number without running.
        case fail(Int32)
        /// The call reads or writes at most this number of bytes.
        case short(Int)
    }

    /// The folder, without symbolic links and without a trailing slash.
    let folder: FileName
    let answer: @Sendable (FileCall) -> Answer

    /// Creates a hook.
    ///
    /// - Parameters:
    ///   - folder: the folder, without symbolic links and without a trailing slash.
    ///   - answer: called on the thread of the file call, possibly on several threads at once.
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

/// A file call that is about to run.
package struct FileCall: Sendable {
    /// The operation of a call.
    package enum Kind: Sendable, Hashable {
        /// Opens a file; `creates` if it may create the file, `empties` if it truncates the file.
        case open(creates: Bool, empties: Bool)
        case close
        case read(count: Int)
        /// Writes bytes at an offset; `nil` is the descriptor's current position.
        case write(count: Int, at: Int64?)
        case synchronize
        case truncate(to: Int64)
        case rename(to: FileName)
        case link(as: FileName)
        case makeLink(to: FileName)
        case remove
        case makeFolder
        case removeFolder
        case list
        case status
        case setPermissions
        case lock
    }

    /// The operation of the call.
    package let kind: Kind
    /// The path that the call names, or the path that opened its descriptor.
    package let path: FileName
    /// The descriptor of the open file, if the call uses one.
    package let descriptor: Int32?
}

/// The hooks of this process, and the open files below their folders.
package enum FileHooks {
    private struct State {
        var last = 0
        var hooks: [Int: FileHook] = [:]
        var open: [Int32: (hook: Int, path: FileName)] = [:]
    }

    private static let count = Atomic<Int>(0)
    private static let state = Mutex(State())

    /// Installs a hook; if several hooks cover a path, only the newest is called.
    ///
    /// - Returns: the hook's number, for `remove`.
    package static func install(_ hook: FileHook) -> Int {
        state.withLock { state in
            state.last += 1
            state.hooks[state.last] = hook
            count.add(1, ordering: .sequentiallyConsistent)
            return state.last
        }
    }

    /// Removes a hook, and stops reporting calls on files that were opened while it was installed.
    package static func remove(_ number: Int) {
        state.withLock { state in
            guard state.hooks.removeValue(forKey: number) != nil else { return }
            state.open = state.open.filter { $0.value.hook != number }
            count.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

    /// Whether any hook is installed.
    static var arePresent: Bool { count.load(ordering: .relaxed) > 0 }

    /// Calls the hook for a call by path.
    ///
    /// - Throws: the failure that the hook answers.
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

    /// Calls the hook for a call by descriptor.
    ///
    /// - Returns: the maximum number of bytes to read or write; `nil` if the hook sets no limit.
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

    /// Records the path that opened a descriptor.
    static func opened(_ descriptor: Int32, _ path: FileName) {
        guard arePresent else { return }
        state.withLock { state in
            let hook = state.hooks.filter { $0.value.covers(path) }.max { $0.key < $1.key }
            state.open[descriptor] = hook.map { ($0.key, path) }
        }
    }

    /// Removes the record of a descriptor that is about to be closed.
    static func closing(_ descriptor: Int32) {
        guard arePresent else { return }
        // Close it whatever the hook answers: a killed process has no open files.
        _ = try? ask(descriptor, .close)
        state.withLock { state in state.open[descriptor] = nil }
    }

    private static func hook(of path: FileName) -> FileHook? {
        state.withLock { state in
            state.hooks.filter { $0.value.covers(path) }.max { $0.key < $1.key }?.value
        }
    }
}
