/// An enumeration whose raw values are words in a spec, each with a meaning.
package protocol ExplainedChoice: RawRepresentable, CaseIterable, Sendable, Hashable
where RawValue == String {
    /// The meaning of the word, in one sentence.
    var meaning: String { get }
}
