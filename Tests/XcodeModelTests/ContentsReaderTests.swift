import Diagnostics
import Foundation
import GraphModel
import Testing

@testable import XcodeModel

@Suite("Contents of Xcode's models") struct ContentsReaderTests {
    private func read(
        _ body: String, attributes: String = ""
    ) -> (model: ManagedObjectModel?, problems: String) {
        let (model, diagnostics) = ContentsReader.read(
            Array("<model\(attributes)>\n\(body)\n</model>".utf8), file: "contents")
        return (model, diagnostics.map(DiagnosticRenderer.text).joined(separator: "\n"))
    }

    @Test func readsEverythingThatXcodeWrites() throws {
        let (model, problems) = read(
            """
            <entity name="Car" representedClassName="App.Car" isAbstract="YES" elementID="Auto"
                versionHashModifier="2" syncable="YES" codeGenerationType="class">
              <attribute name="plate" attributeType="String" minValueString="1"
                maxValueString="10" regularExpressionString="[A-Z]+" defaultValueString="A"
                preserveAfterDeletion="YES" spotlightIndexingEnabled="YES"/>
              <attribute name="built" optional="YES" attributeType="Date"
                minDateTimeInterval="-10" defaultDateTimeInterval="0.5" usesScalarValueType="NO"/>
              <attribute name="doors" attributeType="Integer 16" defaultValueString="4"
                minValueString="0" maxValueString="9" usesScalarValueType="YES" indexed="YES"/>
              <attribute name="photo" optional="YES" attributeType="Transformable"
                allowsExternalBinaryDataStorage="YES" customClassName="UIImage"
                valueTransformerName="NSSecureUnarchiveFromData"/>
              <attribute name="label" optional="YES" transient="YES"/>
              <attribute name="rides" attributeType="Integer 64" derived="YES"
                derivationExpression="trips.@count" usesScalarValueType="YES"/>
              <attribute name="home" optional="YES" attributeType="Composite" composite="Place"/>
              <relationship name="trips" optional="YES" toMany="YES" minCount="1" maxCount="5"
                deletionRule="No Action" ordered="YES" destinationEntity="Trip"
                inverseName="car" inverseEntity="Trip">
                <userInfo><entry key="a" value="&lt;b&gt;"/></userInfo>
              </relationship>
              <fetchedProperty name="recent" optional="YES">
                <fetchRequest name="fetchedPropertyFetchRequest" entity="Trip"
                  predicateString="car == $FETCH_SOURCE" fetchLimit="3"/>
              </fetchedProperty>
              <fetchIndex name="byPlate">
                <fetchIndexElement property="plate" type="Binary" order="descending"/>
                <fetchIndexElement expression="length:(plate)" type="RTree" order="ascending"/>
              </fetchIndex>
              <uniquenessConstraints>
                <uniquenessConstraint>
                  <constraint value="plate"/><constraint value="doors"/>
                </uniquenessConstraint>
              </uniquenessConstraints>
              <compoundIndexes>
                <compoundIndex><index value="plate"/><index value="built"/></compoundIndex>
              </compoundIndexes>
            </entity>
            <entity name="Taxi" parentEntity="Car" syncable="YES"/>
            <entity name="Trip" representedClassName="Trip" syncable="YES">
              <relationship name="car" maxCount="1" deletionRule="Nullify"
                destinationEntity="Car" inverseName="trips" inverseEntity="Car"/>
            </entity>
            <composite name="Place"><attribute name="city" attributeType="String"/></composite>
            <fetchRequest name="all" entity="Trip" includeSubentities="YES"/>
            <configuration name="Cloud" usedWithCloudKit="YES">
              <memberEntity name="Trip"/>
            </configuration>
            <elements>
              <element name="Trip" positionX="-9" positionY="0" width="128" height="58"/>
            </elements>
            """,
            attributes: """
                 type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
                lastSavedToolsVersion="22758" minimumToolsVersion="Automatic" \
                sourceLanguage="Swift" userDefinedModelVersionIdentifier="7"
                """)
        // Advice about an index is not a problem of the file.
        #expect(
            problems == """
                contents:27:3: warning: The index 'byPlate' is over an expression, which stores made \
                here do not have [model.index-kind]
                  in: Car
                """)
        var car = EntityDescription(
            name: "Car", isAbstract: true, managedObjectClassName: "App.Car",
            renamingIdentifier: "Auto", versionHashModifier: "2",
            extras: ["codeGenerationType": "class", "compoundIndexes": "plate,built"])
        car.ownAttributes = [
            AttributeDescription(
                name: "plate", type: .string, isOptional: false, defaultValue: .text("A"),
                preservesValueInHistoryOnDeletion: true,
                length: NumberRange(minimum: 1, maximum: 10), pattern: "[A-Z]+",
                extras: ["spotlightIndexingEnabled": "YES"]),
            AttributeDescription(
                name: "built", type: .date, defaultValue: .real(0.5),
                range: NumberRange(minimum: -10)),
            AttributeDescription(
                name: "doors", type: .integer16, isOptional: false, defaultValue: .integer(4),
                range: NumberRange(minimum: 0, maximum: 9), extras: ["indexed": "YES"]),
            AttributeDescription(
                name: "photo", type: .transformable, allowsExternalBinaryDataStorage: true,
                transformerName: "secure-archive", extras: ["customClassName": "UIImage"]),
            AttributeDescription(name: "label", type: .undefined, isTransient: true),
            AttributeDescription(
                name: "rides", type: .integer64, isOptional: false,
                derivationExpression: "trips.@count"),
            AttributeDescription(name: "home", type: .composite, compositeName: "Place"),
        ]
        car.ownRelationships = [
            RelationshipDescription(
                name: "trips", destinationEntityName: "Trip", inverseName: "car", isToMany: true,
                isOrdered: true, deleteRule: .noAction, minimumCount: 1, maximumCount: 5,
                userInfo: ["a": "<b>"])
        ]
        car.fetchedProperties = [
            FetchedPropertyDescription(
                name: "recent",
                request: FetchRequestTemplate(
                    name: "fetchedPropertyFetchRequest", entityName: "Trip",
                    predicate: "car == $FETCH_SOURCE", fetchLimit: 3))
        ]
        car.indexes = [
            FetchIndexDescription(
                name: "byPlate",
                elements: [
                    .init(propertyName: "plate", isAscending: false),
                    .init(propertyName: "length:(plate)", collation: .rTree, isExpression: true),
                ])
        ]
        car.uniquenessConstraints = [["plate", "doors"]]
        let taxi = EntityDescription(
            name: "Taxi", superentityName: "Car", managedObjectClassName: "NSManagedObject")
        var trip = EntityDescription(
            name: "Trip",
            extras: [
                "element.positionX": "-9", "element.positionY": "0", "element.width": "128",
                "element.height": "58",
            ])
        trip.ownRelationships = [
            RelationshipDescription(
                name: "car", destinationEntityName: "Car", inverseName: "trips", isOptional: false)
        ]
        let place = AttributeDescription(name: "city", type: .string, isOptional: false)
        #expect(
            try model
                == ManagedObjectModel(
                    entities: [car, taxi, trip], versionIdentifiers: ["7"],
                    configurations: ["Cloud": ["Trip"]],
                    composites: [CompositeDescription(name: "Place", attributes: [place])],
                    fetchRequestTemplates: [
                        FetchRequestTemplate(
                            name: "all", entityName: "Trip",
                            extras: ["includeSubentities": "YES"])
                    ],
                    extras: [
                        "lastSavedToolsVersion": "22758",
                        "configuration.Cloud.usedWithCloudKit": "YES",
                    ]))
        #expect(model?.entityNamesWithOwnHashes == ["Car", "Taxi"])
    }

    @Test func keepsUnusableValuesAndWarns() throws {
        let (model, problems) = read(
            """
            <entity name="A" representedClassName="A" syncable="YES">
              <attribute name="a" attributeType="Integer 16" defaultValueString="99999" usesScalarValueType="YES"/>
              <attribute name="b" optional="MAYBE" attributeType="String" maxValueString="many"/>
              <attribute name="c" optional="YES" attributeType="String" regularExpressionString="a(?=b)"/>
              <thing/>
            </entity>
            """)
        #expect(
            problems == """
                contents:3:50: warning: '99999' is not a default for Integer 16; it is kept, but not \
                used [model.default]
                  in: A.a
                contents:4:23: warning: 'optional' must be YES or NO, not 'MAYBE'; it counts as NO \
                [model.type]
                  in: A.b
                contents:4:63: warning: 'maxValueString' must be a number, not 'many'; it is not \
                enforced [model.range]
                  in: A.b
                contents:5:61: warning: The pattern is kept, but not checked: Look-ahead \
                and look-behind are not supported (column 2 of the pattern) [model.pattern]
                  in: A.c
                contents:6:3: warning: <thing> is not known here and is left out \
                [model.unknown-element]
                  in: A
                """)
        let kept = try #require(model).entities[0].ownAttributes.map(\.extras)
        #expect(
            kept == [
                ["defaultValueString": "99999"], ["maxValueString": "many"],
                [:],
            ])
    }

    @Test func warnsOfAttributesWithoutEffect() {
        let (model, problems) = read(
            """
            <entity name="A" representedClassName="A" syncable="YES">
              <attribute name="u" optional="YES" attributeType="URI" valueTransformerName="T"/>
              <attribute name="t" optional="YES" attributeType="Transformable" valueTransformerName="T"/>
              <relationship name="one" optional="YES" maxCount="1" ordered="YES" \
            deletionRule="Nullify" destinationEntity="A" inverseName="many" inverseEntity="A"/>
              <relationship name="many" optional="YES" toMany="YES" ordered="YES" \
            deletionRule="Nullify" destinationEntity="A" inverseName="one" inverseEntity="A"/>
            </entity>
            """)
        #expect(model != nil)
        #expect(
            problems == """
                contents:3:58: warning: 'valueTransformerName' has no effect on the type URI \
                [model.rule]
                  in: A.u
                  fix: remove it, or give the attribute the type Transformable
                contents:5:56: warning: 'ordered' has no effect on a relationship to one object \
                [model.rule]
                  in: A.one
                  fix: remove it, or let the relationship lead to many objects
                """)
    }

    @Test func warnsOfErrorsThatYAMLModelsReject() {
        let (model, problems) = read(
            """
            <entity name="A" syncable="YES">
              <attribute name="description" optional="YES" attributeType="String"/>
              <relationship name="bs" optional="YES" toMany="YES" deletionRule="Nullify" \
            destinationEntity="A"/>
              <fetchIndex name="i"><fetchIndexElement property="bs" type="Binary"/></fetchIndex>
            </entity>
            """)
        #expect(model != nil)
        #expect(problems.contains("contents:3:3: warning: Every object has a member 'description'"))
        #expect(problems.contains("warning: 'bs' leads to many objects and has no column"))
        #expect(!problems.contains("error:"))
    }

    @Test func reportsAllErrorsOfAModelTogether() {
        let (model, problems) = read(
            """
            <entity name="A" parentEntity="Bee">
              <attribute name="a" attributeType="Sting"/>
              <attribute name="b"/>
              <relationship name="r" maxCount="1" destinationEntity="B" inverseName="q"/>
              <relationship name="s"/>
            </entity>
            <entity name="B"/>
            <entity/>
            """)
        #expect(model == nil)
        let errors = problems.split(separator: "\n").filter { $0.contains("error:") }
        #expect(
            errors.joined(separator: "\n") == """
                contents:2:18: error: No entity is named 'Bee' [model.unknown-entity]
                contents:3:23: error: 'Sting' is not an attribute type. Did you mean 'String'? \
                [model.attribute-type]
                contents:4:3: error: 'A.b' has no type; only a transient attribute needs none \
                [model.attribute-type]
                contents:5:61: error: 'B' has no relationship 'q' [model.inverse]
                contents:6:3: error: 'A.s' has no destination [model.missing-destination]
                contents:9:1: error: An entity has no name [model.missing-name]
                """)
    }

    @Test func inheritedPropertyReplacesARedeclaredOne() throws {
        let (model, problems) = read(
            """
            <entity name="A"><attribute name="x" attributeType="String"/></entity>
            <entity name="B" parentEntity="A"><attribute name="x" attributeType="String"/></entity>
            """)
        #expect(try #require(model).entity(named: "B")?.ownAttributes == [])
        #expect(problems.contains("'B' inherits 'x' from 'A'; the one there counts"))
    }

    @Test func rejectsAnotherRootElement() {
        let (_, diagnostics) = ContentsReader.read(Array("<plist/>".utf8), file: "contents")
        #expect(
            diagnostics.map(DiagnosticRenderer.text) == [
                "contents:1:1: error: <plist> is not a model; a model file begins with <model> "
                    + "[model.root]"
            ])
    }
}
