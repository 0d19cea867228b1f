import Files
public import GraphModel
import SQLite

/// What a look at a store's file found.
public struct StoreVerification: Sendable, Hashable {
    /// How closely to look.
    public enum Level: Sendable, Hashable {
        /// The header, the tables' structure, the model and the keys that are handed out.
        case quick
        /// Also every index entry, every value, every link and every external value.
        case full
    }

    /// What is wrong; empty where nothing is.
    public internal(set) var findings: [StoreFinding] = []

    /// What is to be known of a store that an app made, which is no fault of it.
    public internal(set) var remarks: [String] = []

    /// Whether the model is known, without which the objects cannot be looked at.
    public internal(set) var knowsModel = true

    /// What is wrong, a sentence each.
    public var problems: [String] { findings.map(\.message) }

    /// Whether nothing is wrong.
    public var isSound: Bool { findings.isEmpty }
}

extension PersistentContainer {
    /// Looks whether a store is sound, without changing anything in its folder.
    ///
    /// A store with a log is looked at in a copy, into which the log is folded.
    ///
    /// - Parameters:
    ///   - path: the store's file.
    ///   - level: how closely to look.
    ///   - model: what the store should hold; nil takes the store's own.
    /// - Throws: only where the file cannot be read at all.
    public static func verify(
        at path: String, _ level: StoreVerification.Level = .quick,
        model: ManagedObjectModel? = nil
    ) throws(StoreError) -> StoreVerification {
        guard FileSystem.exists(path) else {
            throw StoreError(.missing, "\(path) does not exist")
        }
        try StoreFiles.refuseOtherKinds(path)
        var verification = StoreVerification()
        guard try StoreFiles.hasHeader(path) else {
            verification.findings = [
                StoreFinding(.file, "The file does not begin as an SQLite file does")
            ]
            return verification
        }
        do throws(StoreError) {
            let snapshot = try StoreSnapshot(of: path)
            var verifier = StoreVerifier(
                snapshot.connection, path, isOfApp: snapshot.isOfApp)
            if let truncated = snapshot.truncated {
                verifier.findings.append(StoreFinding(.file, "The file \(truncated.text)"))
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
            let truncated = try? TruncatedFile(path)
            verification.findings.append(
                StoreFinding(.file, truncated.map { "The file \($0.text)" } ?? error.message))
        }
        return verification
    }
}

extension StoreFiles {
    /// Whether the file begins as SQLite's do (https://www.sqlite.org/fileformat.html).
    static func hasHeader(_ path: String) throws(StoreError) -> Bool {
        let bytes = try read(path, first: 16)
        return bytes == Array("SQLite format 3".utf8) + [0]
    }
}
