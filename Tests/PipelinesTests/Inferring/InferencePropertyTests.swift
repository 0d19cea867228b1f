import Foundation
import GraphModel
import TestSeeds
import Testing

@testable import Pipelines

/// Records of random fields are exported unchanged, whatever was inferred.
@Suite("Inference from random records") struct InferencePropertyTests {
    @Test(arguments: 1...40) func inferredImportPreservesEveryValue(seed: UInt64) throws {
        var source = SampleSource(seed: seed)
        let isTable = source.chance(50)
        let fields = source.fields(isTable: isTable)
        let records = (0..<source.number(1...40)).map { row in
            fields.map { source.value($0, row: row) }
        }
        let names = fields.map(\.name)
        let workspace = try Workspace()
        let (file, text) = source.file(names, records, isTable: isTable)
        if file.hasSuffix(".gz") {
            try workspace.writeGzip(file, text)
        } else {
            try workspace.write(file, text)
        }
        let found = try InferenceCase(workspace, [file])
        let exported = try #require(try found.imported(["Rows": ""])["Rows"])
        #expect(exported.count == records.count)
        // Without `row`, which is never a key, nothing identifies the record of an object.
        let byRow = Dictionary(
            exported.map { (($0["position"] as? NSNumber)?.intValue ?? -1, $0) },
            uniquingKeysWith: { first, _ in first })
        for (row, record) in records.enumerated() {
            let object = try #require(byRow[row], "seed \(seed)")
            for (name, value) in zip(names, record) {
                let attribute = InferredNames.property([name])
                #expect(
                    value.isSame(as: object[attribute]),
                    "seed \(seed), row \(row): \(name) was \(value), is \(object[attribute] ?? "-")"
                )
            }
        }
    }
}

/// A value of a random record.
enum SampleValue: CustomStringConvertible {
    case absent, null
    case text(String)
    case number(String)
    case json(String)

    var description: String {
        switch self {
        case .absent: "absent"
        case .null: "null"
        case .text(let text): "'\(text)'"
        case .number(let text), .json(let text): text
        }
    }

    /// Returns whether an export has the same value: numbers as numbers, dates as dates, and UUIDs
    /// in any case.
    func isSame(as exported: Any?) -> Bool {
        switch (self, exported) {
        case (.absent, nil), (.null, nil), (.absent, is NSNull), (.null, is NSNull): return true
        // In a table, it means no value.
        case (.text("NULL"), is NSNull): return true
        case (.text(let text), let other as String):
            if text.utf8.elementsEqual(other.utf8) { return true }
            if let id = UUID(uuidString: text) { return id == UUID(uuidString: other) }
            return Self.date(text).map { $0 == Self.date(other) } ?? false
        case (.number(let text), let other as String): return text == other
        case (.text(let text), let other as NSNumber), (.number(let text), let other as NSNumber):
            if text == "true" || text == "false" { return other.boolValue == (text == "true") }
            if let whole = Int64(text) { return other.int64Value == whole }
            return Double(text) == other.doubleValue
        case (.json(let text), let other?):
            let mine = try? JSONSerialization.jsonObject(
                with: Data(text.utf8), options: .fragmentsAllowed)
            return mine as? NSObject == other as? NSObject
        default: return false
        }
    }

    private static func date(_ text: String) -> Double? {
        var text = text
        return text.withUTF8 { ScalarParser.isoDate($0) }
    }
}

/// A source of random fields and values, which are determined by a seed.
struct SampleSource {
    struct Field {
        var name: String
        var kind: Int
        /// The percentage of missing values.
        var missing: Int
    }

