import Diagnostics
import Files
import FoundationEssentials
import GraphStore

/// A link that a record has no target for: one line of a `.links.ndjson` file.
///
/// ```
/// {"file":"in/tasks.csv","key":"nobody","line":7,"record":6,"relationship":"owner","run":"…"}
/// ```
struct MissedLinkLine: Decodable, JSONWritable, Hashable {
    var file: String
    var record: Int?
    var line: Int?
    var relationship: String
    /// The key that no object has; several values are separated by commas.
    var key: String?
    var run: String

    init(_ link: MissedLink, at place: RecordLocation, runID: String) {
        file = place.source
        record = place.record
        line = place.line
        relationship = link.relationship
        key = link.key.map(OutputText.masked)
        run = runID
    }

    var json: JSONTree {
        .columns([
            "file": file, "key": key, "line": line, "record": record,
            "relationship": relationship, "run": run,
        ])
    }

    /// The link as one line of JSON.
    var text: [UInt8] { Array(json.compact.utf8) + [10] }

    /// Returns the lines of a file, in order.
    static func read(_ path: FileName) throws -> [MissedLinkLine] {
        let decoder = JSONDecoder()
        return try WholeFile.read(path).split(separator: 10).map {
            try decoder.decode(MissedLinkLine.self, from: Data($0))
        }
    }
}
