/// A value of a Transformable attribute, which the model names.
struct Spot: Codable, Equatable {
    var x: Int
    var y: Int
}
