import Foundation
import GraphModel
import Testing

/// The Swift code in articles equals code that is compiled and run in the files next to this one.
@Suite("Articles") struct ArticleTests {
    private static let articles = ExampleFolder.root + "/Sources/GraphStore/GraphStore.docc"
    private static let samples = ExampleFolder.root + "/Tests/TypedClassesTests/Articles"

    private static func texts(in folder: String, ending: String) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(ending) }
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8))
            })
    }

    /// Returns lines without the indentation of the first one.
    private static func unindented(_ lines: ArraySlice<Substring>) -> [Substring] {
        let indentation = lines.first?.prefix { $0 == " " } ?? ""
        return lines.map {
            $0.hasPrefix(indentation) ? $0.dropFirst(indentation.count) : $0
        }
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Returns the samples of all articles, as lines, each with its article.
    private static func allSamples() throws -> [(article: String, lines: [Substring])] {
        var samples: [(String, [Substring])] = []
        for (name, text) in try texts(in: articles, ending: ".md") {
            for block in text.components(separatedBy: "```swift\n").dropFirst() {
                samples.append((name, lines(block.components(separatedBy: "\n```")[0])))
            }
        }
        return samples
    }

    /// Returns the positions of a sample in a file.
    private static func positions(of sample: [Substring], in lines: [Substring]) -> [Int] {
        lines.indices.filter { start in
            start + sample.count <= lines.count
                && unindented(lines[start..<start + sample.count]) == sample
        }
    }

    /// Returns the lines that open the blocks around a line, innermost first.
    private static func openings(around position: Int, in lines: [Substring]) -> [Substring] {
        var indentation = lines[position].prefix { $0 == " " }.count
        var found: [Substring] = []
        for line in lines[..<position].reversed() where !line.isEmpty {
            let own = line.prefix { $0 == " " }.count
            guard own < indentation else { continue }
            indentation = own
            found.append(line)
        }
        return found
    }

    @Test func everySampleIsCompiledAndRun() throws {
        let compiled = try Self.texts(in: Self.samples, ending: "Samples.swift").values
            .map(Self.lines)
        let samples = try Self.allSamples()
        for sample in samples {
            let isThere = compiled.contains { !Self.positions(of: sample.lines, in: $0).isEmpty }
            #expect(isThere, "\(sample.article): \(sample.lines[0])")
        }
        #expect(samples.count >= 90)
    }

    @Test func everySampleWithAContextIsCompiledInTheBackground() throws {
        let compiled = try Self.texts(in: Self.samples, ending: "Samples.swift").values
            .map(Self.lines)
        // These samples make their own context, or get it as a parameter.
        let own = ["newContext()", "context in", "context: ManagedObjectContext", "_ context"]
        var count = 0
        for sample in try Self.allSamples() {
            let text = sample.lines.joined(separator: "\n")
            guard text.contains(#/\bcontext\b/#), !own.contains(where: text.contains) else {
                continue
            }
            let isThere = compiled.contains { lines in
                Self.positions(of: sample.lines, in: lines).contains {
                    Self.openings(around: $0, in: lines)
                        .contains { $0.contains("background { context in") }
                }
            }
            #expect(isThere, "\(sample.article): \(sample.lines[0])")
            count += 1
        }
        #expect(count >= 7)
    }

    @Test func everySampleImportsGraphStoreAlone() throws {
        let files = try Self.texts(in: Self.samples, ending: "Samples.swift")
        #expect(files.count >= 10)
        for (name, text) in files {
            let modules = text.matches(of: #/import (\w+)/#).map { $0.1 }
            #expect(modules.contains("GraphStore"), "\(name)")
            for module in ["GraphModel", "XcodeModel", "SQLite"] {
                #expect(!modules.contains(Substring(module)), "\(name): \(module)")
            }
        }
    }

    @Test func everyArticleIsOnTheFirstPage() throws {
        let texts = try Self.texts(in: Self.articles, ending: ".md")
        let first = try #require(texts["GraphStore.md"])
        for name in texts.keys where !Self.modules.contains(String(name.dropLast(3))) {
            #expect(first.contains("<doc:\(name.dropLast(3))>"), "\(name)")
        }
    }

    @Test func everyPublicTypeIsOnTheFirstPageOfItsModule() throws {
        let texts = try Self.texts(in: Self.articles, ending: ".md")
        let type =
            #/^(?:public|open) (?:final |indirect )*(?:class|struct|enum|protocol|actor) (\w+)/#
            .anchorsMatchLineEndings()
        for module in Self.modules {
            let page = try #require(texts["\(module).md"])
            // GraphStore exports the types of RowStore.
            let exported = module == "GraphStore" ? try Self.sources(of: "RowStore") : []
            for text in try Self.sources(of: module) + exported {
                for match in text.matches(of: type) {
                    #expect(page.contains("- ``\(match.1)``"), "\(match.1)")
                }
            }
        }
    }

    @Test func everyArticleIsShort() throws {
        let long = Set(Self.modules + ["MigratingFromCoreData"]).map { "\($0).md" }
        for (name, text) in try Self.texts(in: Self.articles, ending: ".md")
        where !long.contains(name) {
            let words = text.split(whereSeparator: \.isWhitespace).count
            #expect((300...700).contains(words), "\(name): \(words) words")
        }
    }

    @Test func everyClassOfCoreDataHasARow() throws {
        let article = try #require(
            try Self.texts(in: Self.articles, ending: ".md")["MigratingFromCoreData.md"])
        for name in Self.classesOfCoreData {
            let word = try Regex("`[^`]*\\bNS\(name)\\b").wordBoundaryKind(.simple)
            #expect(article.firstMatch(of: word) != nil, "NS\(name)")
        }
    }

    @Test func everyCommonMethodOfCoreDataHasARow() throws {
        let article = try #require(
            try Self.texts(in: Self.articles, ending: ".md")["MigratingFromCoreData.md"])
        var names: Set<Substring> = []
        for row in article.split(separator: "\n") where row.hasPrefix("| ") {
            for code in row.split(separator: "|")[0].matches(of: #/`([^`]+)`/#) {
                for word in code.1.matches(of: #/[A-Za-z]+/#) { names.insert(word.0) }
            }
        }
        for name in Self.methodsOfCoreData {
            #expect(names.contains(Substring(name)), "\(name)")
        }
    }

    private static let modules = ["GraphStore", "GraphModel"]

    private static func sources(of module: String) throws -> [String] {
        let folder = "\(ExampleFolder.root)/Sources/\(module)"
        var texts: [String] = []
        let found = FileManager.default.enumerator(atPath: folder)
        for case let file as String in found ?? .init() where file.hasSuffix(".swift") {
            texts.append(try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8))
        }
        return texts
    }

    /// Each name in the table's column "here" is declared in the sources.
    @Test func tableOfCallsNamesWhatIsThere() throws {
        let article = try #require(
            try Self.texts(in: Self.articles, ending: ".md")["MigratingFromCoreData.md"])
        var declared: Set<Substring> = []
        for module in ["GraphModel", "GraphStore", "RowStore", "XcodeModel"] {
            for text in try Self.sources(of: module) {
                for match in text.matches(
                    of: #/(?:var|let|func|class|struct|enum|protocol|actor|case) `?(\w+)/#)
                {
                    declared.insert(match.1)
                }
                for match in text.matches(of: #/(\w+)(?: \w+)?:/#) { declared.insert(match.1) }
            }
        }
        let rows = article.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count > 50)
        for row in rows {
            let ours = row.split(separator: "|")[1]
            for code in ours.matches(of: #/`([^`]+)`/#) where !code.1.contains("--") {
                for word in code.1.matches(of: #/[A-Za-z_]\w{4,}/#) {
                    #expect(
                        declared.contains(word.0) || Self.notDeclared.contains(word.0),
                        "\(word.0) in \(ours)")
                }
            }
        }
    }

    /// Words of examples in the table, which are not declared.
    private static let notDeclared: Set<Substring> = [
        "addToTasks", "insertIntoSubtasks", "swift", "title", "GRAPHSTORE_SQL_DEBUG",
        "GRAPHSTORE_CONCURRENCY_DEBUG", "alike", "byDate", "dueOn", "tasks", "XcodeModel",
    ]

    /// The public classes of Core Data, without `NS`; the classes of CloudKit share one row.
    private static let classesOfCoreData = """
        AsynchronousFetchRequest AsynchronousFetchResult AtomicStore AtomicStoreCacheNode
        AttributeDescription BatchDeleteRequest BatchDeleteResult BatchInsertRequest
        BatchInsertResult BatchUpdateRequest BatchUpdateResult CompositeAttributeDescription
        ConstraintConflict CoreDataCoreSpotlightDelegate CustomMigrationStage
        DerivedAttributeDescription EntityDescription EntityMapping EntityMigrationPolicy
        ExpressionDescription FetchIndexDescription FetchIndexElementDescription FetchRequest
        FetchRequestExpression FetchedPropertyDescription FetchedResultsController
        FetchedResultsControllerDelegate FetchedResultsSectionInfo IncrementalStore
        IncrementalStoreNode LightweightMigrationStage ManagedObject ManagedObjectContext
        ManagedObjectID ManagedObjectModel ManagedObjectModelReference MappingModel MergeConflict
        MergePolicy MigrationManager MigrationStage PersistentCloudKitContainer
        PersistentContainer PersistentHistoryChange PersistentHistoryChangeRequest
        PersistentHistoryResult PersistentHistoryToken PersistentHistoryTransaction
        PersistentStore PersistentStoreAsynchronousResult PersistentStoreCoordinator
        PersistentStoreDescription PersistentStoreRequest PersistentStoreResult
        PropertyDescription PropertyMapping QueryGenerationToken RelationshipDescription
        SaveChangesRequest SecureUnarchiveFromDataTransformer StagedMigrationManager
        """.split(whereSeparator: \.isWhitespace)

    /// The common methods and properties of Core Data's classes, by class in the order of their use.
    private static let methodsOfCoreData = """
        mergedModel entitiesByName entities configurations fetchRequestTemplate versionIdentifiers
        entityVersionHashesByName isConfiguration setEntities managedObjectClassName isAbstract
        superentity subentities attributesByName relationshipsByName propertiesByName isKindOf
        relationships indexes uniquenessConstraints versionHash renamingIdentifier userInfo
        isOptional isTransient validationPredicates attributeType defaultValue
        allowsExternalBinaryDataStorage deleteRule isToMany isOrdered minCount maxCount
        destinationEntity inverseRelationship
        loadPersistentStores persistentStoreDescriptions viewContext newBackgroundContext
        performBackgroundTask defaultDirectoryURL managedObjectModel persistentStoreCoordinator
        persistentStores addPersistentStore remove url setURL metadata setMetadata
        managedObjectID destroyPersistentStore replacePersistentStore migratePersistentStore
        setOption isReadOnly timeout shouldMigrateStoreAutomatically
        shouldInferMappingModelAutomatically shouldAddStoreAsynchronously identifier
        perform performAndWait parent insert delete assign save hasChanges insertedObjects
        updatedObjects deletedObjects registeredObjects rollback reset refresh refreshAllObjects
        object existingObject registeredObject obtainPermanentIDs fetch count execute
        processPendingChanges detectConflicts mergePolicy automaticallyMergesChangesFromParent
        mergeChanges setQueryGenerationFrom queryGenerationToken undoManager undo redo
        shouldDeleteInaccessibleFaults retainsRegisteredObjects name transactionAuthor
        stalenessInterval propagatesDeletesAtEndOfEvent concurrencyType
        insertNewObject entity objectID managedObjectContext isInserted isUpdated isDeleted isFault
        faultingState hasPersistentChangedValues hasFault objectIDs value setValue
        setValuesForKeys dictionaryWithValues primitiveValue setPrimitiveValue willAccessValue
        willChangeValue changedValues committedValues changedValuesForCurrentEvent awakeFromInsert
        awakeFromFetch awake willSave didSave prepareForDeletion willTurnIntoFault
        didTurnIntoFault validateForInsert validateForUpdate validateForDelete validateValue
        mutableSetValue mutableOrderedSetValue uriRepresentation isTemporaryID
        predicate sortDescriptors fetchLimit fetchOffset fetchBatchSize returnsObjectsAsFaults
        includesPropertyValues includesSubentities includesPendingChanges
        shouldRefreshRefetchedObjects relationshipKeyPathsForPrefetching propertiesToFetch
        propertiesToGroupBy havingPredicate returnsDistinctResults resultType affectedStores
        performFetch fetchedObjects sections indexPath sectionNameKeyPath sectionIndexTitles
        cacheName deleteCache objectsToInsert dictionaryHandler managedObjectHandler
        propertiesToUpdate fetchRequest result
        fetchHistory deleteHistory currentPersistentHistoryToken timestamp author contextName
        bundleID processID changes changeType changedObjectID updatedProperties tombstone
        resolve sourceObject objectSnapshot persistedSnapshot cachedSnapshot oldVersionNumber
        newVersionNumber constraint conflictingObjects databaseObject
        migrateStore inferredMappingModel entityMappings attributeMappings relationshipMappings
        begin end createDestinationInstances createRelationships performCustomValidation associate
        sourceModel destinationModel migrationProgress cancelMigrationWithError
        """.split(whereSeparator: \.isWhitespace)
}
