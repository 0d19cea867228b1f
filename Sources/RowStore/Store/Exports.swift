// Every file of this target uses models, values, and errors.
@_exported public import GraphModel
