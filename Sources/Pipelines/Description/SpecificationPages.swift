/// The reference pages of specs: the general keys, and a page for each kind of stage.
enum SpecificationPages {
    /// Returns the page of the general keys, with their nested mappings.
    static func settings() -> String {
        """
        # Keys of a spec

        A spec is one YAML 1.2 file. A key that is not listed is an error, and a duplicate key is \
        an error too. Relative paths begin at the spec's folder. `${NAME}` in a text is a parameter, or one \
        of `run.date`, `run.time`, and `run.id`; `$${` is a literal `${`. In predicates and \
        expressions, `$NAME` is the parameter's value; `$now` and `$today` also exist.


        """
            + MappingPages.sections(SpecKeys.mapping.family(without: DescribedMapping.stages))
    }

    /// Returns the page of a stage, with its nested mappings.
    static func stage(_ stage: DescribedMapping) -> String {
        let parts = stage.family().dropFirst()
        var text = "# \(stage.title)\n\n\(stage.purpose)\n"
        if let example = stage.example { text += "\n```yaml\nstages:\n\(example)\n```\n" }
        text += "\n" + MappingPages.table(stage)
        if !parts.isEmpty { text += "\n" + MappingPages.sections(Array(parts)) }
        let appendix = stage.appendix()
        return appendix.isEmpty ? text : text + "\n" + appendix
    }
}

extension DescribedMapping {
    /// All mappings that a spec may have, the spec first.
    package static let ofSpecs = SpecKeys.mapping.family()

    /// The mappings of stages.
    package static let stages = StageKinds.all.map { $0.mapping }
}
