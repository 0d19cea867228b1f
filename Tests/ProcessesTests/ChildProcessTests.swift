import Files
import Foundation
import Processes
import Synchronization
import TestThreads
import Testing

/// Commands from start to end.
@Suite("Child processes", .serialized, OwnThread()) struct ChildProcessTests {
    init() {
        // As etl sets it: a closed pipe becomes a write error.
        signal(SIGPIPE, SIG_IGN)
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private func start(
        _ script: String, _ direction: ChildProcess.Direction = .reading, _ lines: Lines = Lines(),
        variables: [String: String] = [:], folder: String = "."
    ) throws -> ChildProcess {
        try ChildProcess(
            Command(words: ["sh", "-c", script], variables: variables, folder: folder), direction,
            show: lines.add)
    }

    private func read(_ child: ChildProcess, atMost limit: Int = .max) throws -> String {
        String(
            decoding: try FileSystem.contents(of: child.descriptor, first: limit), as: UTF8.self)
    }

    private func write(_ text: String, to child: ChildProcess) throws {
        let bytes = Array(text.utf8)
        try bytes.withUnsafeBytes { try child.write($0, isCancelled: { false }) }
    }

    @Test func readsTheOutputOfACommand() throws {
        let lines = Lines()
        let child = try start(
            "pwd; echo \"$WORD\"; echo one >&2; printf 'a\\rb\\ntwo' >&2; exit 3", .reading, lines,
            variables: ["WORD": "a b"], folder: "/tmp")
        #expect(try read(child) == "/tmp\na b\n")
        #expect(child.waitForEnd { false } == .exit(3))
        #expect(lines.all == ["one", "b", "two"])
        #expect(child.lastLine == "two")
    }

    @Test func writesTheInputOfACommand() throws {
        let folder = NSTemporaryDirectory() + "child-\(UUID().uuidString)"
        let child = try start("cat > '\(folder)'", .writing)
        let text = String(repeating: "0123456789\n", count: 100_000)
        try write(text, to: child)
        #expect(child.waitForEnd { false } == .exit(0))
        #expect(try String(contentsOfFile: folder, encoding: .utf8) == text)
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test("much output on stderr before stdout does not block the command")
    func muchOnStandardError() throws {
        let lines = Lines()
        let child = try start(
            "i=0; while [ $i -lt 20000 ]; do echo line $i of many >&2; i=$((i+1)); done; echo done",
            .reading, lines)
        #expect(try read(child) == "done\n")
        #expect(child.waitForEnd { false } == .exit(0))
        #expect(lines.all.count == 201)
        #expect(lines.all.last == "… and 19800 more lines")
        #expect(child.lastLine == "line 19999 of many")
    }

    @Test(
        "a command that cannot be started gives the reason",
        arguments: [
            (
                ["no-such-program-here"], ".",
                "there is no program of that name that this user may run"
            ),
            (["./no-such"], ".", "there is no program of that name that this user may run"),
            (["sh"], "/no/such/folder", "its folder cannot be entered"),
            (["/etc/passwd"], ".", "there is no program of that name that this user may run"),
        ])
    func notStarted(_ words: [String], _ folder: String, _ reason: String) throws {
        _ = try read(start("echo first"))
        let failure = #expect(throws: ChildProcess.StartFailure.self) {
            _ = try ChildProcess(Command(words: words, folder: folder), .reading, show: { _ in })
        }
        #expect(failure?.reason == reason)
        // swift-subprocess leaks a descriptor if the folder is missing; a spec's folder always
        // exists.
    }

    @Test("releasing the owner ends the command and the processes that it has started")
    func endsWithItsOwner() throws {
        var child: ChildProcess? = try start("sleep 1000 & echo $!; echo $$; wait")
        let text = try read(try #require(child), atMost: 8)
        let process = try #require(Int32(text.split(separator: "\n").first ?? ""))
        #expect(SystemProcess.isRunning(process))
        let began = ContinuousClock.now
        child = nil
        #expect(ContinuousClock.now - began < .seconds(60))
        // The process that adopts an orphan may take a moment to reap it.
        for _ in 0..<100 where isAlive(process) { usleep(20_000) }
        #expect(!isAlive(process) || SystemProcess.hasTerminal)
    }

    @Test("a command that ignores SIGTERM is killed")
    func isKilled() throws {
        let child = try start("trap '' TERM; echo ready; while :; do sleep 0.1; done")
        #expect(try read(child, atMost: 6) == "ready\n")
        let began = ContinuousClock.now
        child.end()
        #expect(ContinuousClock.now - began < .seconds(8))
        #expect(child.waitForEnd { false } == .signal(9))
    }

    @Test("canceling a wait ends the command")
    func givesUp() throws {
        let child = try start("exec sleep 1000", .writing)
        #expect(child.waitForEnd { true } == nil)
        #expect(child.waitForEnd { false } == .signal(15))
    }

    @Test("a write to a command that does not read can be canceled")
    func givesUpWriting() throws {
        let child = try start("exec sleep 1000", .writing)
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        let fault = #expect(throws: SystemFault.self) {
            try bytes.withUnsafeBytes { try child.write($0, isCancelled: { true }) }
        }
        #expect(fault == .isCancelled)
    }

    @Test("a canceled command exits before it sees the end of its input")
    func takesNoHalfForAWhole() throws {
        let file = NSTemporaryDirectory() + "child-\(UUID().uuidString)"
        let child = try start("cat > /dev/null; echo whole > '\(file)'", .writing)
        try write("half", to: child)
        child.end()
        usleep(100_000)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("a command that exits before it has read all input breaks the pipe")
    func breaksThePipe() throws {
        let child = try start("exit 7", .writing)
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        let fault = #expect(throws: SystemFault.self) {
            try bytes.withUnsafeBytes { try child.write($0, isCancelled: { false }) }
        }
        #expect(fault?.isBrokenPipe == true)
        #expect(child.waitForEnd { false } == .exit(7))
    }

    @Test("many commands leave no open descriptors and no zombie processes")
    func leavesNothing() throws {
        _ = try read(start("echo first"))
        let before = try descriptors()
        for number in 0..<30 {
            let child = try start("echo \(number)")
            if number % 3 > 0 { #expect(try read(child) == "\(number)\n") }
            if number % 3 > 1 { #expect(child.waitForEnd { false } == .exit(0)) }
        }
        // Other suites of this process open files at the same time, but thirty leaks would be
        // visible.
        for _ in 0..<250 where try descriptors() >= before + 15 { usleep(20_000) }
        #expect(try descriptors() < before + 15)
        #expect(deadChildren() == 0)
    }

    // MARK: Helpers

    private func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
    }

    /// Returns whether a process runs; a zombie does not.
    private func isAlive(_ process: Int32) -> Bool {
        guard SystemProcess.isRunning(process) else { return false }
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return status?.contains(") Z ") != true
    }

    private func deadChildren() -> Int {
        let own = " \(SystemProcess.number) "
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.filter { Int($0) != nil }.filter { name in
            let status = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8)
            return status?.contains(") Z" + own) == true
        }.count
    }
}
