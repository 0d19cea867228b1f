import Diagnostics

/// The JSON form of notes.
///
/// Their `Decodable` conformances use the same keys.
extension RunNote: JSONWritable {
    var json: JSONTree {
        .fields([
            "format": format, "pipeline": pipeline, "runID": runID, "started": started,
            "fingerprint": fingerprint, "base": base, "attempts": attempts, "replay": replay,
            "isOfImport": isOfImport,
            "isEnded": isEnded, "leavesOut": leavesOut, "earlier": earlier,
            // `Codable` stores dictionaries with non-string keys as keys and values in turn.
            "keysBefore": keysBefore.map { keys in
                JSONTree.list(
                    keys.sorted { $0.key < $1.key }.flatMap { [$0.key.json, $0.value.json] })
            },
        ])
    }
}

extension StageNote: JSONWritable {
    var json: JSONTree {
        .fields([
            "name": name, "fingerprint": fingerprint, "report": report.masked, "inputs": inputs,
        ])
    }
}

extension InputNote: JSONWritable {
    var json: JSONTree {
        .fields(["path": path, "byteCount": byteCount, "digest": digest, "records": records])
    }
}

extension InputPosition: JSONWritable {
    var json: JSONTree {
        .fields([
            "path": path, "record": record, "offset": offset, "digest": digest,
            "isStream": isStream,
        ])
    }
}

extension ResumePoint: JSONWritable {
    var json: JSONTree {
        .fields([
            "stage": stage, "fingerprint": fingerprint, "position": position, "counts": counts,
            "objects": objects, "rejectTally": rejectTally, "nextToken": nextToken,
            "inputs": JSONTree.list(
                inputs.sorted { $0.key < $1.key }.flatMap { [$0.key.json, $0.value.json] }),
            "rejects": rejects, "secondsElapsed": secondsElapsed, "section": section,
            "abortBase": abortBase, "stop": stop, "left": left, "unmet": unmet,
            "fitsNothing": fitsNothing, "missedLinks": missedLinks, "links": links,
            "lacking": lacking, "facts": facts,
        ])
    }
}

extension RejectBase: JSONWritable {
    var json: JSONTree { .fields(["read": read, "rejected": rejected]) }
}

extension StopNote: JSONWritable {
    var json: JSONTree { .fields(["code": code, "reject": reject, "replayed": replayed]) }
}

extension SectionNote: JSONWritable {
    var json: JSONTree {
        .fields([
            "end": end, "records": records, "finished": finished, "lastRow": lastRow,
            "writtenUpTo": writtenUpTo, "writtenOfNext": writtenOfNext, "newWritten": newWritten,
            "rowsHash": rowsHash,
        ])
    }
}

extension InputForm: JSONWritable {
    var json: JSONTree {
        .fields([
            "format": format, "columnNames": columnNames, "endsAtReturn": endsAtReturn,
        ])
    }
}

extension LinkFileNote: JSONWritable {
    var json: JSONTree { .fields(["source": source, "path": path, "length": length]) }
}

extension RejectFileNote: JSONWritable {
    var json: JSONTree {
        .fields([
            "source": source, "path": path, "recordsLength": recordsLength,
            "reasonsLength": reasonsLength, "isArray": isArray, "isFirst": isFirst,
            "replayed": replayed, "endsAtReturn": endsAtReturn,
            "isOfOtherRecords": isOfOtherRecords,
        ])
    }
}

extension StageReport: JSONWritable {
    /// The results as an object that omits `nil` values and does not mask paths.
    package var json: JSONTree {
        .fields([
            "kind": kind, "name": name, "secondsElapsed": secondsElapsed,
            "indexSeconds": indexSeconds, "records": records,
            "extraFields": extraFields, "unfilledAttributes": unfilledAttributes,
            "missedLinks": missedLinks, "rejects": rejects,
            "rejectsFolder": rejectsFolder, "linksFolder": linksFolder,
            "objects": objects, "nested": nested, "matched": matched, "changed": changed,
            "mirrored": mirrored,
            "denied": denied, "deniedBy": deniedBy, "cascaded": cascaded, "nullified": nullified,
            "exported": exported, "verified": verified,
        ])
    }
}

extension ExportedFile: JSONWritable {
    /// The path and the counts as an object that does not mask the path.
    package var json: JSONTree {
        .fields(["path": path, "rows": rows, "bytes": bytes, "missingFiles": missingFiles])
    }
}

extension StageReport {
    /// The report without secrets in file names, which no code uses to find the files.
    fileprivate var masked: StageReport {
        var report = self
        report.exported?.path = OutputText.masked(exported?.path ?? "")
        report.rejectsFolder = rejectsFolder.map(OutputText.masked)
        report.linksFolder = linksFolder.map(OutputText.masked)
        return report
    }
}

extension MissedLinks: JSONWritable {
    /// The relationship, the number of links, and the first links as an object.
    package var json: JSONTree {
        .fields(["relationship": relationship, "count": count, "first": first])
    }
}

extension JSONTree {
    /// Whether the numbers of a note are in the range that runs write, so that their sums do not
    /// overflow.
    ///
    /// Counts, offsets, and lengths are at least 0. The start may be before 2001, and a hash may be
    /// any number.
    var hasPlausibleNumbers: Bool {
        switch self {
        case .text, .boolean, .null: true
        case .integer(let number): number >= 0 && number <= 1 << 53
        case .number: magnitude < 1e11
        case .list(let items): items.allSatisfy(\.hasPlausibleNumbers)
        case .object(let members):
            members.allSatisfy { member in
                switch member.name {
                case "rowsHash": true
                case "started": member.value.magnitude < 1e11
                default: member.value.hasPlausibleNumbers
                }
            }
        }
    }

    private var magnitude: Double {
        switch self {
        case .integer(let number): Double(number.magnitude)
        case .number(let digits): Double(digits)?.magnitude ?? .infinity
        default: .infinity
        }
    }
}
