import Foundation

/// The code that is tested with bytes from a fuzzer.
///
/// No harness may crash, hang, or contradict itself. `Tests/fuzz` runs one under libFuzzer, which
/// looks for bytes that reach new code. `FuzzTests` runs all of them over the resulting corpus.
package enum FuzzHarness: String, CaseIterable, Sendable {
    /// Records of NDJSON, JSON, CSV, and TSV.
    case records
    /// gzip data.
    case gzip
    /// Trees of YAML.
    case yaml
    /// Predicates and expressions in memory.
    case predicates
    /// Predicates in SQL and in memory, which must find the same objects.
    case agreement
    /// Property lists, keyed archives, and cached models.
    case archives
    /// Models of Xcode.
    case models
    /// Damaged stores, whose recovery must have the same result each time.
    case salvage
    /// Replays of rejects that were edited.
    case replay
    /// Damaged progress notes of an unfinished run.
    case notes

    /// Runs one input.
    ///
    /// A fault ends the process, so that the fuzzer keeps the bytes.
    package func run(_ bytes: [UInt8]) {
        switch self {
        case .records: RecordFuzz.run(bytes)
        case .gzip: GzipFuzz.run(bytes)
        case .yaml: YAMLFuzz.run(bytes)
        case .predicates: PredicateFuzz.run(bytes)
        case .archives: ArchiveFuzz.run(bytes)
        case .models: ModelFuzz.run(bytes)
        case .salvage: SalvageFuzz.run(bytes)
        case .agreement: AgreementFuzz.run(bytes)
        case .replay: ReplayFuzz.run(bytes)
        case .notes: NoteFuzz.run(bytes)
        }
    }

    /// A folder of the process: in `TMPDIR` if it is set, otherwise in memory if the system
    /// supports it.
    ///
    /// It is removed when the process exits.
    static let folder: String = {
        let base = parent(ProcessInfo.processInfo.environment["TMPDIR"])
        removeFoldersOfEndedProcesses(in: base)
        let path = "\(base)/\(prefix)\(ProcessInfo.processInfo.processIdentifier)"
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            fatalError("The folder of the harnesses cannot be made: \(error)")
        }
        atexit { FuzzHarness.clean() }
        return path
    }()

    private static let prefix = "etl-fuzz-"

    private static func parent(_ wished: String?) -> String {
        if let wished, !wished.isEmpty { return wished }
        let shared = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: shared)
            ? shared : FileManager.default.temporaryDirectory.path
    }

    /// Removes the files of the harnesses.
    private static func clean() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Removes the folders of processes that a signal has ended.
    package static func removeFoldersOfEndedProcesses(in base: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        where name.hasPrefix(prefix) {
            guard let process = Int32(name.dropFirst(prefix.count)), process > 0,
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            try? FileManager.default.removeItem(atPath: base + "/" + name)
        }
    }
}

/// Returns whether an input is one of the few that take a more expensive path.
///
/// - Parameter share: One in `share` inputs is, always the same ones; must be a power of two.
func isOne(of share: UInt8, _ bytes: [UInt8]) -> Bool {
    bytes.reduce(0, { $0 &* 31 &+ $1 }) & (share - 1) == 0
}

/// Ends the process with a message if a condition is false, also in release builds.
func require(_ holds: Bool, _ message: @autoclosure () -> String = "") {
    guard holds else { fatalError(message()) }
}
