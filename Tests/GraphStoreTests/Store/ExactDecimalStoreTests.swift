import Foundation
import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore

@Suite("Stores with exact decimals") struct ExactDecimalStoreTests {
    private static let entities = """
        Price:
          attributes:
            name: { type: String, optional: false }
            amount: { type: Decimal, default: 0.5, range: -1e30..1e30 }
            doubled: { type: Decimal, derived: "amount * 2" }
          relationships: { parts: { to: Price, many: true, inverse: whole }, whole: { to: Price, inverse: parts } }
          unique: [[amount, name]]
        """

    private func withExact(
        _ body: (PersistentContainer, String) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        var options = StoreOptions()
        options.keepsExactDecimals = true
        let path = folder.file("exact.sqlite")
        let container = try PersistentContainer(
            model: model(Self.entities), .sqlite(at: path, opening: .create, options: options))
        try body(container, path)
        let connection = try Connection(path: path, mode: .readOnly)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        #expect(try PersistentContainer.verify(at: path, .full).findings == [])
    }

    private func insert(
        _ amounts: [String], in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        try amounts.enumerated().map { place, amount in
            let object = try context.insert("Price")
            try object.setValue(.attribute(.text(String(place))), forKey: "name")
            try object.setValue(.attribute(.text(amount)), forKey: "amount")
            return object
        }
    }

    private func amounts(
        _ format: String, in context: ManagedObjectContext
    ) throws -> [String] {
        var request = FetchRequest<ManagedObject>(entityName: "Price")
        request.predicate = try GraphPredicate(format: format)
        request.sortDescriptors = [GraphSortDescriptor(["amount"])]
        return try context.fetch(request).map { object in
            guard case .text(let text)? = try amount(of: object) else { return "-" }
            return text
        }
    }

    private func amount(of object: ManagedObject) throws -> StoredValue? {
        guard case .attribute(let value) = try object.value(forKey: "amount") else { return nil }
        return value
    }

