public import GraphModel

/// A class of objects with a request for its objects and an identity.
///
/// A class may declare its own property `id`; `objectID` still identifies the object.
public protocol GraphObject: Identifiable where ID == ManagedObjectID {}

extension ManagedObject: GraphObject {}

extension GraphObject where Self: ManagedObject {
    /// The object's ID.
    public var id: ManagedObjectID { objectID }

    /// A request for all objects of the class's entity: `Task.request.where(\.title == "x")`.
    public static var request: FetchRequest<Self> { FetchRequest<Self>() }
}
