import Diagnostics
import Files
import RecordStreams

/// Fixes for inputs that cannot be read at all.
extension CommandLineFix {
    /// Returns the fix of an unreadable input; `nil` if it does not depend on the command.
    static func of(
        _ error: RecordStreamError, _ options: InferenceOptions, _ spool: InferenceSpool
    ) -> String? {
        switch error.kind {
        case .foreignFormat(let format, let path, let inner):
            let path = spool.name(ofCopy: path)
            return format.fix(path, as: options.format ?? inner, for: options.command(of: path))
        // Keeps the fix unchanged: `etl infer` cannot write a spec for this file.
        case .csvUncertainHeader, .csvHeaderWidth: return error.diagnostic.fix
        // The import starts only after all files were read.
        case .gzipTruncated, .gzipData, .gzipTrailing, .gzipChecksum, .gzipLength:
            return "fetch the file again; nothing was imported"
        case .jsonStructure(let reason) where TextEncoding.fix(of: reason) == nil:
            return "correct the document; nothing was imported"
        case .inputUnreadable where FileSystem.isFolder(error.location.source):
            let folder = PathText.normalized(error.location.source)
            return "name the files in it, such as "
                + (folder.isEmpty ? "" : CommandExample.shell(folder) + "/") + "*.csv"
        case .inputMissing: return "check the name; a relative path starts at the working folder"
        default: return nil
        }
    }
}
