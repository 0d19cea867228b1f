/// Writes a report as JSON with the keys that its `Decodable` conformance reads.
extension RunReport: JSONWritable {
    /// The report as a JSON object; keys without a value are omitted.
    package var json: JSONTree {
        .fields([
            "report": report, "version": version, "pipeline": pipeline, "run": run, "spec": spec,
            "replay": replay, "selection": selection, "started": started, "ended": ended,
            "secondsElapsed": secondsElapsed, "attempts": attempts,
            "attempt": attempt, "exit": exit,
            "parameters": parameters, "store": store, "stages": stages, "objects": objects,
            "messages": messages, "memoryPeak": memoryPeak, "samples": samples,
        ])
    }
}

extension RunReport.Selection: JSONWritable {
    /// The selection as a JSON object; options that the user did not set are omitted.
    package var json: JSONTree { .fields(["only": only, "from": from, "limit": limit]) }
}

extension RunReport.Exit: JSONWritable {
    /// The exit status as a JSON object with its code, name, and meaning.
    package var json: JSONTree { .fields(["code": code, "name": name, "meaning": meaning]) }
}

extension RunReport.Parameter: JSONWritable {
    /// The parameter as a JSON object; a secret is already masked.
    package var json: JSONTree { .fields(["name": name, "type": type, "value": value]) }
}

extension RunReport.Store: JSONWritable {
    /// The store as a JSON object; an unknown model or size is omitted.
    package var json: JSONTree { .fields(["path": path, "model": model, "bytes": bytes]) }
}

extension RunReport.Stage: JSONWritable {
    /// The stage as a JSON object; counts that do not apply to its kind are omitted.
    package var json: JSONTree {
        .fields([
            "name": name, "kind": kind, "state": state.rawValue, "entity": entity,
            "secondsElapsed": secondsElapsed, "indexSeconds": indexSeconds, "records": records,
            "rowsPerSecond": rowsPerSecond,
            "extraFields": extraFields, "unfilledAttributes": unfilledAttributes,
            "missedLinks": missedLinks, "rejects": rejects,
            "linksFolder": linksFolder, "rejectsFolder": rejectsFolder,
            "objects": objects, "nested": nested, "matched": matched, "changed": changed,
            "mirrored": mirrored,
            "denied": denied, "deniedBy": deniedBy, "cascaded": cascaded, "nullified": nullified,
            "verified": verified, "inputs": inputs, "output": output,
        ])
    }
}

extension RunReport.Input: JSONWritable {
    /// The input as a JSON object with its path, size, digest, and number of records.
    package var json: JSONTree {
        .fields(["file": file, "bytes": bytes, "sha256": sha256, "records": records])
    }
}

extension RunReport.Output: JSONWritable {
    /// The output as a JSON object; the number of missing files is omitted if it is `nil`.
    package var json: JSONTree {
        .fields(["file": file, "rows": rows, "bytes": bytes, "missingFiles": missingFiles])
    }
}

extension RunReport.Message: JSONWritable {
    /// The message as a JSON object with its severity, code, and text.
    package var json: JSONTree { .fields(["severity": severity, "code": code, "text": text]) }
}

extension RunSample: JSONWritable {
    /// The sample as a JSON object with the keys of its properties.
    package var json: JSONTree {
        .fields(["second": second, "stage": stage, "records": records, "memory": memory])
    }
}

extension RejectTally: JSONWritable {
    /// The rejects as a JSON object whose only key is `codes`.
    package var json: JSONTree { .fields(["codes": codes]) }
}

extension RejectTally.Code: JSONWritable {
    /// The code as a JSON object with its count and its first rejects.
    package var json: JSONTree { .fields(["code": code, "count": count, "first": first]) }
}

extension RejectTally.Example: JSONWritable {
    /// The reject as a JSON object; unknown parts of its location are omitted.
    package var json: JSONTree {
        .fields([
            "detail": detail, "file": file, "record": record, "line": line, "column": column,
            "byte": byte, "field": field, "value": value, "message": message,
        ])
    }
}

extension FieldCount: JSONWritable {
    /// The field as a JSON object with its name and its number of records.
    package var json: JSONTree { .fields(["name": name, "records": records]) }
}

extension ObjectCounts: JSONWritable {
    /// The counts of changed objects as a JSON object, including zeros, but without `nil`.
    package var json: JSONTree {
        .fields([
            "entity": entity, "inserted": inserted, "updated": updated, "deleted": deleted,
            "insertedBefore": insertedBefore,
        ])
    }
}

extension StageReport {
    /// All known counts of the stage, for a line of the log.
    package var counts: JSONTree {
        let own = JSONTree.fields([
            "matched": matched, "changed": changed, "mirrored": mirrored,
            "exported": exported?.rows, "verified": verified, "nested": nested,
        ])
        guard case .object(let members) = own, case .object(let read)? = records?.json else {
            return own
        }
        return .object(read + members)
    }
}

extension RecordCounts: JSONWritable {
    /// The counts as a JSON object, including zeros; counts that are `nil` are omitted.
    package var json: JSONTree {
        .fields([
            "read": read, "inserted": inserted, "updated": updated, "unchanged": unchanged,
            "skipped": skipped, "filtered": filtered, "superseded": superseded,
            "linked": linked, "rejected": rejected, "replayed": replayed, "discarded": discarded,
            "blankLines": blankLines, "createdTargets": createdTargets,
            "nulledValues": nulledValues, "supersededItems": supersededItems, "waiting": waiting,
        ])
    }
}
