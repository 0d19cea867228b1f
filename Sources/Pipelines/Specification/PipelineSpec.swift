package import Diagnostics
package import GraphModel
import GraphStore

/// What a spec file says, typed, with every default filled in.
///
/// Names of entities and attributes are not checked against a model here: the model may be the
/// store's own. `SpecificationChecker` does that once the model is known.
package struct PipelineSpec: Sendable, Hashable {
    /// The spec file, as the user named it.
    package var file: String
    /// Names state, rejects and reports.
    package var name: String
    /// The parameters in the order of the file.
    package var parameters: [ParameterSpec] = []
    /// The store that stages work on.
    package var store: StoreSpec
    /// What a run may hold before it saves.
    package var budget = BudgetSpec()
    /// Where bad records go and how many there may be.
    package var rejects: RejectsSpec
    /// Where the reports of runs go.
    package var report: ReportSpec
    /// What is started when a run has ended with another code than 0.
    package var onFailure: CommandSpec?
    /// The stages in the order in which they run.
    package var stages: [Stage] = []
    /// What the spec shows about itself.
    package var tests: [SpecificationTest] = []

    /// The folder at which relative paths of the spec start.
    package var folder: String { PathText.folder(of: file) }

}

/// The store of a pipeline.
package struct StoreSpec: Sendable, Hashable {
    /// What to do about the file at `at`.
    package enum OpenMode: String, Sendable, Hashable, CaseIterable {
        /// It must exist.
        case existing
        /// It is made where it is missing.
        case create
        /// It is built new beside the old one, and swapped in at the end.
        case replace
    }

    /// When what a run does becomes visible in the store.
    package enum CommitMode: String, Sendable, Hashable, CaseIterable {
        /// With each batch.
        case batch
        /// With each stage, as a whole.
        case stage
        /// At the end, all or nothing.
        case run
    }

    /// Whether the store keeps what changed in it.
    package enum History: Sendable, Hashable {
        /// It does not, and what it kept goes.
        case off
        /// For so many days.
        case days(Int)
    }

    /// Where the model comes from.
    package enum ModelSource: Sendable, Hashable {
        case file(TemplateText)
        /// Its problems are told with those of the spec.
        case inline(ModelReading)
    }

    /// What a model's file was read as.
    struct KnownModel: Sendable, Hashable {
        /// The path in the spec.
        var path: String
        /// The file that was read: `path`, or the version in that bundle that the store has.
        var file: String
        /// The store whose version was looked for; `nil` if its path was not known yet.
        var store: String?
        var reading: ModelReading
    }

    /// The SQLite file.
    package var at: TemplateText
    /// The model; without one, the store's own is used.
    package var model: ModelSource?
    /// The model's file as it was when the spec was checked; a run reads it once.
    var knownModel: KnownModel?
    /// How the file is opened.
    package var open: OpenMode
    /// When changes become visible.
    package var commit = CommitMode.batch
    /// Whether the store keeps what changed; nil leaves it to the store.
    package var history: History?
    /// Who is named in the store's history; nil for the spec's own name.
    package var author: TemplateText?
    /// A store whose copy is taken where one is to be made; nil for an empty one.
    package var template: TemplateText?
    /// Whether the store keeps all digits of decimals; nil leaves it to the store.
    package var keepsExactDecimals: Bool?
    /// A view for each entity is kept in the store, for people with `sqlite3`; where that is false
    /// those of earlier runs go, and nil leaves them to the store.
    package var hasViews: Bool?
    /// How many backups of the store are kept.
    package var backupsKept = StoreBackups.keepDefault
    /// Where the spec speaks of the store.
    package var location: SourceLocation
}

/// What a run may hold before it saves.
package struct BudgetSpec: Sendable, Hashable {
    /// The least that `memory` may be.
    package static let memoryMin = 32 << 20

    /// Records between two saves.
    package var saveEvery = 10_000
    /// Plain bytes of input between two saves.
    package var bytes = 8 << 20
    /// Bytes that caches, maps and queues may hold; beside them a process needs 48 MiB at most.
    package var memory = 256 << 20
    /// Seconds after which a run saves and stops.
    package var timeSeconds: Int64?
}

/// A number, or a share of a number that is known later.
package enum CountLimit: Sendable, Hashable {
    case count(Int)
    /// From 0 to 100.
    case percent(Double)

    /// The number that the limit allows out of `total`, rounded down.
    package func allowed(of total: Int) -> Int {
        switch self {
        case .count(let count): count
        case .percent(let percent): Int((Double(total) * percent / 100).rounded(.down))
        }
    }
}

/// Where bad records go and how many there may be.
package struct RejectsSpec: Sendable, Hashable {
    /// The folder of the reject files.
    package var folder: TemplateText
    /// What a stage may reject and still succeed.
    package var allow = CountLimit.count(0)
    /// What ends a stage at once.
    package var abort = CountLimit.count(1000)
    /// Seconds for which the files of earlier runs are kept.
    package var keepSeconds: Int64 = 30 * 86_400
}

/// Where the reports of runs go.
package struct ReportSpec: Sendable, Hashable {
    /// The folder of the reports.
    package var folder: TemplateText
    /// The spec names the folder, so reports are wanted there.
    package var isFolderNamed = false
    /// How many reports are kept.
    package var keep = 60
    /// A textfile for Prometheus.
    package var metrics: TemplateText?
}
