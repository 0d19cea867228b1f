import GraphModel
import SQLite

/// `@sum` and `@avg` as the evaluator has them, as aggregate functions.
///
/// SQLite's own add in the order in which rows happen to come, which changes the last bits of a
/// sum of doubles, and stop where a part of a sum of integers does not fit.
enum NumberAggregates {
    /// How their names begin.
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
                // Only decimals with all their digits stand as texts where numbers are added.
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
