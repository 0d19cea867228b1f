/// The faults of a row: the first ones, and the number of the others.
///
/// A row can have any number of links, each with its own fault, so not all faults are kept.
struct FaultList: Sendable, Hashable {
    private static let listedMax = BulkReject.faultsMax - 1
    private static let hiddenMax = 10_000

    /// The first faults.
    private(set) var listed: [BulkReject.Other] = []
    /// The hashes of the faults that are not listed, so that each counts once.
    private var hidden: Set<Int> = []

    /// Adds a fault.
    mutating func add(_ fault: BulkReject.Other) {
        guard listed.count >= Self.listedMax else { return listed.append(fault) }
        guard hidden.count < Self.hiddenMax, !listed.contains(where: fault.isSame) else { return }
        hidden.insert(fault.identity)
    }

    /// Adds the faults of another list that are neither listed nor the first fault of the row.
    mutating func add(_ other: FaultList, besides first: BulkReject.Other) {
        for fault in other.listed where !fault.isSame(as: first) && !contains(fault) { add(fault) }
        let known = Set((listed + [first]).map(\.identity))
        hidden.formUnion(other.hidden.subtracting(known).prefix(Self.hiddenMax - hidden.count))
    }

    /// Returns whether the fault is in the list, even if another step found it.
    func contains(_ fault: BulkReject.Other) -> Bool {
        listed.contains(where: fault.isSame) || hidden.contains(fault.identity)
    }

    /// The listed faults, and a line about the others.
    var shown: [BulkReject.Other] {
        guard let last = listed.last, !hidden.isEmpty else { return listed }
        let isMinimum = hidden.count == Self.hiddenMax
        return listed + [
            BulkReject.Other(
                code: last.code, property: nil, value: nil,
                message: (isMinimum ? "At least " : "") + BulkReject.notListed(hidden.count))
        ]
    }
}

extension BulkReject {
    /// The maximum number of listed faults of a record.
    package static let faultsMax = 100

    /// Returns the line about the faults of a record that are not listed.
    package static func notListed(_ count: Int) -> String {
        count.counting("more fault is not listed", "more faults are not listed")
    }

    /// The first fault.
    var firstFault: Other {
        Other(code: code, property: property, value: value, message: message)
    }
}

extension BulkReject.Other {
    /// Returns whether another fault has the same code, property, and message, even if another step
    /// found it.
    func isSame(as other: BulkReject.Other) -> Bool {
        code == other.code && property == other.property && message == other.message
    }

    /// A hash of the parts that `isSame` compares.
    fileprivate var identity: Int {
        var hasher = Hasher()
        hasher.combine(code)
        hasher.combine(property)
        hasher.combine(message)
        return hasher.finalize()
    }
}
