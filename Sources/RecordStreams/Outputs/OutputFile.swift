internal import Diagnostics
package import Files
package import Processes

/// The size of a finished output.
package struct OutputSummary: Sendable, Hashable {
    /// The size of the file as stored, in bytes.
    package let byteCount: Int
    /// The number of records in the file.
    package let rowCount: Int

    /// Creates a summary of an output's stored bytes and its records.
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
    /// The thread that writes an uncompressed file; `nil` for gzip, which has its own threads.
    private var writeBehind: WriteBehind?
    private var byteCount = 0
    private let observer: ((UnsafeRawBufferPointer) -> Void)?
    private let escapesControls: Bool
    /// The command that reads the output.
    private var child: ChildProcess?
    private let isCancelled: () -> Bool
    private static let standardOutput: Int32 = 1

    /// Creates the temporary file.
    ///
    /// - Parameters:
    ///   - gzipLevel: the level from 0 to 9, or `nil` to write the bytes without compression.
    ///   - escapesControls: whether to escape control characters, for a terminal; each `write` must
    ///     then end with a complete character.
    package convenience init(
        path: String, gzipLevel: Int? = nil, escapesControls: Bool = false
    ) throws(RecordStreamError) {
        try self.init(
            at: FileName(path), gzipLevel: gzipLevel, escapesControls: escapesControls)
    }

    /// Creates the temporary file of an output by its name.
    ///
    /// - Parameters:
    ///   - stored: the name that `finish` gives the file, if it is renamed to `path` later.
    ///   - gzipThreads: the number of threads that deflate; `nil` for one per processor, at most 8.
    ///   - observer: receives every byte of the file as stored, in order; for a digest.
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
            descriptor = Self.standardOutput
        } else {
            // A symbolic link is kept, and its target is replaced.
            target = FileSystem.resolved(path) ?? path
            (temporaryPath, descriptor) = try Self.makeTemporary(for: target, named: path)
            if let stored { target = stored }
        }
        if let gzipLevel {
            gzip = try GzipWriter(
                level: gzipLevel, path: path.displayText, threads: gzipThreads)
        } else if temporaryPath != nil {
            writeBehind = WriteBehind(descriptor)
        }
    }

    /// Starts a command that reads the output.
    ///
    /// - Parameters:
    ///   - isCancelled: called while the command does not read.
    ///   - emit: receives the lines that the command writes to standard error.
    package init(
        to command: Command, gzipLevel: Int? = nil, isCancelled: @escaping () -> Bool,
        emit: @escaping @Sendable (String) -> Void
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
        child = try ChildProcess(command, .writing, at: path, show: emit)
    }

    deinit {
        abandon()
    }

    private static func makeTemporary(
        for target: FileName, named path: FileName
    ) throws(RecordStreamError) -> (FileName, Int32) {
        let (folder, name) = (target.folder, target.lastComponent)
        // A missing file is the usual case. Creating the file reports any other fault.
        let kind = (try? FileStatus(of: target))?.kind
        if let kind, kind != .file, kind != .folder {
            throw RecordStreamError(
                .outputNotCreated(
                    reason: "it is a device or a pipe, not a file; `-` writes to stdout",
                    isPermission: false), in: path)
        }
        // The new file gets the permissions of the old one, so that no other user can read it.
        let permissions = kind == .file ? FilePermissions(of: target) : nil
        var attempt = 0
        do throws(SystemFault) {
            if kind == .folder { throw SystemFault.isFolder }
            removeLeftovers(in: folder) { $0 == temporaryStem(of: name) }
            while true {
                let temporary = folder.joining(
                    hiddenName(of: name, ".\(SystemProcess.number)-\(attempt).part"))
                do throws(SystemFault) {
                    return (temporary, try createNew(temporary, with: permissions))
                } catch {
                    guard error.isExisting, attempt < 1000 else { throw error }
                    attempt += 1
                }
            }
        } catch {
            guard !error.isFull else {
                throw RecordStreamError(.outputNotWritten(reason: error.text), in: path)
            }
            throw RecordStreamError(
                error.isExhausted
                    ? .resourcesExhausted(reason: error.text, isOutput: true)
                    : .outputNotCreated(reason: error.text, isPermission: error.isPermission),
                in: path)
        }
    }

    /// Creates a file, which must not exist yet.
    ///
    /// - Parameter permissions: the permissions of the file that it will replace; `nil` uses the
    ///   mask of the process.
    private static func createNew(
        _ path: FileName, with permissions: FilePermissions?
    ) throws(SystemFault) -> Int32 {
        let descriptor = try FileSystem.open(
            path, [.writing, .new], mode: permissions == nil ? 0o666 : 0o600)
        permissions?.give(to: descriptor)
        return descriptor
    }

    /// Makes the file's bytes durable; does nothing for a pipe or a device.
    private static func synchronize(_ descriptor: Int32) throws(SystemFault) {
        do throws(SystemFault) {
            try FileSystem.synchronize(descriptor)
        } catch {
            if !error.isUnsupported { throw error }
        }
    }

    /// Returns a hidden name, never too long, for a file until it gets its final name.
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
        // Leftovers do not prevent the output, so a folder that cannot be listed is ignored.
        guard
            let names = try? FileSystem.names(
                in: folder.isEmpty ? "." : folder, whereFirst: { $0 == UInt8(ascii: ".") })
        else { return }
        for leftover in names where leftover.hasSuffix(".part") {
            let whole = leftover.bytes.dropFirst().dropLast(5)
            guard let dot = whole.lastIndex(of: UInt8(ascii: ".")),
                isMeant(FileName(bytes: whole[..<dot])),
                let process = whole[dot...].dropFirst().split(separator: UInt8(ascii: "-")).first
                    .flatMap({ Int32(String(decoding: $0, as: UTF8.self)) }),
                !SystemProcess.isRunning(process)
            else { continue }
            // A file that cannot be removed stays; it has no effect on this output.
            try? FileSystem.remove(folder.joining(leftover))
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
        do throws(SystemFault) {
            if let child {
                try child.write(bytes, isCancelled: isCancelled)
            } else if let writeBehind {
                try writeBehind.write(bytes)
            } else {
                try FileSystem.write(bytes, to: descriptor)
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
            do throws(SystemFault) {
                try writeBehind?.finish()
                try Self.synchronize(descriptor)
                let written = descriptor
                descriptor = -1
                try FileSystem.closeWritten(written)
                try FileSystem.rename(temporaryPath, to: target)
                try FileSystem.synchronizeFolder(
                    target.folder.isEmpty ? "." : target.folder)
            } catch {
                abandon()
                // Throw the original error; a later run removes the rest.
                try? FileSystem.remove(temporaryPath)
                throw RecordStreamError(
                    error.isExhausted
                        ? .resourcesExhausted(reason: error.text, isOutput: true)
                        : .outputNotWritten(reason: error.text), in: path)
            }
        }
        return OutputSummary(byteCount: byteCount, rowCount: rowCount)
    }

    /// Waits until the command that reads the output has ended; throws if it failed, or if the run
    /// was canceled.
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
        writeBehind?.abandon()
        guard let temporaryPath, descriptor >= 0 else { return }
        FileSystem.close(descriptor)
        descriptor = -1
        // A later run removes a file that cannot be removed now.
        try? FileSystem.remove(temporaryPath)
    }
}
