import Diagnostics
import YAML

/// Tests of the spec by the spec: `tests`.
extension SpecificationReader {
    func readTests(_ value: YAMLValue?) -> [SpecificationTest] {
        var names: Set<String> = []
        return (value?.list() ?? []).compactMap { item in
            guard let mapping = item.mapping() else { return nil }
            let test = readTest(mapping)
            if let test, !names.insert(test.name).inserted {
                item.fail("duplicate-name", "A test is named '\(test.name)' already")
            }
            return test
        }
    }

    private func readTest(_ mapping: YAMLMapping) -> SpecificationTest? {
        let name = mapping.required("name", fix: "describe what the test shows")?.filledText()
        let place = mapping.location
        var test = SpecificationTest(
            name: name ?? "", location: place, thenLocation: place, rejectsLocation: place)
        for entry in mapping.optional("params")?.mapping()?.all() ?? [] {
            guard let text = entry.value.scalarText() else { continue }
            test.parameterNames.append(PlacedText(entry.key, entry.keyLocation))
            test.parameterTexts.append(text)
        }
        test.now = mapping.optional("now").flatMap(placed)
        for entry in mapping.optional("given")?.mapping()?.all() ?? [] {
            let records = entry.value.list()?.compactMap { record -> TestValue? in
                guard record.isMapping else { return record.wrong("a mapping, one record") }
                return Self.value(record)
            }
            test.given.append(
                SpecificationTest.Given(
                    name: PlacedText(entry.key, entry.keyLocation), records: records ?? []))
        }
        if let then = mapping.required("then", fix: "list what the store must contain at the end") {
            test.thenLocation = then.location
            readThen(then, &test)
        }
        mapping.finish(.test)
        return name == nil ? nil : test
    }

    private func readThen(_ value: YAMLValue, _ test: inout SpecificationTest) {
        for entry in value.mapping()?.all() ?? [] {
            guard entry.key != "fails" else {
                test.fails = placed(entry.value)
                continue
            }
            let objects = entry.value.list()?.compactMap { item -> TestObject? in
                // A reject may be told by its code alone.
                if entry.key == "rejects", case .text? = item.scalar?.value {
                    return TestObject(
                        members: [TestMember("code", Self.value(item))], location: item.location)
                }
                guard case .object(let members) = Self.value(item) else {
                    return item.wrong("a mapping, one object")
                }
                return TestObject(members: members, location: item.location)
            }
            if entry.key == "rejects" {
                test.rejects = objects ?? []
                test.rejectsLocation = entry.keyLocation
            } else {
                test.then.append(
                    SpecificationTest.Expected(
                        entity: PlacedText(entry.key, entry.keyLocation), objects: objects ?? []))
            }
        }
    }

    private static func value(_ value: YAMLValue) -> TestValue {
        if let items = value.isList ? value.list() : nil { return .list(items.map(Self.value)) }
        if let mapping = value.isMapping ? value.mapping() : nil {
            return .object(mapping.all().map { TestMember($0.key, Self.value($0.value)) })
        }
        guard let scalar = value.scalar else { return .null }
        return switch scalar.value {
        case .null: .null
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .number(String(number))
        // A whole number of more digits than an integer has keeps them.
        case .real where scalar.text.allSatisfy { ("0"..."9").contains($0) }: .number(scalar.text)
        case .real(let number) where number.isFinite: .number("\(number)")
        case .real: .text(scalar.text)
        case .text: .text(scalar.text)
        }
    }
}
