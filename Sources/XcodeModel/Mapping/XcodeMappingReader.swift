package import Diagnostics
internal import FoundationEssentials

/// A reader of the `xcmapping.xml` in an `.xcmappingmodel` folder.
///
/// ```xml
/// <object type="XDDEVENTITYMAPPING" id="z107">
///     <attribute name="sourcename" type="string">Mood</attribute>
///     <attribute name="destinationname" type="string">Mood</attribute>
///     <relationship name="relationshipmappings" … idrefs="z105 z126"></relationship>
/// </object>
/// ```
/// Value expressions are keyed archives of `NSExpression` in Base64. The copies of both models are
/// archives of the editor's own classes. They are not read, because the bundle contains the models.
package struct XcodeMappingReader {
    /// An object of the file with its attributes and references.
    private struct Object {
        var type: String
        var attributes: [String: (text: String, element: XMLElement)] = [:]
        var references: [String: [String]] = [:]
        var element: XMLElement

        /// Returns the value of an attribute; `nil` if it is missing or empty.
        func text(_ name: String) -> String? {
            guard let text = attributes[name]?.text, !text.isEmpty else { return nil }
            return text
        }
    }

    private let file: String
    private var objects: [String: Object] = [:]
    private var order: [String] = []

    /// Reads a mapping model.
    ///
    /// - Parameter path: the folder, or the file in it.
    package static func read(_ path: String) throws(Diagnostic) -> XcodeMapping {
        let path = XcodeModelBundle.trimmed(path)
        let file =
            path.hasSuffix(XcodeMapping.suffix) ? "\(path)/\(XcodeMapping.fileName)" : path
        return try read(try XcodeModelFile.contents(of: file, code: "mapping.read"), file: file)
    }

    /// Reads the bytes of a file.
    package static func read(
        _ bytes: [UInt8], file: String
    ) throws(Diagnostic) -> XcodeMapping {
        let root: XMLElement
        do throws(XMLProblem) {
            root = try XMLReader.read(bytes)
        } catch {
            let place = SourceLocation(file: file, line: error.line, column: error.column)
            throw Diagnostic(code: "mapping.xml", error.message, at: .source(place))
        }
        return try XcodeMappingReader(root, file: file).mapping(root)
    }

    private init(_ root: XMLElement, file: String) {
        self.file = file
        for element in root.children(named: "object") {
            guard let id = element["id"] else { continue }
            var object = Object(type: element["type"]?.uppercased() ?? "", element: element)
            for child in element.children {
                guard let name = child["name"]?.lowercased() else { continue }
                if child.name == "attribute" {
                    object.attributes[name] = (child.text, child)
                } else if child.name == "relationship" {
                    object.references[name] = child["idrefs"]?.split(separator: " ")
                        .map(String.init)
                }
            }
            objects[id] = object
            order.append(id)
        }
    }

    private func place(_ element: XMLElement) -> SourceLocation {
        SourceLocation(file: file, line: element.line, column: element.column, keyPath: "")
    }

    private func mapping(_ root: XMLElement) throws(Diagnostic) -> XcodeMapping {
        guard
            let model = order.compactMap({ objects[$0] }).first(where: {
                $0.type == "XDDEVMAPPINGMODEL"
            })
        else {
            throw Diagnostic(
                code: "mapping.xml", "The file contains no mapping model", at: .source(place(root)))
        }
        // Some files store the entity mappings at only one end of the relationship.
        let named = model.references["entitymappings"] ?? []
        let ids = named.isEmpty ? order : named
        var entities: [(number: Int, entity: XcodeMapping.Entity)] = []
        for object in ids.compactMap({ objects[$0] }) where object.type == "XDDEVENTITYMAPPING" {
            entities.append((Int(object.text("mappingnumber") ?? "") ?? 0, entity(object)))
        }
        entities.sort { ($0.number, $0.entity.name) < ($1.number, $1.entity.name) }
        return XcodeMapping(
            file: file, sourceModelPath: model.text("sourcemodelpath"),
            destinationModelPath: model.text("destinationmodelpath"),
            entities: entities.map(\.entity))
    }

    private func entity(_ object: Object) -> XcodeMapping.Entity {
        let (source, destination) = (object.text("sourcename"), object.text("destinationname"))
        let both = source.flatMap { source in destination.map { "\(source)To\($0)" } }
        var entity = XcodeMapping.Entity(
            name: object.text("name") ?? both ?? destination ?? source ?? "", source: source,
            destination: destination, policyClass: object.text("migrationpolicyclassname"),
            location: place(object.element))
        entity.objects = sourceObjects(object)
        for (key, isRelationship) in [
            ("attributemappings", false), ("relationshipmappings", true),
        ] {
            for property in (object.references[key] ?? []).compactMap({ objects[$0] }) {
                guard let name = property.text("name") else { continue }
                let value = value(property)
                entity.properties.append(
                    XcodeMapping.Property(
                        name: name, isRelationship: isRelationship, value: value.value,
                        location: place(value.element)))
            }
        }
        entity.properties.sort { $0.name < $1.name }
        return entity
    }

    private func sourceObjects(_ object: Object) -> XcodeMapping.Objects {
        if let filter = object.text("sourcefilterpredicatestring") { return .matching(filter) }
        guard let written = object.text("sourceexpressiondata") else { return .all }
        guard let node = archive(written) else {
            return .untranslatable("an archive that cannot be read")
        }
        return ArchivedMappingValue.objects(node)
    }

    private func value(_ property: Object) -> (value: XcodeMapping.Value, element: XMLElement) {
        if let written = property.text("valueexpressiondata") {
            let element = property.attributes["valueexpressiondata"]?.element ?? property.element
            guard let node = archive(written) else {
                return (.untranslatable("an archive that cannot be read"), element)
            }
            return (ArchivedMappingValue.value(node), element)
        }
        let path = property.text("sourcekeypath")
        let mapping = property.text("sourcemappingname")
        guard path != nil || mapping != nil, let name = property.text("name") else {
            return (.inferred, property.element)
        }
        let element = property.attributes["sourcekeypath"]?.element ?? property.element
        let prefix = "$source"
        let keys = path.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
        return (ArchivedMappingValue.links(keys ?? name, mapping: mapping), element)
    }

    private func archive(_ base64: String) -> ArchivedNode? {
        guard let data = Data(base64Encoded: base64, options: .ignoreUnknownCharacters),
            // A value that is not an archive is treated as missing.
            let archive = try? KeyedArchive([UInt8](data))
        else { return nil }
        return archive.root
    }
}
