import Diagnostics
import GraphModel
import XcodeModel
import YAML

/// Parses YAML.
enum YAMLFuzz {
    static func run(_ bytes: [UInt8]) {
        let limits = YAMLLimits(bytesMax: 1 << 16, nodesMax: 1_000, depthMax: 32)
        let (root, diagnostics) = YAMLParser.parse(bytes, file: "fuzz", limits: limits)
        require(root != nil || diagnostics.contains { $0.severity == .error })
    }
}

/// Parses predicates and expressions, prints them, and parses the output, which must have the same
/// result; also evaluates them.
enum PredicateFuzz {
    private struct Row: EvaluationRow {
        func value(at slot: Int) -> EvaluatedValue {
            switch slot % 5 {
            case 0: .integer(Int64(slot))
            case 1: .double(0.5)
            case 2: .boolean(true)
            case 3: .date(1)
            default: .null
            }
        }
    }

    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let parsed = try? ParsedPredicate(format: text) {
            let printed = "\(parsed.predicate)"
            do throws(GraphPredicateError) {
                let again = try ParsedPredicate(format: printed)
                require("\(again.predicate)" == printed, "\(text) prints as \(printed)")
            } catch {
                // In printed form, `!MATCHES` has one more level.
                require(error.code == .tooDeep, "\(text) prints as \(printed): \(error)")
            }
            var slots: [[String]: Int] = [:]
            for path in parsed.predicate.keyPaths where slots[path] == nil {
                slots[path] = slots.count
            }
            let compiled = try? CompiledPredicate(
                parsed.predicate, source: parsed.source, variables: [:], now: 0
            ) { slots[$0] }
            _ = try? compiled?.evaluate(Row())
        }
        if let parsed = try? ParsedExpression(format: text) {
            _ = "\(parsed.expression)"
        }
    }
}

/// Reads property lists, archives, and the models in them.
enum ArchiveFuzz {
    static func run(_ bytes: [UInt8]) {
        _ = try? BinaryPropertyList(bytes)
        _ = try? KeyedArchive(bytes)
        _ = try? CachedModel(reading: bytes)
    }
}

/// Reads models of Xcode.
enum ModelFuzz {
    static func run(_ bytes: [UInt8]) {
        let (model, diagnostics) = ContentsReader.read(bytes, file: "contents")
        require(model != nil || diagnostics.contains { $0.severity == .error })
    }
}
