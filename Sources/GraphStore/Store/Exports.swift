// Models, predicates, and values are part of every program that uses a store: `import GraphStore` is
// enough for them.
@_exported public import GraphModel
