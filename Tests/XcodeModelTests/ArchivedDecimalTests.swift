import AppStoreFixtures
import GraphModel
import Testing

@testable import XcodeModel

@Suite("Decimals in archived models") struct ArchivedDecimalTests {
    private func value(
        _ mantissa: [UInt8]?, _ exponent: Int?, _ more: [(String, BinaryPlist)] = []
    ) throws -> Double? {
        let writer = ArchiveWriter()
        var entries = more
        if let mantissa { entries.append(("NS.mantissa", .data(mantissa))) }
        if let exponent { entries.append(("NS.exponent", .integer(exponent))) }
        let root = writer.object("NSDecimalNumber", entries)
        let archive = try KeyedArchive(writer.archive(root: root))
        return ArchivedDecimal.value(of: try #require(archive.root))
    }

    @Test func decodesMantissaAndExponent() throws {
        #expect(try value([12, 0], -1) == 1.2)
        #expect(try value([12, 0], -1, [("NS.negative", .boolean(true))]) == -1.2)
        // The byte order of another machine.
        #expect(try value([0, 12], -1, [("NS.mantissa.bo", .integer(2))]) == 1.2)
        #expect(try value([0, 0, 1, 0], 2) == 6_553_600)
        #expect(try value([], 5) == 0)
        // More digits than a double has.
        #expect(try value([UInt8](repeating: 0xFF, count: 8), 2) == 1_844_674_407_370_955_161_600)
        #expect(try value([7, 0], 127) == 7e127)
    }

    /// A damaged number is `nil`, whatever value its exponent has.
    @Test(arguments: [256, -256, 100_000, .max, .min]) func rejectsExponentsOutsideTheDecimalRange(
        _ exponent: Int
    ) throws {
        #expect(try value([12, 0], exponent) == nil)
        #expect(try value([UInt8](repeating: 0xFF, count: 8), exponent) == nil)
    }

    @Test func rejectsMissingOrTooLongParts() throws {
        #expect(try value(nil, 1) == nil)
        #expect(try value([12, 0], nil) == nil)
        #expect(try value([UInt8](repeating: 1, count: 17), 1) == nil)
    }

    /// An attribute with a damaged default has no default, and the model is read.
    @Test func ignoresADamagedDefaultValue() throws {
        let writer = ArchiveWriter()
        func attribute(_ name: String, _ exponent: Int) -> (Int, Int) {
            let number = writer.object(
                "NSDecimalNumber",
                [("NS.mantissa", .data([12, 0])), ("NS.exponent", .integer(exponent))])
            let attribute = writer.object(
                "NSAttributeDescription",
                [
                    ("NSPropertyName", .uid(writer.text(name))), ("NSAttributeType", .integer(400)),
                    ("NSDefaultValue", .uid(number)),
                ])
            return (writer.text(name), attribute)
        }
        let entity = writer.object(
            "NSEntityDescription",
            [
                ("NSEntityName", .uid(writer.text("Price"))),
                (
                    "NSProperties",
                    .uid(writer.dictionary([attribute("good", -1), attribute("bad", .max)]))
                ),
            ])
        let root = writer.object(
            "NSManagedObjectModel",
            [("NSEntities", .uid(writer.dictionary([(writer.text("Price"), entity)])))])
        let cached = try CachedModel(reading: writer.archive(root: root))
        let price = try #require(cached.model.entity(named: "Price"))
        #expect(price.ownAttributes.map(\.name) == ["bad", "good"])
        #expect(price.ownAttributes.map(\.defaultValue) == [nil, .real(1.2)])
    }
}
