/// Key paths as text, such as `region.magnitude.richter`.
extension String {
    /// The keys, split at the dots.
    package var keyPath: [String] {
        split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// Returns whether this path is an element of the composite at a path, at any depth.
    package func isElement(of composite: String) -> Bool { hasPrefix("\(composite).") }

    /// The paths of the composites that contain the element at this path, outermost first.
    ///
    /// For `magnitude.first.richter`, they are `magnitude` and `magnitude.first`.
    package var compositesAround: [String] {
        indices.filter { self[$0] == "." }.map { String(self[..<$0]) }
    }
}
