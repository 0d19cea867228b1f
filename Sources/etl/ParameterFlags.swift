import ArgumentParser

/// What the values of `--set` have in common.
enum ParameterFlags {
    /// - Throws: an error of usage where one of them is not `name=value`.
    static func validate(_ sets: [String]) throws {
        for set in sets where set.firstIndex(of: "=").map({ $0 == set.startIndex }) ?? true {
            throw ValidationError("--set needs name=value, not '\(set)'")
        }
    }
}
