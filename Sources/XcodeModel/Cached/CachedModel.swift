package import GraphModel

/// The model that an app's store carries in `Z_MODELCACHE`: an archived `NSManagedObjectModel`,
/// deflated.
///
/// Versions of the archive differ in what they hold, so that keys nobody knows are passed over, and
/// properties of kinds that have no column, or no known one, are left out and named.
package struct CachedModel: Sendable {
    package let model: ManagedObjectModel
    /// What the archive says that the model does not, a sentence each.
    package let leftOut: [String]
    /// `Entity.attribute` of each composite that was left out.
    package let composites: [String]

    /// Reads the column's bytes: deflated, as apps write them, or not.
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
