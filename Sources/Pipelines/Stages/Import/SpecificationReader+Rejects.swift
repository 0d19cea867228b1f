import YAML

/// What becomes of records that are refused: `on`.
extension SpecificationReader {
    /// Reads `on` into the stage, whose other keys are read already.
    func readRejectRules(_ value: YAMLValue, _ spec: inout ImportSpec) {
        guard let mapping = value.mapping() else { return }
        if let rule = mapping.optional("duplicate-key")?.choice(ImportSpec.Extra.self) {
            spec.duplicateKeys = rule
        }
        for code in ImportSpec.rejectCodes {
            guard let value = mapping.optional(code),
                let rule = value.choice(ImportSpec.RejectRule.self)
            else { continue }
            checkOccasion(code, value, rule, spec)
            switch rule {
            case .reject: break
            case .stop: spec.stops.append(code)
            case .null where code == "cast": spec.nullsCasts = value.location
            case .null:
                value.fail(
                    "rule",
                    "'null' is only for 'cast', where one value is invalid; '\(code)' concerns "
                        + "the complete record", fix: "use reject or stop")
            }
        }
        mapping.finish(.on)
    }

    /// Some reasons arise only where another key asks for them.
    private func checkOccasion(
        _ code: String, _ value: YAMLValue, _ rule: ImportSpec.RejectRule, _ spec: ImportSpec
    ) {
        let other: (key: String, isReject: Bool)
        switch code {
        case "extra":
            if spec.extra == .stop, rule == .reject {
                return value.fail("rule", "`extra: stop` says otherwise", fix: "remove one of them")
            }
            other = ("extra", spec.extra != .ignore)
        case "duplicate": other = ("duplicates", spec.duplicates == .reject)
        case "found": other = ("when-found", spec.whenFound == .reject)
        default: return
        }
        guard !other.isReject else { return }
        value.fail(
            "rule", "No record is refused for '\(code)' unless the stage says so",
            fix: "add `\(other.key): reject`, or remove it")
    }

    /// Conflicts between a read and a save, of which an import has none.
    func refuseMerge(_ mapping: YAMLMapping) {
        mapping.refuse(
            "merge",
            "An import reads and writes each batch in one transaction, so no other process can change "
                + "a row in between, so 'merge' has no effect",
            fix: "remove it; `when-found` sets what happens to existing objects")
    }
}
