/// Writes a report as JSON with the keys that its `Decodable` conformance reads.
extension RunReport: JSONWritable {
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
    package var json: JSONTree { .fields(["only": only, "from": from, "limit": limit]) }
}

extension RunReport.Exit: JSONWritable {
    package var json: JSONTree { .fields(["code": code, "name": name, "meaning": meaning]) }
}

extension RunReport.Parameter: JSONWritable {
    package var json: JSONTree { .fields(["name": name, "type": type, "value": value]) }
}

extension RunReport.Store: JSONWritable {
    package var json: JSONTree { .fields(["path": path, "model": model, "bytes": bytes]) }
}

extension RunReport.Stage: JSONWritable {
    package var json: JSONTree {
        .fields([
            "name": name, "kind": kind, "state": state.rawValue, "entity": entity,
            "secondsElapsed": secondsElapsed, "records": records, "rowsPerSecond": rowsPerSecond,
            "extraFields": extraFields, "missedLinks": missedLinks, "rejects": rejects,
            "linksFolder": linksFolder, "rejectsFolder": rejectsFolder,
            "objects": objects, "nested": nested, "matched": matched, "changed": changed,
            "mirrored": mirrored,
            "denied": denied, "deniedBy": deniedBy, "cascaded": cascaded, "nullified": nullified,
            "verified": verified, "inputs": inputs, "output": output,
        ])
    }
}

extension RunReport.Input: JSONWritable {
    package var json: JSONTree {
        .fields(["file": file, "bytes": bytes, "sha256": sha256, "records": records])
    }
}

extension RunReport.Output: JSONWritable {
    package var json: JSONTree {
        .fields(["file": file, "rows": rows, "bytes": bytes, "missingFiles": missingFiles])
    }
}

extension RunReport.Message: JSONWritable {
    package var json: JSONTree { .fields(["severity": severity, "code": code, "text": text]) }
}

extension RunSample: JSONWritable {
    package var json: JSONTree {
        .fields(["second": second, "stage": stage, "records": records, "memory": memory])
    }
}

extension RejectTally: JSONWritable {
    package var json: JSONTree { .fields(["codes": codes]) }
}

extension RejectTally.Code: JSONWritable {
    package var json: JSONTree { .fields(["code": code, "count": count, "first": first]) }
}

extension RejectTally.Example: JSONWritable {
    package var json: JSONTree {
        .fields([
            "detail": detail, "file": file, "record": record, "line": line, "column": column,
            "byte": byte, "field": field, "value": value, "message": message,
        ])
    }
}

extension FieldCount: JSONWritable {
    package var json: JSONTree { .fields(["name": name, "records": records]) }
}

extension ObjectCounts: JSONWritable {
    package var json: JSONTree {
        .fields([
            "entity": entity, "inserted": inserted, "updated": updated, "deleted": deleted,
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
    package var json: JSONTree {
        .fields([
            "read": read, "inserted": inserted, "updated": updated, "unchanged": unchanged,
            "skipped": skipped, "filtered": filtered, "superseded": superseded,
            "rejected": rejected, "replayed": replayed, "discarded": discarded,
            "blankLines": blankLines, "createdTargets": createdTargets,
            "nulledValues": nulledValues, "supersededItems": supersededItems, "waiting": waiting,
        ])
    }
}
