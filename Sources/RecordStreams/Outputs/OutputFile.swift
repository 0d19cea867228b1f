internal import Diagnostics
package import Files
package import Processes

/// The size of a finished output.
package struct OutputSummary: Sendable, Hashable {
    /// The size of the file as stored, in bytes.
    package let byteCount: Int
    /// The number of records in it.
    package let rowCount: Int

    package init(byteCount: Int, rowCount: Int) {
        self.byteCount = byteCount
        self.rowCount = rowCount
    }
}

/// An output file that replaces its target only when it is complete.
///
/// Bytes are written to a temporary file in the same folder, compressed by gzip if requested;
/// `finish` makes them durable and renames the file. Until then, and after `abandon`, an existing
/// file is unchanged. The name `-` writes to standard output immediately.
package final class OutputFile {
    /// The path as the user named it.
    package let path: FileName
    private var target: FileName
    private let temporaryPath: FileName?
    private var descriptor: Int32
    private var gzip: GzipWriter?
    /// Writes plain files; gzip uses its own threads.
    private var behind: WriteBehind?
    private var byteCount = 0
    private let observer: ((UnsafeRawBufferPointer) -> Void)?
    private let escapesControls: Bool
    /// The command that reads the output.
    private var child: ChildProcess?
    private let isCancelled: () -> Bool

    /// Creates the temporary file.
    ///
    /// - Parameters:
    ///   - gzipLevel: the level from 0 to 9, or `nil` to write the bytes without compression.
    ///   - escapesControls: whether to escape control characters, for a terminal; each `write` must
    ///     then end with a complete character.
    ///   - observer: receives every byte of the file as stored, in order; for a digest.
    package convenience init(
        path: String, gzipLevel: Int? = nil, escapesControls: Bool = false,
        observer: ((UnsafeRawBufferPointer) -> Void)? = nil
    ) throws(RecordStreamError) {
        try self.init(
            at: FileName(path), gzipLevel: gzipLevel, escapesControls: escapesControls,
            observer: observer)
    }

    /// Creates the temporary file of an output by its name.
    ///
    /// - Parameters:
    ///   - stored: the name that `finish` gives the file, if it is renamed to `path` later.
    ///   - gzipThreads: the number of threads that deflate; `nil` for one per processor, at most 8.
    package init(
        at path: FileName, storedAs stored: FileName? = nil, gzipLevel: Int? = nil,
        gzipThreads: Int? = nil, escapesControls: Bool = false,
        observer: ((UnsafeRawBufferPointer) -> Void)? = nil
    ) throws(RecordStreamError) {
        self.path = path
        self.escapesControls = escapesControls
        self.observer = observer
        child = nil
        isCancelled = { false }
        target = path
        if path == "-" {
            temporaryPath = nil
            descriptor = Platform.standardOutput
        } else {
            // A symbolic link is kept; its target is replaced.
            target = Platform.resolved(path) ?? path
            (temporaryPath, descriptor) = try Self.makeTemporary(for: target, named: path)
            if let stored { target = stored }
        }
        if let gzipLevel {
            gzip = try GzipWriter(
                level: gzipLevel, path: path.displayText, threads: gzipThreads)
        } else if temporaryPath != nil {
            behind = WriteBehind(descriptor)
        }
    }

    /// Starts a command that reads the output.
    ///
    /// - Parameters:
    ///   - isCancelled: called while the command does not read.
    ///   - tell: receives the lines that the command writes to standard error.
    package init(
        to command: Command, gzipLevel: Int? = nil, isCancelled: @escaping () -> Bool,
        tell: @escaping @Sendable (String) -> Void
    ) throws(RecordStreamError) {
        path = InputFile.path(of: command)
        target = path
        escapesControls = false
        observer = nil
        temporaryPath = nil
        descriptor = -1
        self.isCancelled = isCancelled
        child = nil
        if let gzipLevel { gzip = try GzipWriter(level: gzipLevel, path: path.displayText) }
        child = try ChildProcess(command, .writing, at: path, show: tell)
    }

    deinit {
        abandon()
    }

    private static func makeTemporary(
        for target: FileName, named path: FileName
    ) throws(RecordStreamError) -> (FileName, Int32) {
        let (folder, name) = (target.folder, target.lastComponent)
        // A missing file is normal; creating the temporary file reports any other fault.
        let kind = (try? Platform.status(target))?.kind
        if kind == .other {
            throw RecordStreamError(
                .outputNotCreated(
                    reason: "it is a device or a pipe, not a file; `-` writes to stdout",
                    isPermission: false), in: path)
        }
        // The new file gets the permissions of the old one, so that no other user can read it.
        let rights = kind == .file ? FileRights(of: target) : nil
        var attempt = 0
        do throws(Platform.Failure) {
            if kind == .folder { throw Platform.Failure.isFolder }
            removeLeftovers(in: folder) { $0 == temporaryStem(of: name) }
            while true {
                let temporary = folder.joining(
                    hiddenName(of: name, ".\(Platform.processIdentifier())-\(attempt).part"))
                do throws(Platform.Failure) {
                    return (temporary, try Platform.createNew(temporary, with: rights))
                } catch {
                    guard error.isExisting, attempt < 1000 else { throw error }
                    attempt += 1
                }
            }
        } catch {
            throw RecordStreamError(
                error.isExhausted
                    ? .resourcesExhausted(reason: error.text, isOutput: true)
                    : .outputNotCreated(reason: error.text, isPermission: error.isPermission),
                in: path)
        }
    }

    /// Returns the hidden name of a file that is renamed later; it is never too long.
    ///
    /// - Parameter ending: at most 40 bytes.
    package static func hiddenName(of name: FileName, _ ending: String) -> FileName {
        FileName(bytes: [UInt8(ascii: ".")] + temporaryStem(of: name).bytes).adding(ending)
    }

    /// Returns the part of an output's name that its temporary name contains; the output's name may
    /// have the maximum length.
    private static func temporaryStem(of name: FileName) -> FileName {
        // A leading dot and an ending are added.
        let bytesMax = FileName.componentBytesMax - 41
        guard name.bytes.count > bytesMax else { return name }
        // A hash distinguishes names with the same prefix: FNV-1a over all bytes.
        let hash = name.bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return name.prefix(bytes: bytesMax - 17).adding("-" + String(hash, radix: 16))
    }

    /// Removes the temporary files of outputs whose process was killed before it finished.
    ///
    /// - Parameters:
    ///   - folder: the folder; `.` for the working folder.
    ///   - isMeant: whether to remove the files of an output with this name; a long name is
    ///     truncated.
    package static func removeLeftovers(in folder: FileName, where isMeant: (FileName) -> Bool) {
        // Leftovers must not prevent the output; a folder that cannot be listed is skipped.
        guard let names = try? Platform.names(inFolder: folder, hiddenOnly: true) else { return }
        for leftover in names where leftover.hasSuffix(".part") {
            let whole = leftover.bytes.dropFirst().dropLast(5)
            guard let dot = whole.lastIndex(of: UInt8(ascii: ".")),
                isMeant(FileName(bytes: whole[..<dot])),
                let process = whole[dot...].dropFirst().split(separator: UInt8(ascii: "-")).first
                    .flatMap({ Int32(String(decoding: $0, as: UTF8.self)) }),
                !Platform.isRunning(process)
            else { continue }
            Platform.removeFile(folder.joining(leftover))
        }
    }

    /// Writes bytes, which may be changed after the call returns.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(RecordStreamError) {
        guard let gzip else {
            guard escapesControls, let escaped = TerminalText.escaped(bytes) else {
                return try store(bytes)
            }
            let stored = escaped.withUnsafeBytes { block -> Result<Void, RecordStreamError> in
                Result { () throws(RecordStreamError) in try store(block) }
            }
            return try stored.get()
        }
        try gzip.write(bytes) { block throws(RecordStreamError) in try self.store(block) }
    }

    private func store(_ bytes: UnsafeRawBufferPointer) throws(RecordStreamError) {
        observer?(bytes)
        do throws(Platform.Failure) {
            if let child {
                try child.write(bytes, isCancelled: isCancelled)
            } else if let behind {
                try behind.write(bytes)
            } else {
                try Platform.writeBytes(descriptor, bytes)
            }
        } catch {
            if error.isBrokenPipe, child != nil { try endCommand() }
            throw RecordStreamError(
                error.isBrokenPipe ? .outputClosed : .outputNotWritten(reason: error.text),
                in: path)
        }
        byteCount += bytes.count
    }

    /// Makes the file durable and renames it.
    package func finish(rowCount: Int) throws(RecordStreamError) -> OutputSummary {
        if let gzip {
            try gzip.finish { block throws(RecordStreamError) in try self.store(block) }
        }
        gzip = nil
        if child != nil {
            try endCommand()
            child = nil
        }
        if let temporaryPath {
            do throws(Platform.Failure) {
                try behind?.finish()
                try Platform.synchronize(descriptor)
                let written = descriptor
                descriptor = -1
                try Platform.closeWritten(written)
                try Platform.renameFile(temporaryPath, to: target)
                try Platform.synchronizeFolder(target.folder)
            } catch {
                abandon()
                Platform.removeFile(temporaryPath)
                throw RecordStreamError(
                    error.isExhausted
                        ? .resourcesExhausted(reason: error.text, isOutput: true)
                        : .outputNotWritten(reason: error.text), in: path)
            }
        }
        return OutputSummary(byteCount: byteCount, rowCount: rowCount)
    }

    /// Waits for the command to finish; throws if it failed.
    private func endCommand() throws(RecordStreamError) {
        guard let child else { return }
        guard let ending = child.waitForEnd(isCancelled: isCancelled) else {
            throw RecordStreamError(
                .outputNotWritten(reason: SystemFault.isCancelled.text), in: path)
        }
        guard !ending.isGood else { return }
        throw RecordStreamError(
            .commandFailed(ending: ending.text, lastLine: child.lastLine, isOutput: true), in: path)
    }

    /// Removes the temporary file, or ends the command that reads the output; has no effect after
    /// `finish`.
    package func abandon() {
        gzip = nil
        child?.end()
        child = nil
        behind?.abandon()
        guard let temporaryPath, descriptor >= 0 else { return }
        Platform.closeFile(descriptor)
        descriptor = -1
        Platform.removeFile(temporaryPath)
    }
}
