import ArgumentParser
import GraphModel
import Pipelines

/// Names that the shell completes from a spec or a store on the same line.
enum Completion {
    /// The stages of the spec.
    static let stages = CompletionKind.custom { words, _, _ in
        spec(in: words)?.stages.map(\.name) ?? []
    }

    /// The parameters of the spec, each up to its value.
    static let parameters = CompletionKind.custom { words, _, _ in
        spec(in: words)?.parameters.map { $0.name + "=" } ?? []
    }

    /// The entities of the store.
    static let entities = CompletionKind.custom { words, _, _ in
        words.dropFirst(2).lazy.filter { !$0.hasPrefix("-") }
            .compactMap { ModelSource.readOrStored($0).model }.first?
            .entities.map(\.name).sorted() ?? []
    }

    /// The first spec of the line.
    ///
    /// Its errors are not reported here: the command reports them.
    private static func spec(in words: [String]) -> PipelineSpec? {
        words.lazy.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
            .compactMap { SpecificationFile.read(file: $0).spec }.first
    }
}
