/// Key paths as text, such as `region.magnitude.richter`.
extension String {
    /// The keys between the dots.
    package var keyPath: [String] {
        split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether it is the path of an element of the composite at a path, at whatever depth.
    package func isElement(of composite: String) -> Bool { hasPrefix("\(composite).") }

    /// The paths of the composites around the element that it is the path of, outermost first:
    /// `magnitude` and `magnitude.first` of `magnitude.first.richter`.
    package var compositesAround: [String] {
        indices.filter { self[$0] == "." }.map { String(self[..<$0]) }
    }
}