    private var random: SeededGenerator
    private static let names = [
        "Full Name", "createdAt", "postal", "x_1", "Größe", "is ok", "value", "a,b", "Q\"x", "no",
    ]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        .random(in: range, using: &random)
    }

    mutating func chance(_ percent: Int) -> Bool { random.chance(percent) }

    mutating func pick(_ texts: [String]) -> String { random.pick(texts) }

    mutating func fields(isTable: Bool) -> [Field] {
        var fields = [Field(name: "position", kind: -1, missing: 0)]
        if chance(70) { fields.append(Field(name: "id", kind: chance(50) ? -1 : -2, missing: 0)) }
        for name in Self.names.prefix(number(1...Self.names.count)) {
            let missing = [0, 0, 10, 60, 100][number(0...4)]
            let kind = number(0...(isTable ? 9 : 13))
            fields.append(Field(name: name, kind: kind, missing: missing))
        }
        return fields
    }

    mutating func value(_ field: Field, row: Int) -> SampleValue {
        if number(1...100) <= field.missing { return chance(50) ? .null : .absent }
        switch field.kind {
        case -1: return .number("\(row)")
        case -2: return .text("key \(row)")
        case 0: return .number("\(number(-40_000...40_000))")
        case 1: return .number("\(Int64(bitPattern: random.next()))")
        case 2: return .number("\(random.next())\(number(0...9))")
        case 3: return .number("\(number(-99...99)).\(number(0...999))")
        case 4: return .number("0.\(random.next())\(number(1...9))")
        case 5: return .text(pick(["007", "12", "0", "1.10", "-0", "1e5", "1.1"]))
        case 6: return .text(date())
        case 7: return chance(50) ? .number("true") : .number("false")
        case 8: return .text(pick(["", "a,\"b\"", "ünï\ncöde", " x ", "NULL", "true", "e\u{301}"]))
        case 9:
            let low = String(random.next(), radix: 16)
            let digits = String(repeating: "0", count: 12) + low
            let id = "a5f2e1d0-0000-4000-8000-\(digits.suffix(12))"
            return .text(chance(50) ? id : id.uppercased())
        case 10: return mixed()
        case 11: return .json("[\(number(0...3)),\"a\",null]")
        case 12: return .json("[{\"a\":\(number(0...3))}]")
        default: return chance(50) ? .text("a") : .number("5")
        }
    }

    private mutating func date() -> String {
        let day = "\(number(1900...2100))-0\(number(1...9))-\(number(10...28))"
        let time = "\(number(10...23)):\(number(10...59)):\(number(10...59))"
        let zone = pick(["Z", "", "+02:00", "-0530"])
        switch number(0...3) {
        case 0: return day
        case 1: return "\(day) \(time)"
        case 2: return "\(day)T\(time)\(zone)"
        default: return "\(day)T\(time).\(number(100...999_999))\(zone)"
        }
    }

    /// Returns a value that only JSON can hold; if one value needs it, the field's type is JSON.
    private mutating func mixed() -> SampleValue {
        .json(pick(["true", "1", "\"x\"", "[]", "{}", "[{\"b\":[1.5,null]}]"]))
    }

    // MARK: Files

    mutating func file(
        _ names: [String], _ records: [[SampleValue]], isTable: Bool
    ) -> (name: String, text: String) {
        let zipped = chance(30) ? ".gz" : ""
        if isTable {
            let separator = chance(50) ? "," : "\t"
            let rows = [names.map(quoted)] + records.map { $0.map(column) }
            let text = rows.map { $0.joined(separator: separator) + "\n" }.joined()
            return ("rows.\(separator == "," ? "csv" : "tsv")\(zipped)", text)
        }
        let objects = records.map { record in
            let members = zip(names, record).compactMap { name, value in
                member(value).map { "\(json(name)):\($0)" }
            }
            return "{\(members.joined(separator: ","))}"
        }
        switch number(0...2) {
        case 0: return ("rows.ndjson\(zipped)", objects.joined(separator: "\n"))
        case 1: return ("rows.json\(zipped)", "[\(objects.joined(separator: ",\n"))]")
        default:
            let list = objects.joined(separator: ", ")
            return ("rows.json\(zipped)", "{\"a\": {\"b\": [\(list)]}, \"c\": 1}")
        }
    }

    private func member(_ value: SampleValue) -> String? {
        switch value {
        case .absent: nil
        case .null: "null"
        case .text(let text): json(text)
        case .number(let text), .json(let text): text
        }
    }

    private func json(_ text: String) -> String {
        let data = (try? JSONEncoder().encode(text)) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    private func column(_ value: SampleValue) -> String {
        switch value {
        case .absent, .null: ""
        case .text(let text): text.isEmpty ? "\"\"" : quoted(text)
        case .number(let text), .json(let text): text
        }
    }

    private func quoted(_ text: String) -> String {
        guard text.contains(where: { ",\"\n\t ".contains($0) }) else { return text }
        return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}
