package import GraphModel
import SQLite

/// The result of verifying a store's file.
public struct StoreVerification: Sendable, Hashable {
    /// The level of detail of a verification.
    public enum Level: Sendable, Hashable {
        /// Checks the header, the table structure, the model, and the counters for new keys.
        case quick
        /// Also checks every index entry, value, link, and external value.
        case full
    }

    /// The faults of the store; empty if it has none.
    public internal(set) var findings: [StoreFinding] = []

    /// Remarks about a store that an app created; they are not faults.
    public internal(set) var remarks: [String] = []

    /// Whether the model is known; without it, the objects cannot be checked.
    public internal(set) var knowsModel = true

    /// The messages of the findings.
    public var problems: [String] { findings.map(\.message) }

    /// Whether the store has no faults.
    public var isSound: Bool { findings.isEmpty }
}

extension StoreVerification {
    /// Verifies a store without changing anything in its folder.
    ///
    /// - Throws: `StoreError` if the file cannot be read at all.
    package static func verify(
        at path: String, _ level: Level, model: ManagedObjectModel?
    ) throws(StoreError) -> StoreVerification {
        let file = StoreFiles.resolved(path)
        // A process that writes meanwhile must not cause a finding.
        for _ in 0..<attemptsMax {
            let before = StoreFiles.stamps(ofStoreAt: file)
            do throws(StoreError) {
                let found = try verifyOnce(at: path, level, model: model)
                if found.isSound || before == StoreFiles.stamps(ofStoreAt: file) { return found }
            } catch {
                guard before != StoreFiles.stamps(ofStoreAt: file) else { throw error }
            }
            Connection.sleep(milliseconds: 50)
        }
        throw StoreError(
            .busy, "\(path) was written by another process during each attempt to verify it")
    }

    private static let attemptsMax = 5

    private static func verifyOnce(
        at path: String, _ level: Level, model: ManagedObjectModel?
    ) throws(StoreError) -> StoreVerification {
        try StoreFiles.checkExists(path)
        try StoreFiles.rejectOtherKinds(path)
        var verification = StoreVerification()
        guard try StoreFiles.hasHeader(path) else {
            verification.findings = [
                StoreFinding(.file, "The file does not begin as an SQLite file does")
            ]
            return verification
        }
        do throws(StoreError) {
            let snapshot = try StoreSnapshot(of: path, .ignore)
            var verifier = StoreVerifier(
                snapshot.connection, path, isOfApp: snapshot.isOfApp)
            if let truncated = snapshot.truncated {
                verifier.findings.append(StoreFinding(.file, "The file \(truncated.text)"))
            }
            if let damaged = snapshot.damagedLog {
                verifier.findings.append(StoreFinding(.file, damaged.text))
            }
            do throws(StoreError) {
                try verifier.run(level, model)
            } catch {
                let error = error.naming(path, insteadOf: snapshot.connection.path)
                guard error.code == .corrupt || error.code == .notAStore else { throw error }
                verifier.findings.append(
                    StoreFinding(error.code == .corrupt ? .file : .metadata, error.message))
            }
            verification.findings = verifier.findings
            verification.remarks = verifier.remarks
            verification.knowsModel = verifier.schema != nil
        } catch {
            guard error.code == .corrupt || error.code == .notAStore else { throw error }
            // If the length cannot be checked, the original error is the finding.
            let truncated = try? TruncatedFile(path)
            verification.findings.append(
                StoreFinding(.file, truncated.map { "The file \($0.text)" } ?? error.message))
        }
        return verification
    }
}

extension StoreVerification {
    /// Returns the names of the tables of an SQLite file that never was a store; `nil` if it is or
    /// was one, or cannot be read.
    package static func tables(ofOtherDatabase path: String) -> [String]? {
        // A damaged file may have been a store.
        guard let snapshot = try? StoreSnapshot(of: path, .ignore),
            let tables = try? snapshot.connection.texts(
                "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        else { return nil }
        // The tables of entities start with Z, too.
        let isOfStore = tables.contains { $0.hasPrefix("Z") || $0.hasPrefix("ETL_") }
        return isOfStore ? nil : tables.filter { !$0.hasPrefix("sqlite_") }
    }
}

extension StoreFiles {
    /// Returns whether the file starts like an SQLite file
    /// (https://www.sqlite.org/fileformat.html).
    static func hasHeader(_ path: String) throws(StoreError) -> Bool {
        let bytes = try read(path, first: 16)
        return bytes == Array("SQLite format 3".utf8) + [0]
    }
}
