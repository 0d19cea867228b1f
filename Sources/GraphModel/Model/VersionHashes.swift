internal import Digests
internal import FoundationEssentials

/// Core Data's version hashes, style 3: two models with equal hashes can open the same store.
///
/// The layout was derived from public stores (see the store format's notes); `|` joins bytes:
/// ```
/// base         = SHA256( name | optional | 00 | hash modifier )
/// attribute    = SHA256( base | type as int32 | 01 if preserved on delete | 01 if external )
/// relationship = SHA256( base | destination | inverse | max | min | 01 00 if ordered )
/// entity       = SHA256( name | abstract | parent's hash | property hashes by name
///                      | hash modifier | each constraint, its names joined by "." )
/// ```
/// A relationship that is its own inverse is hashed without an inverse. Transient properties,
/// defaults, rules, delete rules, indexes, and class names are not part of the hash.
///
/// How Core Data hashes derived and composite attributes is not known. For these, the hashes here
/// distinguish only models of this library: the hash of a composite attribute ends with the hashes
/// of its elements, sorted by name. They cannot be compared with those in an app's store: see
/// `entityNamesWithOwnHashes`.
extension ManagedObjectModel {
    /// The 32-byte hash of each entity (`NSStoreModelVersionHashes`).
    public var versionHashes: [String: [UInt8]] {
        var hashes: [String: [UInt8]] = [:]
        // Parents precede their children.
        for entity in entities {
            hashes[entity.name] = hash(
                entity, parentHash: entity.superentityName.flatMap { hashes[$0] })
        }
        return hashes
    }

    /// Base64 of SHA-512 over names and hashes (`NSStoreModelVersionHashesDigest`).
    public var versionHashesDigest: String { Self.digest(of: versionHashes) }

    /// Base64 of SHA-256 over the hashes (`NSStoreModelVersionChecksumKey`).
    public var versionChecksum: String { Self.checksum(of: versionHashes) }

    /// Returns the digest of hashes from any source.
    package static func digest(of hashes: [String: [UInt8]]) -> String {
        var bytes: [UInt8] = []
        for (name, hash) in sorted(hashes) { bytes += Array(name.utf8) + hash }
        return Data(ByteDigest.of(bytes, .sha512)).base64EncodedString()
    }

    /// Returns the checksum of hashes from any source.
    package static func checksum(of hashes: [String: [UInt8]]) -> String {
        Data(ByteDigest.of(sorted(hashes).flatMap(\.hash))).base64EncodedString()
    }

    /// The entities whose hashes cannot be compared with those in an app's store.
    ///
    /// They have or inherit a derived or composite attribute. The order is that of the model.
    public var entityNamesWithOwnHashes: [String] {
        entities.map(\.name).filter { name in
            lineage(of: name).flatMap(\.ownAttributes).contains { attribute in
                guard !attribute.isTransient else { return false }
                return attribute.derivationExpression != nil || attribute.type == .composite
                    || attribute.extras["derived"] == "YES"
            }
        }
    }

    /// The paths `Entity.attribute` of all stored composites, in the order of the model.
    ///
    /// Where an app's store keeps their elements is not known.
    package var storedComposites: [String] {
        entities.flatMap { entity in
            entity.ownAttributes.filter { $0.type == .composite && !$0.isTransient }
                .map { "\(entity.name).\($0.name)" }
        }
    }

    private static func sorted(
        _ hashes: [String: [UInt8]]
    ) -> [(name: String, hash: [UInt8])] {
        hashes.map { (name: $0.key, hash: $0.value) }.sorted { precedes($0.name, $1.name) }
    }

    /// Returns whether the first name precedes the second by code point, regardless of the locale.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    private func hash(_ entity: EntityDescription, parentHash: [UInt8]?) -> [UInt8] {
        var properties: [(name: String, hash: [UInt8])] = []
        for owner in lineage(of: entity.name) {
            for attribute in owner.ownAttributes where !attribute.isTransient {
                properties.append((attribute.name, hash(attribute)))
            }
            for relationship in owner.ownRelationships where !relationship.isTransient {
                properties.append((relationship.name, Self.hash(relationship, of: owner.name)))
            }
        }
        properties.sort { Self.precedes($0.name, $1.name) }
        var bytes = Array(entity.name.utf8)
        bytes.append(entity.isAbstract ? 1 : 0)
        bytes += parentHash ?? []
        bytes += properties.flatMap(\.hash)
        bytes += Array((entity.versionHashModifier ?? "").utf8)
        for constraint in entity.uniquenessConstraints {
            bytes += Array(constraint.joined(separator: ".").utf8)
        }
        return ByteDigest.of(bytes)
    }

    private func hash(_ attribute: AttributeDescription) -> [UInt8] {
        var bytes = Self.base(attribute.name, attribute.isOptional, attribute.versionHashModifier)
        bytes += Self.littleEndian(attribute.type.code)
        if attribute.preservesValueInHistoryOnDeletion { bytes.append(1) }
        if attribute.allowsExternalBinaryDataStorage { bytes.append(1) }
        bytes += Array((attribute.derivationExpression ?? "").utf8)
        // The composite's name does not affect the store. The model has checked that no composite
        // contains itself.
        let elements = attribute.compositeName.flatMap { composite(named: $0) }?.attributes ?? []
        for element in elements.sorted(by: { Self.precedes($0.name, $1.name) })
        where !element.isTransient {
            bytes += hash(element)
        }
        return ByteDigest.of(bytes)
    }

    private static func hash(_ relationship: RelationshipDescription, of owner: String) -> [UInt8] {
        let isOwnInverse =
            relationship.inverseName == relationship.name
            && relationship.destinationEntityName == owner
        let inverse = isOwnInverse ? "" : relationship.inverseName ?? ""
        var bytes = base(
            relationship.name, relationship.isOptional, relationship.versionHashModifier)
        bytes += Array(relationship.destinationEntityName.utf8) + Array(inverse.utf8)
        bytes += littleEndian(Int32(clamping: relationship.maximumCount))
        bytes += littleEndian(Int32(clamping: relationship.minimumCount))
        if relationship.isOrdered { bytes += [1, 0] }
        return ByteDigest.of(bytes)
    }

    private static func base(_ name: String, _ isOptional: Bool, _ modifier: String?) -> [UInt8] {
        let bytes = Array(name.utf8) + [isOptional ? 1 : 0, 0] + Array((modifier ?? "").utf8)
        return ByteDigest.of(bytes)
    }

    private static func littleEndian(_ number: Int32) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
