import GraphModel
import SQLite

/// The aggregate functions for `@sum` and `@avg`, with the results of the evaluator.
///
/// SQLite's functions add doubles in the order of the rows, which changes the last bits of a sum.
/// They also fail if a partial sum of integers overflows.
enum NumberAggregates {
    /// The prefix of the function names.
    static let prefix = "etl_number_"
    static let sum = prefix + "sum"
    static let average = prefix + "avg"

    static func register(on connection: Connection) throws(StoreError) {
        try connection.register(aggregate: sum, Sum.self)
        try connection.register(aggregate: average, Average.self)
    }

    private class Function: AggregateFunction {
        private var aggregate: Aggregate

        init(_ op: CollectionOperator) {
            aggregate = Aggregate(op)
        }

        required convenience init() {
            self.init(.sum)
        }

        func add(_ call: FunctionCall) throws(FunctionError) {
            do throws(EvaluationError) {
                switch call.storage(0) {
                case .integer: try aggregate.add(.integer(call.integer(0)))
                case .real: try aggregate.add(.double(call.double(0)))
                // Strings here are always exact decimals.
                case .text: try aggregate.add(.decimal(call.bytes(0)))
                case .null, .blob: break
                }
            } catch {
                throw FunctionError(error.description)
            }
        }

        func finish(_ call: FunctionCall) throws(FunctionError) {
            do throws(EvaluationError) {
                switch try aggregate.value() {
                case .integer(let number): call.setResult(number)
                case .double(let number): call.setResult(number)
                default: break
                }
            } catch {
                throw FunctionError(error.description)
            }
        }
    }

    private final class Sum: Function {}

    private final class Average: Function {
        required convenience init() {
            self.init(.average)
        }
    }
}
