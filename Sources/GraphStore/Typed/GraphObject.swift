public import GraphModel

/// What every class of objects has by itself: a request for its objects, and an identity.
///
/// A class of its own may have a property `id`: what identifies the object for others is
/// `objectID` all the same.
public protocol GraphObject: Identifiable where ID == ManagedObjectID {}

extension ManagedObject: GraphObject {}

extension GraphObject where Self: ManagedObject {
    /// The object's ID.
    public var id: ManagedObjectID { objectID }

    /// A request for all objects of the class's entity: `Task.request.where(\.title == "x")`.
    public static var request: FetchRequest<Self> { FetchRequest<Self>() }
}
