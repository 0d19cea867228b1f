// Every program that uses a store needs models, predicates, and values, so `import GraphStore`
// includes them.
@_exported public import GraphModel
// The descriptions of stores, the values of requests, and the migration of files are public types
// of this library. A program need not know their target.
@_exported public import RowStore