    @Test("an exact decimal keeps all its digits and is stored as canonical text")
    func keepsDigits() throws {
        try withExact { container, path in
            let context = container.newContext()
            let all = try insert(
                ["12345678901234567890.12345678901234567", "1.50", "1e3", "-0.0"], in: context)
            let fresh = try context.insert("Price")
            try fresh.setValue(.attribute(.text("new")), forKey: "name")
            try context.save()
            #expect(try amount(of: all[1]) == .text("1.5"))
            let connection = try Connection(path: path, mode: .readOnly)
            let rows = try lines(
                "SELECT typeof(ZAMOUNT), ZAMOUNT, ZDOUBLED FROM ZPRICE ORDER BY ZNAME",
                on: connection)
            #expect(
                rows
                    == [
                        "text|12345678901234567890.12345678901234567|24691357802469135780.24691357802469134",
                        "text|1.5|3", "text|1000|2000", "text|0|0", "text|0.5|1",
                    ])
            // Another container uses the store's setting, whatever its own model file sets.
            let other = try PersistentContainer(
                model: model(Self.entities), .sqlite(at: path)
            ).newContext()
            #expect(
                try amounts("amount > 1000", in: other)
                    == ["12345678901234567890.12345678901234567"])
        }
    }

    @Test("a Decimal of Foundation keeps all its digits")
    func foundation() throws {
        try withExact { container, _ in
            let context = container.newContext()
            let key = AttributeKey<Decimal>("amount")
            let object = try insert(["1"], in: context)[0]
            let value = try #require(Decimal(string: "12345678901234567890.123456789"))
            object[key] = value
            try context.save()
            context.reset()
            let again = try #require(
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Price")).first)
            #expect(again[key] == value)
        }
    }

    @Test("a value that is not a number, is too long, or is out of range is rejected")
    func refuses() throws {
        try withExact { container, _ in
            let context = container.newContext()
            let object = try insert(["1"], in: context)[0]
            for text in ["x", "1e999", String(repeating: "7", count: 39)] {
                #expect(throws: StoreError.self) {
                    try object.setValue(.attribute(.text(text)), forKey: "amount")
                }
            }
            try object.setValue(.attribute(.text("1e30")), forKey: "amount")
            try context.save()
            try object.setValue(
                .attribute(.text("1000000000000000000000000000000.1")), forKey: "amount")
            #expect(storeError { try context.save() }?.code == .validation)
        }
    }

    @Test("predicates and sorting compare decimals exactly, in the store and in memory")
    func compares() throws {
        try withExact { container, _ in
            let seed = TestSeed.ofThisRun
            var random = SeededGenerator(seed: seed)
            let bases = ["0.1", "9007199254740993", "12345678901234567890", "-5", "100", "1e20"]
            var texts = bases
            for _ in 0..<60 {
                let base = bases.randomElement(using: &random) ?? "0"
                let tail = Int.random(in: 0...3, using: &random)
                let zeros = String(repeating: "0", count: Int.random(in: 0...12, using: &random))
                texts.append(
                    base.contains("e") || base.contains(".") ? base : "\(base).\(zeros)\(tail)")
            }
            let sorted = try texts.map { text -> ExactDecimal in
                var text = text
                return try #require(text.withUTF8 { ExactDecimal($0) })
            }.sorted()
            let pending = container.newContext()
            _ = try insert(texts, in: pending)
            try pending.save()
            let saved = container.newContext()
            let memory = container.newContext()
            for object in try memory.fetch(FetchRequest<ManagedObject>(entityName: "Price")) {
                // An unrelated change makes the context evaluate the object in memory.
                try object.setValue(
                    .attribute(.text("changed " + UUID().uuidString)), forKey: "name")
            }
            let limits = [
                "0.1", "9007199254740993", "9007199254740992.0", "-5", "100", "1e20", "99.5",
            ]
            for limit in limits {
                var text = limit
                let number = try #require(text.withUTF8 { ExactDecimal($0) })
                // The value of the predicate's constant.
                let constant = try #require(
                    Int64(limit).map { ExactDecimal($0) } ?? ExactDecimal(Double(limit) ?? 0))
                #expect(constant == number)
                let questions: [(String, (ExactDecimal) -> Bool)] = [
                    ("==", { $0 == number }), ("!=", { $0 != number }), ("<", { $0 < number }),
                    ("<=", { $0 <= number }), (">", { $0 > number }), (">=", { $0 >= number }),
                ]
                for (op, holds) in questions {
                    let expected = sorted.filter(holds).map(\.text)
                    let format = "amount \(op) \(limit)"
                    #expect(try amounts(format, in: saved) == expected, "\(format), seed \(seed)")
                    #expect(try amounts(format, in: memory) == expected, "\(format), seed \(seed)")
                }
                let between = sorted.filter { $0 >= number && $0 <= ExactDecimal(200) }
                let range = "amount BETWEEN {\(limit), 200}"
                #expect(try amounts(range, in: saved) == between.map(\.text))
                #expect(try amounts(range, in: memory) == between.map(\.text))
                let format = "amount IN {\(limit), 7}"
                let members = sorted.filter { $0 == number }.map(\.text)
                #expect(try amounts(format, in: saved) == members)
                #expect(try amounts(format, in: memory) == members)
            }
        }
    }

    @Test("minimum and maximum of decimals are exact")
    func aggregates() throws {
        try withExact { container, _ in
            let context = container.newContext()
            let all = try insert(
                ["9007199254740993.2", "9007199254740993.1", "10", "9"], in: context)
            for part in all.dropFirst() {
                try part.setValue(.object(all[0]), forKey: "whole")
            }
            try context.save()
            let fresh = container.newContext()
            #expect(
                try amounts("parts.@max.amount == 9007199254740993.1", in: fresh)
                    == ["9007199254740993.2"]
            )
            #expect(try amounts("parts.@min.amount == 9", in: fresh) == ["9007199254740993.2"])
            #expect(
                try amounts("amount > parts.@max.amount", in: fresh) == ["9007199254740993.2"])
            #expect(try amounts("ANY parts.amount > 9.5", in: fresh) == ["9007199254740993.2"])
            var request = FetchRequest<ManagedObject>(entityName: "Price")
            request.propertiesToFetch = [
                ExpressionDescription(name: "most", .maximum, of: GraphKey("amount")),
                ExpressionDescription(name: "least", .minimum, of: GraphKey("amount")),
            ]
            let rows: [Row] = try fresh.rows(request)
            #expect(rows.map(\.values) == [[.string("9007199254740993.2"), .string("9")]])
        }
    }

    @Test("a batch update writes canonical text and checks ranges exactly")
    func updates() throws {
        try withExact { container, path in
            let context = container.newContext()
            _ = try insert(["1.5", "20000000000000000001"], in: context)
            try context.save()
            var request = BatchUpdateRequest(
                entityName: "Price", predicate: try GraphPredicate(format: "amount < 100"),
                propertiesToUpdate: [:])
            request.propertiesToUpdate = [
                "amount": try ParsedExpression(format: "amount / 3").expression
            ]
            _ = try context.execute(request)
            request.predicate = try GraphPredicate(format: "amount > 100")
            request.propertiesToUpdate = [
                "amount": .constant(.string("20000000000000000002.50"))
            ]
            _ = try context.execute(request)
            try context.save()
            let connection = try Connection(path: path, mode: .readOnly)
            let rows = try lines("SELECT ZAMOUNT FROM ZPRICE ORDER BY ZNAME", on: connection)
            #expect(
                rows
                    == ["0.5", "20000000000000000002.5"])
            request.propertiesToUpdate = [
                "amount": .constant(.string("1000000000000000000000000000000.1"))
            ]
            #expect(
                storeError { _ = try context.execute(request) }?.message
                    == "'amount' of 1 object would be more than 1e+30")
        }
    }

    @Test("a store with double decimals cannot be reopened with exact decimals")
    func staysAsMade() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("plain.sqlite")
        let plain = try PersistentContainer(
            model: model(Self.entities), .sqlite(at: path, opening: .create))
        #expect(!plain.model.keepsExactDecimals)
        var options = StoreOptions()
        options.keepsExactDecimals = true
        #expect(
            storeError {
                _ = try PersistentContainer(
                    model: model(Self.entities), .sqlite(at: path, options: options))
            }?.message
                == "\(path) keeps decimals as doubles; this is chosen when the store is created")
        // The format stores a double, so further digits are rounded, as in Core Data.
        let context = plain.newContext()
        let object = try context.insert("Price")
        try object.setValue(.attribute(.text("a")), forKey: "name")
        try object.setValue(.attribute(.text("0.12345678901234567890123")), forKey: "amount")
        #expect(try amount(of: object) == .real(0.12345678901234568))
    }

    @Test("predicates match literals of up to 38 digits exactly, in the store and in memory")
    func literals() throws {
        try withExact { container, _ in
            let texts = [
                "123456789012345678901234567890.1", "123456789012345678901234567890.2",
                "123456789012345678901234567890", "0.1", "0.10000000000000000001", "0.3",
            ]
            let context = container.newContext()
            _ = try insert(texts, in: context)
            try context.save()
            let memory = container.newContext()
            for object in try memory.fetch(FetchRequest<ManagedObject>(entityName: "Price")) {
                try object.setValue(
                    .attribute(.text("changed " + UUID().uuidString)), forKey: "name")
            }
            let questions = [
                ("amount == 123456789012345678901234567890.2", [1]),
                ("amount > 123456789012345678901234567890.1", [1]),
                ("amount IN {123456789012345678901234567890.1, 0.10000000000000000001}", [4, 0]),
                ("amount BETWEEN {0.10000000000000000001, 0.3}", [4, 5]),
                ("amount - 0.1 == 0.2", [5]),
                ("amount - 123456789012345678901234567890 == 0.1", [0]),
                ("amount * 2 / 2 == amount AND amount < 1", [3, 4, 5]),
                ("round(amount) == 123456789012345678901234567890", [2, 0, 1]),
                ("abs(0 - amount) == 0.10000000000000000001", [4]),
                ("coalesce(amount, 0) + 0.2 == 0.3", [3]),
                ("cast(amount, 'Decimal') == 123456789012345678901234567890.2", [1]),
                ("{amount, 1}[parts.@count] > 123456789012345678901234567890.1", [1]),
            ]
            for (format, places) in questions {
                let expected = places.map { texts[$0] }
                #expect(try amounts(format, in: container.newContext()) == expected, "\(format)")
                #expect(try amounts(format, in: memory) == expected, "\(format)")
            }
            var many = FetchRequest<ManagedObject>(entityName: "Price")
            many.predicate = try GraphPredicate(
                format: "amount == 1.00000000000000000000000000000000000000001")
            #expect(
                storeError { _ = try context.fetch(many) }?.message.hasPrefix(
                    "1.00000000000000000000000000000000000000001 has more digits than the 38 that"
                        + " decimals have") == true)
        }
    }

    @Test("decimals are compared with other numbers and added up, and a text is no number")
    func otherNumbers() throws {
        let folder = try TemporaryFolder()
        var options = StoreOptions()
        options.keepsExactDecimals = true
        let path = folder.file("exact.sqlite")
        let container = try PersistentContainer(
            model: model(
                """
                Sale:
                  attributes:
                    id: Integer 32
                    amount: Decimal
                    d: Double
                    n: Integer 16
                    flag: Boolean
                    note: String
                  unique: [[id]]
                """), .sqlite(at: path, opening: .create, options: options))
        let sales: [(amount: String?, d: Double?, n: Int?, flag: Bool)] = [
            ("2", 2, 2, true), ("0.1", 0.1, 0, false), ("1", nil, nil, true), (nil, 5, 5, false),
        ]
        let context = container.newContext()
        for (place, sale) in sales.enumerated() {
            let object = try context.insert("Sale")
            object[.integer("id")] = place + 1
            object[.double("d")] = sale.d
            object[.integer("n")] = sale.n
            object[.boolean("flag")] = sale.flag
            if let amount = sale.amount {
                try object.setValue(.attribute(.text(amount)), forKey: "amount")
            }
        }
        try context.save()
        let memory = container.newContext()
        for object in try memory.fetch(FetchRequest<ManagedObject>(entityName: "Sale")) {
            object[.string("note")] = "changed"
        }
        for (format, expected) in [
            ("amount == n", [1]), ("amount == d", [1, 2]), ("amount > n", [2]),
            ("n < amount", [2]), ("amount == flag", [3]), ("amount == nil", [4]),
            ("coalesce(amount, YES) == 1", [3, 4]), ("coalesce(amount, NO) == 0", [4]),
            ("amount IN {d, 1}", [1, 2, 3]), ("amount BETWEEN {n, d}", [1, 2]),
            ("n IN {amount, 7}", [1]),
        ] as [(String, [Int])] {
            for context in [container.newContext(), memory] {
                let found = try context.fetch(
                    FetchRequest<ManagedObject>(
                        entityName: "Sale", predicate: try GraphPredicate(format: format),
                        sortDescriptors: [GraphSortDescriptor(["id"])]))
                #expect(found.compactMap { $0[.integer("id")] } == expected, "\(format)")
            }
        }
        var sum = FetchRequest<ManagedObject>(entityName: "Sale")
        sum.propertiesToFetch = [
            ExpressionDescription(name: "total", .sum, of: GraphKey("amount")),
            ExpressionDescription(name: "other", .sum, of: GraphKey("d")),
        ]
        let rows: [Row] = try container.newContext().rows(sum)
        #expect(rows.map(\.values) == [[.double(3.1), .double(7.1)]])

        // Another program has written a text into a column of numbers.
        try Connection(path: path, mode: .readWrite).execute("UPDATE ZSALE SET ZD = 'abc'")
        let error = storeError {
            _ = try container.newContext().fetch(
                FetchRequest<ManagedObject>(
                    entityName: "Sale", predicate: try GraphPredicate(format: "amount == d")))
        }
        #expect(error?.message.contains("'abc' is not a decimal number") == true)
    }

    @Test("arithmetic of a batch update keeps all digits")
    func updatesExactly() throws {
        try withExact { container, path in
            let context = container.newContext()
            _ = try insert(["123456789012345678901234567890.1", "0.1", "7"], in: context)
            try context.save()
            for expression in ["amount + 0.2", "amount / 2"] {
                var request = BatchUpdateRequest(
                    entityName: "Price", predicate: try GraphPredicate(format: "amount > 0"),
                    propertiesToUpdate: [:])
                request.propertiesToUpdate = [
                    "amount": try ParsedExpression(format: expression).expression
                ]
                _ = try context.execute(request)
            }
            try context.save()
            let connection = try Connection(path: path, mode: .readOnly)
            let rows = try lines("SELECT ZAMOUNT FROM ZPRICE ORDER BY ZNAME", on: connection)
            #expect(rows == ["61728394506172839450617283945.15", "0.15", "3.6"])
        }
    }
}
