internal import Diagnostics
internal import Dispatch
internal import Files
internal import Subprocess
internal import Synchronization

#if canImport(System)
    internal import System
#else
    internal import SystemPackage
#endif

/// The state of a child process, from its start until the system has released it.
final class ChildLife: Sendable {
    private struct State {
        /// The process ID; 0 before the process exists.
        var process: Int32 = 0
        var ending: ChildProcess.Ending?
        var failure: String?
        var descriptor: Int32
        var isReading = true
        var place: Int?
    }

    /// A slot for a running process.
    ///
    /// It holds the process ID, or the negative ID of the group that it leads; 0 if it is empty.
    private final class Place: Sendable {
        let process = Atomic<Int32>(0)
    }

    /// The slots of the commands that end with this process, at most 64.
    private static let places = (0..<64).map { _ in Place() }

    private let state: Mutex<State>
    private let started = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let isLeader: Bool

    /// Creates the state of a command that has not started.
    ///
    /// - Parameters:
    ///   - descriptor: this process's end of the pipe.
    ///   - isLeader: whether the command leads its own process group.
    init(_ descriptor: Int32, isLeader: Bool) {
        state = Mutex(State(descriptor: descriptor))
        self.isLeader = isLeader
    }

    /// This process's end of the pipe; -1 after it is closed.
    var descriptor: Int32 { state.withLock(\.descriptor) }

    /// Whether this process reads from the pipe; otherwise, it writes to the pipe.
    var isReading: Bool { state.withLock(\.isReading) }

    /// The reason why the command could not be started.
    var failure: String? { state.withLock(\.failure) }

    /// Starts the command and waits until it runs, or until `failure` contains the reason.
    func start(
        _ command: Command, _ direction: ChildProcess.Direction, pipe: Int32, errors: Int32
    ) {
        state.withLock { $0.isReading = direction == .reading }
        let executor = ChildExecutor.shared
        do throws(ThreadShortage) {
            try executor.prepare()
        } catch {
            return fail(error.reason)
        }
        let configuration = configuration(of: command)
        Task.detached(executorPreference: executor) { [self] in
            await run(
                configuration, direction, FileDescriptor(rawValue: pipe),
                FileDescriptor(rawValue: errors))
        }
        started.wait()
    }

    private func configuration(of command: Command) -> Configuration {
        var options = PlatformOptions()
        if isLeader { options.processGroupID = 0 }
        let program = command.words.first ?? ""
        var variables: [Environment.Key: String?] = [:]
        for (name, value) in command.variables {
            variables[Environment.Key(stringLiteral: name)] = value
        }
        return Configuration(
            executable: program.utf8.contains(UInt8(ascii: "/"))
                ? .path(FilePath(PathText.join(command.folder, program))) : .name(program),
            arguments: Arguments(Array(command.words.dropFirst())),
            environment: .inherit.updating(variables),
            workingDirectory: FilePath(command.folder), platformOptions: options)
    }

    private func run(
        _ configuration: Configuration, _ direction: ChildProcess.Direction, _ pipe: FileDescriptor,
        _ errors: FileDescriptor
    ) async {
        do {
            let status: TerminationStatus =
                switch direction {
                case .reading:
                    try await Subprocess.run(
                        configuration, input: .none,
                        output: .fileDescriptor(pipe, closeAfterSpawningProcess: false),
                        error: .fileDescriptor(errors, closeAfterSpawningProcess: false)
                    ) { begin($0.processIdentifier.value) }.terminationStatus
                case .writing:
                    try await Subprocess.run(
                        configuration,
                        input: .fileDescriptor(pipe, closeAfterSpawningProcess: false),
                        // This process's standard output is reserved for data.
                        output: .fileDescriptor(errors, closeAfterSpawningProcess: false),
                        error: .fileDescriptor(errors, closeAfterSpawningProcess: false)
                    ) { begin($0.processIdentifier.value) }.terminationStatus
                }
            switch status {
            case .exited(let code): finish(.exit(code))
            case .signaled(let number): finish(.signal(number))
            }
        } catch {
            guard state.withLock({ $0.process == 0 }) else {
                // The exit status is unknown, so report a failure.
                return finish(.exit(-1))
            }
            fail(Self.reason(error))
            started.signal()
        }
    }

    /// Records that the command did not start.
    private func fail(_ reason: String) {
        state.withLock { $0.failure = reason }
        finish(.exit(-1))
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? SubprocessError else { return "\(error)" }
        if error.code == .executableNotFound {
            return "there is no program of that name that this user may run"
        }
        if error.code == .failedToChangeWorkingDirectory { return "its folder cannot be entered" }
        return error.underlyingError.map { "\($0)" } ?? error.description
    }

    private func begin(_ process: Int32) {
        state.withLock { state in
            state.process = process
            for (number, place) in Self.places.enumerated() {
                let (isMine, _) = place.process.compareExchange(
                    expected: 0, desired: isLeader ? -process : process,
                    ordering: .sequentiallyConsistent)
                guard isMine else { continue }
                state.place = number
                break
            }
        }
        started.signal()
    }

    private func finish(_ ending: ChildProcess.Ending) {
        state.withLock { state in
            state.ending = ending
            if let place = state.place {
                Self.places[place].process.store(0, ordering: .sequentiallyConsistent)
            }
        }
        ended.signal()
    }

    /// Returns how the command ended; `nil` if it is still running.
    ///
    /// - Parameter milliseconds: the maximum time to wait for its end.
    func ending(within milliseconds: Int) -> ChildProcess.Ending? {
        if let ending = state.withLock(\.ending) { return ending }
        guard ended.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else {
            return nil
        }
        // Another thread may be waiting, too.
        ended.signal()
        return state.withLock(\.ending)
    }

    /// Sends `SIGTERM` to the command, or `SIGKILL` if `atOnce` is true.
    func end(atOnce: Bool) {
        state.withLock { state in
            guard state.ending == nil else { return }
            SystemProcess.end(state.process, group: isLeader, atOnce: atOnce)
        }
    }

    /// Closes this process's end of the pipe, if it is open.
    func closePipe() {
        let descriptor = state.withLock { state in
            defer { state.descriptor = -1 }
            return state.descriptor
        }
        if descriptor >= 0 { FileSystem.close(descriptor) }
    }

    /// Allocates the slots in advance, because a signal handler must not allocate memory.
    static func prepare() { _ = places }

    /// Kills all running commands; after `prepare`, it takes no lock and allocates no memory.
    static func endAll() {
        for place in places {
            let process = place.process.load(ordering: .sequentiallyConsistent)
            guard process != 0 else { continue }
            SystemProcess.end(abs(process), group: process < 0, atOnce: true)
        }
    }
}

/// A thread that runs the tasks that wait for commands.
///
/// These tasks do not use Swift's thread pool, because all of its threads may be blocked until the
/// commands end.
private final class ChildExecutor: TaskExecutor {
    static let shared = ChildExecutor()

    private let worker = WorkerThread()

    /// Starts the thread if it does not run yet.
    func prepare() throws(ThreadShortage) {
        try worker.run {}
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // `prepare` has started the thread, so this does not throw.
        try? worker.run { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
