// Every program that uses a store needs models, predicates, and values, so `import GraphStore`
// includes them.
@_exported public import GraphModel
