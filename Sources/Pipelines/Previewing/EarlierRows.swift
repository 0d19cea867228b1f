import GraphModel
import GraphStore

/// The rows that earlier imports create from their first records, without relationships.
///
/// It detects conflicts of a row with earlier rows: a unique value that is taken, or a key that an
/// object of another entity has. The rows are written to an in-memory store whose model has no
/// relationships. So the store contains only values of the records, whichever objects their links
/// refer to. A reject is valid on the condition that these records insert new objects as shown.
struct EarlierRows {
    private let model: ManagedObjectModel
    private let context: ManagedObjectContext
    private let rowsMax: Int
    /// The root entities of the imports before this one.
    private var roots: Set<String> = []
    /// The writer for the rows of the current import; `nil` if the maximum number of rows is
    /// reached.
    private var writer: BulkWriter?
    private var width = 0
    private var isConcerned = false
    private var rowCount = 0
    private var byteCount = 0

    /// Creates an empty store in memory for the rows.
    ///
    /// - Parameter rowsMax: the maximum number of rows to keep.
    init(_ model: ManagedObjectModel, rowsMax: Int) throws {
        self.model = model
        self.rowsMax = rowsMax
        context = try PersistentContainer.ephemeral(model: model.attributesAlone).newContext()
    }

    private var isFull: Bool { rowCount >= rowsMax || byteCount >= RowTrial.bytesMax }

    /// Begins the rows of another import.
    mutating func begin(_ plan: BulkPlan) throws {
        var plan = plan
        plan.links = []
        // The objects of the real store are not here.
        plan.absent = .create
        width = plan.width
        writer = isFull ? nil : try context.bulkWriter(for: plan)
        isConcerned = !roots.insert(model.rootName(of: plan.entity)).inserted
    }

    /// Writes rows of the import.
    ///
    /// - Parameter refused: the rows that the import's own trial rejects, which create no objects.
    /// - Returns: the rows with conflicts, each with the reason.
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
    /// The model without relationships and without attributes that can depend on them: derived
    /// attributes are plain and not unique.
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
