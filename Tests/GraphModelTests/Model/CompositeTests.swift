import Diagnostics
import Testing

@testable import GraphModel

@Suite("Composite attributes") struct CompositeTests {
    private static let scale = """
        model: 1
        composites:
          Scale: { attributes: { richter: Double, agency: { type: String, optional: false } } }
          Magnitude:
            attributes:
              first: { type: Composite, composite: Scale, optional: false }
              last: { type: Composite, composite: Scale, renamed-from: final }
        entities:
        """

    private func model(_ entities: String) throws -> ManagedObjectModel {
        let (model, diagnostics) = ModelFile.read(text: Self.scale + "\n" + entities)
        return try #require(model, "\(diagnostics)")
    }

    private func problems(_ text: String) -> [String] {
        ModelFile.read(text: text).diagnostics.map(DiagnosticRenderer.text)
    }

    @Test func expandsToOneAttributePerElement() throws {
        let model = try model(
            """
              Quake:
                attributes:
                  code: String
                  magnitude: { type: Composite, composite: Magnitude, renamed-from: size }
                  home: { type: Composite, composite: Scale, optional: false, transient: true }
              Aftershock: { parent: Quake }
            """)
        let attributes = model.attributes(of: "Aftershock")
        #expect(
            attributes.map(\.name) == [
                "code", "magnitude.first.richter", "magnitude.first.agency",
                "magnitude.last.richter", "magnitude.last.agency", "home.richter", "home.agency",
            ])
        #expect(
            attributes.map(\.renamingIdentifier) == [
                nil, "size.first.richter", "size.first.agency", "size.final.richter",
                "size.final.agency", nil, nil,
            ])
        #expect(attributes.map(\.isOptional) == [true, true, true, true, true, true, false])
        #expect(
            attributes.map(\.requiredBeside) == [
                nil, nil, "magnitude", nil, "magnitude.last", nil, nil,
            ])
        #expect(
            attributes.map(\.isTransient) == [false, false, false, false, false, true, true])
        #expect(model.attribute("magnitude", of: "Quake") == nil)
        #expect(model.attribute("magnitude.last.richter", of: "Quake")?.type == .double)
        #expect(
            model.elements(of: "magnitude.last", in: "Aftershock")?.map(\.name)
                == ["magnitude.last.richter", "magnitude.last.agency"])
        #expect(model.elements(of: "code", in: "Quake") == nil)
        #expect(
            model.entity(named: "Quake")?.ownAttributes.map(\.name)
                == ["code", "magnitude", "home"])
    }

    @Test func resolvesKeyPathsToElements() throws {
        let model = try model(
            """
              Region:
                attributes: { name: String }
                relationships: { quakes: { to: Quake, many: true, inverse: region } }
              Quake:
                attributes:
                  code: String
                  magnitude: { type: Composite, composite: Magnitude }
                relationships: { region: { to: Region, inverse: quakes } }
            """)
        func resolved(_ text: String, _ entity: String = "Quake") throws -> String {
            try ParsedPredicate(format: text).resolved(for: entity, in: model).description
        }
        #expect(
            try resolved("magnitude.first.richter > 5")
                == "#\"magnitude.first.richter\" > 5.0")
        #expect(
            try resolved("ANY quakes.magnitude.last.agency == 'USGS'", "Region")
                == "ANY quakes.#\"magnitude.last.agency\" == \"USGS\"")
        #expect(
            try resolved("SUBQUERY(quakes, $q, $q.magnitude.last.richter > 1).@count > 2", "Region")
                == "SUBQUERY(quakes, $q, $q.#\"magnitude.last.richter\" > 1.0).@count > 2")
        #expect(
            try resolved("quakes.@max.magnitude.last.richter > 1", "Region")
                == "quakes.@max.#\"magnitude.last.richter\" > 1.0")
        // A predicate that was resolved once resolves to the same again.
        #expect(
            try resolved("#\"magnitude.first.richter\" > 5")
                == "#\"magnitude.first.richter\" > 5.0")
        #expect(
            try resolved("magnitude.last == nil")
                == "#\"magnitude.last.richter\" == nil AND #\"magnitude.last.agency\" == nil")
        #expect(
            try resolved("code == 'a' AND NOT magnitude.last != nil")
                == "code == \"a\" AND NOT (#\"magnitude.last.richter\" != nil"
                + " OR #\"magnitude.last.agency\" != nil)")
    }

    @Test(arguments: [
        (
            "magnitude > 5",
            "'magnitude' of 'Quake' is a composite; name an element, such as"
                + " 'magnitude.first.richter', or compare it with nil"
        ),
        (
            "magnitude.first.richtr > 5",
            "'Quake' has no property 'magnitude.first.richtr'."
                + " Did you mean 'magnitude.first.richter'?"
        ),
        ("magnitude.first.agency > 5", "Text cannot be compared with a number (5)"),
    ])
    func reportsMistakesInKeyPaths(format: String, message: String) throws {
        let model = try model(
            "  Quake: { attributes: { magnitude: { type: Composite, composite: Magnitude } } }")
        let error = #expect(throws: GraphPredicateError.self) {
            try ParsedPredicate(format: format).resolved(for: "Quake", in: model)
        }
        #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
    }

    @Test func lintChecksTheElementsOfComposites() {
        #expect(
            problems(
                """
                model: 1
                composites:
                  Scale: { attributes: { richter: Double, "a b": String } }
                  Ring: { attributes: { next: { type: Composite, composite: Ring } } }
                entities:
                  Quake:
                    attributes:
                      magnitude: { type: Composite, composite: Scale }
                      magnitude_richter: Double
                      other: { type: Composite, composite: Scal }
                    unique: [[magnitude.richter], [magnitude], [other.richter]]
                    indexes: { byRichter: [magnitude.richtr] }
                """) == [
                    """
                    model:3:43: error: 'a b' is not a valid property name [model.name]
                      in: composites.Scale.attributes["a b"]
                      fix: begin with a letter or underscore; then letters, digits, and underscores
                    """,
                    """
                    model:4:25: error: 'Ring' contains itself by 'next' [model.composite-cycle]
                      in: composites.Ring.attributes.next
                    """,
                    """
                    model:9:7: error: 'magnitude_richter' and 'magnitude.richter' of 'Quake' would \
                    share the column ZMAGNITUDE_RICHTER [model.column-collision]
                      in: entities.Quake.attributes.magnitude_richter
                    """,
                    """
                    model:10:7: error: No composite is named 'Scal'. Did you mean 'Scale'? \
                    [model.unknown-composite]
                      in: entities.Quake.attributes.other
                    """,
                    """
                    model:11:36: error: 'magnitude' is a composite and has no column; name \
                    elements of it, as 'magnitude.x' [model.unique]
                      in: entities.Quake.unique[1][0]
                    """,
                    """
                    model:12:28: error: 'Quake' has no property 'magnitude.richtr'. Did you mean \
                    'magnitude.richter'? [model.unknown-property]
                      in: entities.Quake.indexes.byRichter[0]
                    """,
                ])
    }

    @Test func warnsOfADefaultNextToARequiredElement() {
        #expect(
            problems(
                """
                model: 1
                composites:
                  Scale:
                    attributes:
                      unit: { type: String, default: mw }
                      agency: { type: String, optional: false }
                      kind: { type: String, optional: false, default: body }
                entities:
                  Quake:
                    attributes:
                      magnitude: { type: Composite, composite: Scale }
                      other: { type: Composite, composite: Scale, optional: false }
                """) == [
                    """
                    model:11:7: warning: A new 'Quake' has 'magnitude.unit' by its default, and is \
                    rejected without 'magnitude.agency', which it requires and which has no \
                    default [model.composite-default]
                      in: entities.Quake.attributes.magnitude
                      fix: give both a default, or neither, or make 'magnitude.agency' optional
                    """
                ])
    }

    @Test func diagramsShowCompositesWithTheirElements() throws {
        let model = try model(
            "  Quake: { attributes: { code: String, size: { type: Composite, composite: Magnitude } } }"
        )
        #expect(
            ModelDiagram.text(of: model, format: .mermaid) == """
                classDiagram
                    direction LR
                    class Quake {
                        String? code
                        Magnitude? size
                        Scale size.first
                        Double? size.first.richter
                        String size.first.agency
                        Scale? size.last
                        Double? size.last.richter
                        String size.last.agency
                    }

                """)
        let table = ModelDiagram.text(of: model, format: .dot)
        #expect(table.contains(">size.first.richter</td><td align=\"left\">Double?</td>"))
        let picture = ModelDiagram.text(of: model, format: .svg)
        #expect(picture.contains(">size.last.agency</text>"))
        #expect(picture.contains("height=\"198\" rx=\"5\"/>"))
    }

    @Test func versionHashDependsOnElementsButNotOnTheirOrder() throws {
        func hash(_ composite: String, _ name: String = "Scale") throws -> [UInt8]? {
            let (model, diagnostics) = ModelFile.read(
                text: """
                    model: 1
                    composites: { \(name): { attributes: { \(composite) } } }
                    entities:
                      Quake: { attributes: { size: { type: Composite, composite: \(name) } } }
                    """)
            return try #require(model, "\(diagnostics)").versionHashes["Quake"]
        }
        let plain = try hash("richter: Double, agency: String")
        #expect(try hash("agency: String, richter: Double") == plain)
        #expect(try hash("richter: Double, agency: String", "Other") == plain)
        for other in [
            "richter: Float, agency: String", "richter: Double", "value: Double, agency: String",
            "richter: { type: Double, optional: false }, agency: String",
        ] {
            #expect(try hash(other) != plain, "\(other)")
        }
    }

    @Test func rejectsCompositesWithTooManyElements() {
        var composites = "  C0: { attributes: { x: Double } }\n"
        for level in 1...40 {
            let inner = (0..<2).map { "e\($0): { type: Composite, composite: C\(level - 1) }" }
            composites += "  C\(level): { attributes: { \(inner.joined(separator: ", ")) } }\n"
        }
        let found = problems(
            "model: 1\ncomposites:\n\(composites)entities:\n"
                + "  Big: { attributes: { c: { type: Composite, composite: C40 } } }\n")
        #expect(found.count == 1)
        #expect(found.first?.contains("[model.composite-size]") == true)
    }

    @Test func swiftDeclarationsEqualTheModelFile() throws {
        let built = try ManagedObjectModel {
            Composite(
                "Scale",
                [
                    Attribute("richter", .double, default: 1, range: 0...10),
                    Attribute("agency", .string, optional: false),
                ])
            Composite("Magnitude", [Attribute("first", composite: "Scale", optional: false)])
            Entity("Quake") {
                Attribute("magnitude", composite: "Magnitude", renamedFrom: "size")
                Index("byRichter", .descending("magnitude.first.richter"))
            }
        }
        let (written, diagnostics) = ModelFile.read(
            text: """
                model: 1
                composites:
                  Scale:
                    attributes:
                      richter: { type: Double, default: 1, range: 0..10 }
                      agency: { type: String, optional: false }
                  Magnitude:
                    attributes: { first: { type: Composite, composite: Scale, optional: false } }
                entities:
                  Quake:
                    attributes:
                      magnitude: { type: Composite, composite: Magnitude, renamed-from: size }
                    indexes: { byRichter: [magnitude.first.richter desc] }
                """)
        #expect(diagnostics.map(\.code) == ["model.composite-default"])
        #expect(built == written)
        #expect(throws: ModelFileError.self) {
            try ManagedObjectModel { Entity("A") { Attribute("b", .composite) } }
        }
    }

    @Test func rejectsExcessivelyNestedComposites() {
        // Nested empty composites with many repetitions, and a very deep nesting.
        var wide = "  C0: { attributes: {} }\n"
        var deep = "  C0: { attributes: { x: Double } }\n"
        for level in 1...100 {
            let inner = "{ type: Composite, composite: C\(level - 1) }"
            wide += "  C\(level): { attributes: { a: \(inner), b: \(inner) } }\n"
            deep += "  C\(level): { attributes: { a: \(inner) } }\n"
        }
        for composites in [wide, deep] {
            let found = problems(
                "model: 1\ncomposites:\n\(composites)entities:\n"
                    + "  Big: { attributes: { c: { type: Composite, composite: C100 } } }\n")
            #expect(found.map { $0.contains("[model.composite-size]") } == [true])
        }
    }

    @Test func reportsCyclesInOversizedComposites() {
        func composite(_ name: String, _ elements: [String]) -> CompositeDescription {
            CompositeDescription(
                name: name,
                attributes: elements.enumerated().map { place, inner in
                    AttributeDescription(
                        name: "e\(place)", type: .composite, compositeName: inner)
                })
        }
        var composites = [
            composite("A", ["X1", "C"]), composite("C", ["A"]), composite("X60", []),
        ]
        for level in 1..<60 {
            composites.append(composite("X\(level)", ["X\(level + 1)", "X\(level + 1)"]))
        }
        let quake = EntityDescription(
            name: "Quake", ownAttributes: [.init(name: "c", type: .composite, compositeName: "C")])
        #expect(throws: ModelError(.compositeCycle("A"))) {
            try ManagedObjectModel(entities: [quake], composites: composites)
        }
        let written = composites.map { composite in
            let elements = composite.attributes.map {
                "\($0.name): { type: Composite, composite: \($0.compositeName ?? "") }"
            }
            return "  \(composite.name): { attributes: { \(elements.joined(separator: ", ")) } }\n"
        }
        let many = (1...100).map { "c\($0): { type: Composite, composite: C }" }
        let found = problems(
            "model: 1\ncomposites:\n\(written.joined())entities:\n"
                + "  Quake: { attributes: { \(many.joined(separator: ", ")) }, unique: [[c1.e0]] }\n"
        )
        #expect(found.filter { $0.contains("[model.composite-cycle]") }.count == 2)
    }

    @Test func rejectsDuplicateNamesOfElements() throws {
        let richter = AttributeDescription(name: "richter", type: .double)
        func problem(
            _ attributes: [AttributeDescription], _ elements: [AttributeDescription]
        ) -> ModelError.Kind? {
            let quake = EntityDescription(name: "Quake", ownAttributes: attributes)
            do throws(ModelError) {
                _ = try ManagedObjectModel(
                    entities: [quake],
                    composites: [CompositeDescription(name: "Scale", attributes: elements)])
                return nil
            } catch {
                return error.kind
            }
        }
        let first = AttributeDescription(
            name: "first", type: .composite, compositeName: "Scale")
        let twice = ModelError.Kind.duplicateProperty(entity: "Quake", property: "first.richter")
        #expect(problem([first], [richter]) == nil)
        #expect(problem([first], [richter, richter]) == twice)
        #expect(problem([first, .init(name: "first.richter", type: .double)], [richter]) == twice)
        #expect(
            problem([first, .init(name: "first", type: .double)], [richter])
                == .duplicateProperty(entity: "Quake", property: "first"))
    }
}
