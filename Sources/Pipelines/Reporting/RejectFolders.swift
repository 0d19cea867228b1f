import Diagnostics
import FoundationEssentials

/// The reject files of earlier runs, which go after a time.
enum RejectFolders {
    /// Removes what runs of this pipeline rejected longer ago than `rejects.keep`.
    ///
    /// A folder's age is that of its run, which is in its name: `nightly-20261121T030000Z-4711`.
    static func removeOld(
        _ spec: PipelineSpec, _ values: ParameterValues, now: Date,
        _ warn: (Diagnostic) -> Void
    ) {
        let folder = values.path(spec.rejects.folder)
        let oldest = now.timeIntervalSinceReferenceDate - Double(spec.rejects.keepSeconds)
        // No folder, no rejects.
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            return
        }
        for name in names.sorted() where name.hasPrefix(spec.name + "-") {
            let run = name.dropFirst(spec.name.count + 1)
            guard let started = started(ofRun: run), started < oldest else { continue }
            do {
                try FileManager.default.removeItem(atPath: PathText.join(folder, name))
            } catch {
                warn(
                    Diagnostic(
                        .warning, code: "rejects.old",
                        "The old rejects in \(PathText.join(folder, name)) cannot be removed: "
                            + "\(error)",
                        fix: "remove them, or raise `rejects.keep`"))
            }
        }
    }

    /// When a run began, by its name such as `20261121T030000Z-4711`; nil for any other name.
    private static func started(ofRun name: Substring) -> Double? {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, Int(parts[1]) != nil, parts[0].utf8.count == 16,
            parts[0].hasSuffix("Z")
        else { return nil }
        let text = Array(parts[0])
        let iso =
            String(text[0..<4]) + "-" + String(text[4..<6]) + "-" + String(text[6..<11]) + ":"
            + String(text[11..<13]) + ":" + String(text[13...])
        return TimeText.date(iso, now: 0)
    }
}
