import ArgumentParser
import GraphModel
import Pipelines

/// Names that the shell suggests, read from the spec or the store on the same command line.
enum Completion {
    /// The stages of the spec.
    static let stages = CompletionKind.custom { words, _, _ in
        spec(in: words)?.stages.map(\.name) ?? []
    }

    /// The parameters of the spec, such as `day=`; the user adds the value.
    static let parameters = CompletionKind.custom { words, _, _ in
        spec(in: words)?.parameters.map { $0.name + "=" } ?? []
    }

    /// The entities of the store.
    static let entities = CompletionKind.custom { words, _, _ in
        words.dropFirst(2).lazy.filter { !$0.hasPrefix("-") }
            .compactMap { ModelSource.readOrStored($0).model }.first?
            .entities.map(\.name).sorted() ?? []
    }

    /// Returns the first spec on the command line; `nil` if there is none or it cannot be read.
    ///
    /// Its errors are not reported here: the command reports them.
    private static func spec(in words: [String]) -> PipelineSpec? {
        words.lazy.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
            .compactMap { SpecificationFile.read(file: $0).spec }.first
    }
}
