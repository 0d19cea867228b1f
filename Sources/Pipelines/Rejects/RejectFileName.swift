import Diagnostics
import Digests
import Files
import GraphModel
import RecordStreams

/// Names of reject files, from the stage and the input; valid UTF-8 and limited in length.
///
/// ```
/// tasks.tasks.csv              import `tasks`, input `in/tasks.csv.gz`
/// tasks.2.tasks.csv            the second of two inputs of that name
/// tasks.caf%E9-5d41402a.csv    an input whose name is not UTF-8
/// tasks.aaaa…aaaa-7d793037.csv an input whose name is too long
/// tasks.a.csv%2Ewhy-3b31e4b2.ndjson  an input named like the reasons of `a.csv`
/// a%2Eb.c-4e8a4c3f.csv         stage `a.b`, input `c.csv`; stage `a` may read `b.c.csv`
/// ```
/// The digits are a hash of the bytes of the complete name, so that different names stay different.
enum RejectFileName {
    /// The maximum length in bytes; `.why.ndjson` or `.links.ndjson` is appended to the name.
    static let bytesMax = FileName.componentBytesMax - RejectFile.linksSuffix.utf8.count
    /// The maximum length of a file extension in bytes; a longer ending does not identify a format.
    private static let endingBytesMax = 16

    /// Returns unique file names for the inputs of a stage.
    static func names(of inputs: [FileName], stage: String) -> [FileName: FileName] {
        var names: [FileName: FileName] = [:]
        // Compare names as text and without case, because some file systems treat names that differ
        // only in these as equal.
        let alike = Dictionary(grouping: Set(inputs)) { base(of: $0).displayText.lowercased() }
        for same in alike.values {
            for (place, input) in same.sorted().enumerated() {
                names[input] = name(
                    of: input, stage: stage, prefix: same.count > 1 ? "\(place + 1)." : "")
            }
        }
        return names
    }

    /// Returns the name for one input.
    ///
    /// - Parameter prefix: Distinguishes it from other inputs with the same name.
    static func name(of input: FileName, stage: String, prefix: String = "") -> FileName {
        let base = base(of: input)
        let whole = FileName(bytes: FileName("\(stage).\(prefix)").bytes + base.bytes)
        let shown = FileName(
            bytes: distinct(stage: stage, whole).units.flatMap(Self.encoded))
        guard shown != whole || whole.bytes.count > bytesMax else { return whole }
        let ending = base.suffix.count > endingBytesMax ? [] : base.suffix
        let stem = FileName(bytes: shown.bytes.dropLast(ending.count))
        let digits = FileName("-" + ByteDigest.of(whole.bytes).prefix(4).hexText)
        let room = bytesMax - digits.bytes.count - ending.count
        return FileName(bytes: stem.prefix(bytes: room).bytes + digits.bytes + ending)
    }

    /// Returns the name with dots encoded so that it is neither a name of another stage nor that of
    /// the reasons or links of another file.
    private static func distinct(stage: String, _ whole: FileName) -> FileName {
        let dot = Array("%2E".utf8)
        let owner = Array(stage.utf8)
        var bytes = owner.flatMap { $0 == UInt8(ascii: ".") ? dot : [$0] }
        bytes += whole.bytes.dropFirst(owner.count)
        let folded = FileName(bytes: bytes).lowercasedASCII
        for suffix in [RejectFile.reasonsSuffix, RejectFile.linksSuffix]
        where folded.hasSuffix(FileName(suffix)) {
            let end = bytes.suffix(suffix.utf8.count - 1)
            bytes = bytes.dropLast(suffix.utf8.count) + dot + end
        }
        return FileName(bytes: bytes)
    }

    private static func base(of input: FileName) -> FileName {
        guard input != InputFile.standardInput.path else { return "stdin" }
        var shown = input.lastComponent
        if InputName.isCommand(input) {
            // Use the name of the program.
            let words = input.bytes.dropFirst(InputName.commandPrefix.bytes.count)
            shown = FileName(bytes: words.prefix { $0 != UInt8(ascii: " ") }).lastComponent
        }
        let masked = OutputText.masked(shown.displayText)
        let name =
            masked == shown.displayText
            ? shown : FileName(masked.replacing(OutputText.mask, with: "secret"))
        return name.hasSuffix(".gz") ? FileName(bytes: name.bytes.dropLast(3)) : name
    }

    /// Percent-encodes a byte that is not UTF-8.
    private static func encoded(_ unit: FileName.Unit) -> [UInt8] {
        switch unit {
        case .scalar(let scalar): Array(String(scalar).utf8)
        case .byte(let byte):
            Array(("%" + String(UInt16(byte) | 0x100, radix: 16, uppercase: true).dropFirst()).utf8)
        }
    }
}
