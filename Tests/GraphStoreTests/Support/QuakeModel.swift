import GraphModel
import Testing

/// Earthquakes, with nested composites, in the format of a model file.
let quakeModel = """
    model: 1
    composites:
      Scale:
        attributes:
          richter: Double
          agency: { type: String, optional: false }
      Magnitude:
        attributes:
          first: { type: Composite, composite: Scale }
          last: { type: Composite, composite: Scale }
          felt: { type: Boolean, default: false }
      Place:
        attributes: { latitude: { type: Double, optional: false }, longitude: Double }
    entities:
      Region:
        attributes:
          name: { type: String, optional: false }
          center: { type: Composite, composite: Place }
        relationships: { quakes: { to: Quake, many: true, inverse: region } }
        unique: [[name]]
      Quake:
        attributes:
          code: { type: String, optional: false }
          magnitude: { type: Composite, composite: Magnitude }
          epicenter: { type: Composite, composite: Place, optional: false }
        relationships: { region: { to: Region, inverse: quakes } }
        unique: [[code], [epicenter.latitude, epicenter.longitude]]
        indexes:
          byRichter: [magnitude.first.richter desc, code]
          byFelt: { properties: [code], where: "magnitude.felt == YES" }
    """

/// Returns the model of a complete model file.
func wholeModel(_ text: String) throws -> ManagedObjectModel {
    let (model, diagnostics) = ModelFile.read(text: text)
    return try #require(model, "\(diagnostics)")
}
