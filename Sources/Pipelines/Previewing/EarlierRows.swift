import GraphModel
import GraphStore

/// What the imports before one make of their first records, as far as attributes tell.
///
/// It shows what a row finds taken: a value that must be unique, or its key by an object of another
/// entity. The rows are written to a store in memory of a model without relationships. So nothing
/// stands there but what records say of themselves, whatever objects their links may find; and a
/// refusal holds under the condition that these records make new objects as they are shown.
struct EarlierRows {
    private let model: ManagedObjectModel
    private let context: ManagedObjectContext
    private let rowsMax: Int
    /// The roots of the entities that imports before this one are of.
    private var roots: Set<String> = []
    /// What writes the rows of this import; nil where there is no room for more.
    private var writer: BulkWriter?
    private var width = 0
    private var isConcerned = false
    private var rowCount = 0
    private var byteCount = 0

    /// - Parameter rowsMax: of so many rows it takes no more.
    init(_ model: ManagedObjectModel, rowsMax: Int) throws {
        self.model = model
        self.rowsMax = rowsMax
        context = try PersistentContainer.ephemeral(model: model.attributesAlone).newContext()
    }

    private var isFull: Bool { rowCount >= rowsMax || byteCount >= RowTrial.bytesMax }

    /// Begins with the rows of another import.
    mutating func begin(_ plan: BulkPlan) throws {
        var plan = plan
        plan.links = []
        width = plan.width
        writer = isFull ? nil : try context.bulkWriter(for: plan)
        isConcerned = !roots.insert(model.rootName(of: plan.entity)).inserted
    }

    /// Writes rows of the import.
    ///
    /// - Parameter refused: the rows that the import's own trial refuses, which make no new objects.
    /// - Returns: those that find something taken, each with the reason.
    mutating func apply(
        _ rows: RowBatch, without refused: [Int: BulkReject]
    ) throws -> [Int: BulkReject] {
        guard let writer else { return [:] }
        let own = RowBatch(width: width)
        var places: [Int] = []
        for row in 0..<rows.count where refused[row] == nil {
            let copy = own.addRow()
            for column in 0..<width { own[copy, column] = rows[row, column] }
            places.append(row)
        }
        try writer.apply(own, firstToken: 0)
        try writer.finish()
        let rejects = writer.takeRejects()
        try context.save()
        rowCount += own.count
        byteCount += RowTrial.byteCount(own)
        if isFull { self.writer = nil }
        guard isConcerned else { return [:] }
        let taken = rejects.filter { ["unique", "found"].contains($0.code) }
        return Dictionary(
            taken.map { (places[Int($0.token)], $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension ManagedObjectModel {
    /// The model without relationships, and without what may speak of them: what is derived is
    /// plain, and need not be unique.
    fileprivate var attributesAlone: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(
                entities: entities.map { entity in
                    EntityDescription(
                        name: entity.name, superentityName: entity.superentityName,
                        isAbstract: entity.isAbstract,
                        ownAttributes: entity.ownAttributes.map { attribute in
                            var attribute = attribute
                            attribute.derivationExpression = nil
                            return attribute
                        },
                        uniquenessConstraints: entity.uniquenessConstraints.filter { names in
                            names.allSatisfy {
                                attribute($0, of: entity.name)?.derivationExpression == nil
                            }
                        })
                }, composites: composites)
        }
    }
}
