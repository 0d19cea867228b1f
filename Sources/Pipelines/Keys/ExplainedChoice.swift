/// An enumeration whose raw values are words of a spec, each with a meaning.
package protocol ExplainedChoice: RawRepresentable, CaseIterable, Sendable, Hashable
where RawValue == String {
    /// What the word stands for, in one sentence.
    var meaning: String { get }
}
