package import GraphModel

/// The model in `Z_MODELCACHE` of an app's store: a compressed archive of an
/// `NSManagedObjectModel`.
///
/// The contents differ between versions of the archive. Unknown keys are therefore ignored.
/// Properties without a column, or whose column is not known, are left out and listed.
package struct CachedModel: Sendable {
    /// The model that the archive describes, without the parts in `leftOut`.
    package let model: ManagedObjectModel
    /// The parts of the archive that the model omits, one sentence each.
    package let leftOut: [String]
    /// Each composite that was left out, as `Entity.attribute`.
    package let composites: [String]

    /// Reads the bytes of the column, compressed as apps write them, or uncompressed.
    package init(reading content: [UInt8]) throws(ArchiveFault) {
        let bytes: [UInt8]
        if BinaryPropertyList.isOne(content) {
            bytes = content
        } else if let inflated = Inflation.inflate(content) {
            bytes = inflated
        } else {
            throw ArchiveFault("it does not inflate")
        }
        guard let root = try KeyedArchive(bytes).root else {
            throw ArchiveFault("the archive has no root")
        }
        guard let kind = root.className, kind.hasSuffix("ManagedObjectModel") else {
            throw ArchiveFault("it holds a \(root.className ?? "value"), and no model")
        }
        var reader = CachedModelReader()
        model = try reader.model(root)
        leftOut = reader.leftOut
        composites = reader.composites
    }
}
