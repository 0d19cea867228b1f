import FoundationEssentials
import RecordStreams
import Testing

/// Sets of inputs from other projects, which are not part of the repository.
///
/// They are in `../shared/specimens`, or in the folder that `ETL_SPECIMENS` names. Tests whose set
/// is missing are skipped.
enum Specimens {
    /// The folder of all sets.
    static let folder: String = {
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        return ProcessInfo.processInfo.environment["ETL_SPECIMENS"]
            ?? root + "/../shared/specimens"
    }()

    /// Every file below the folder, sorted; empty if the folder does not exist.
    static let files: [String] = {
        // A folder that cannot be listed is treated as absent, and the tests name it.
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return names.map { "\(folder)/\($0)" }.sorted()
    }()

    /// Returns the comment of a skipped test.
    static func missing(_ wanted: String) -> Comment {
        "there is no \(wanted) below \(folder); ETL_SPECIMENS names another folder"
    }

    static func name(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    static func parent(_ path: String) -> String {
        path.split(separator: "/").dropLast().last.map(String.init) ?? ""
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    static func json(_ path: String) throws -> AnyJSON {
        try JSONDecoder().decode(AnyJSON.self, from: Data(contentsOf: URL(filePath: path)))
    }
}

/// A JSON value of any shape, read by a reader other than ours.
enum AnyJSON: Decodable, Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([AnyJSON])
    case object([String: AnyJSON])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .bool(flag)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let items = try? value.decode([AnyJSON].self) {
            self = .array(items)
        } else {
            self = .object(try value.decode([String: AnyJSON].self))
        }
    }

    /// Returns the value of the first existing key.
    subscript(keys: String...) -> AnyJSON? {
        guard case .object(let members) = self else { return nil }
        return keys.lazy.compactMap { members[$0] }.first
    }

    var items: [AnyJSON]? {
        guard case .array(let items) = self else { return nil }
        return items
    }

    var members: [String: AnyJSON]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// A scalar as the text of a CSV field; empty for `null`.
    var text: String? {
        switch self {
        case .null: ""
        case .bool(let flag): "\(flag)"
        case .number(let number): Int(exactly: number).map(String.init) ?? "\(number)"
        case .string(let text): text
        case .array, .object: nil
        }
    }
}

/// A CSV input as rows of texts; `null` is an empty text.
struct CSVTable: Equatable {
    var columns: [String] = []
    var rows: [[String]] = []
    var rejects: [String] = []
    var error: String?

    /// Reads the columns with these names.
    static func read(
        _ bytes: [UInt8], columns: [String], options: ReadOptions
    ) throws -> CSVTable {
        let folder = try TemporaryFolder()
        let input = try folder.write(bytes, to: "a.csv")
        var table = CSVTable()
        do throws(RecordStreamError) {
            let reader = try RecordReader(
                input: input, options: options,
                selection: FieldSelection(columns.map { FieldPath(name: $0) }))
            table.columns = reader.columnNames ?? []
            let batch = RecordBatch()
            while try reader.next(batch) {
                for record in 0..<batch.count {
                    table.rows.append(
                        batch.fields(of: record).map { $0.kind == .string ? $0.text : "" })
                }
                table.rejects += batch.rejects.map(\.detail)
            }
        } catch {
            table.error = error.code
        }
        return table
    }
}
