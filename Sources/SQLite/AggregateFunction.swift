package import GraphModel
internal import CSQLite

/// The state of an aggregate function in Swift for one group.
package protocol AggregateFunction: AnyObject {
    /// Creates the state before the first row.
    init()

    /// Adds the arguments of one row.
    func add(_ call: FunctionCall) throws(FunctionError)

    /// Sets the group's result.
    func finish(_ call: FunctionCall) throws(FunctionError)
}

/// A factory for the states of one aggregate function; SQLite holds its address.
private final class AggregateBox {
    let make: () -> any AggregateFunction

    init(_ make: @escaping () -> any AggregateFunction) {
        self.make = make
    }

    static func of(_ context: OpaquePointer?) -> AggregateBox? {
        sqlite3_user_data(context).map {
            Unmanaged<AggregateBox>.fromOpaque($0).takeUnretainedValue()
        }
    }
}

/// A group's state, whose address is stored in the aggregate context of SQLite.
private final class GroupBox {
    let state: any AggregateFunction

    init(_ state: any AggregateFunction) {
        self.state = state
    }
}

extension Connection {
    /// Registers an aggregate function of one argument; another call has no effect.
    package func register(
        aggregate name: String, _ type: any AggregateFunction.Type
    ) throws(StoreError) {
        guard registered.insert(name).inserted else { return }
        let box = Unmanaged.passRetained(AggregateBox { type.init() })
        // SQLite calls the destructor even if this call fails.
        let result = sqlite3_create_function_v2(
            handle, name, 1, SQLITE_UTF8, box.toOpaque(), nil,
            { context, count, values in
                let place = sqlite3_aggregate_context(
                    context, Int32(MemoryLayout<UnsafeMutableRawPointer?>.size))
                guard let place, let functions = AggregateBox.of(context) else {
                    sqlite3_result_error_nomem(context)
                    return
                }
                let group = place.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
                let known =
                    group.pointee
                    ?? {
                        let made = Unmanaged.passRetained(GroupBox(functions.make())).toOpaque()
                        group.pointee = made
                        return made
                    }()
                let state = Unmanaged<GroupBox>.fromOpaque(known).takeUnretainedValue().state
                let call = FunctionCall(context, values)
                do throws(FunctionError) {
                    try state.add(call)
                } catch {
                    call.fail(error)
                }
            },
            { context in
                // A group without rows has no state yet.
                let place = sqlite3_aggregate_context(context, 0)
                let kept = place?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee
                let group = kept.map { Unmanaged<GroupBox>.fromOpaque($0).takeRetainedValue() }
                guard let state = group?.state ?? AggregateBox.of(context)?.make() else { return }
                let call = FunctionCall(context, nil)
                do throws(FunctionError) {
                    try state.finish(call)
                } catch {
                    call.fail(error)
                }
            },
            { box in
                if let box { Unmanaged<AggregateBox>.fromOpaque(box).release() }
            })
        guard result == SQLITE_OK else { throw error(result, sql: nil) }
    }
}
