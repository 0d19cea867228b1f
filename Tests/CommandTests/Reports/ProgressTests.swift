import Foundation
import Testing

/// The progress line of a run, on terminals of various widths.
@Suite("Progress line") struct ProgressTests {
    /// A script that runs an import from a pipe on a pseudo-terminal until a line is drawn.
    private static let script = """
        import fcntl, os, pty, struct, subprocess, sys, termios
        controller, terminal = pty.openpty()
        size = struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
        run = subprocess.Popen(
            [os.environ["E"], "run", "spec.yaml", "--set", "in=-"], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)
        run.stdin.write(b'{"id":1}\\n')
        run.stdin.flush()
        text = b""
        while b"rows" not in text and text.count(b"\\x1b[K") < 5: text += os.read(controller, 4096)
        run.stdin.close()
        try:
            while True: text += os.read(controller, 4096)
        except OSError:
            pass
        lines = [part for part in text.decode().split("\\r") if "\\x1b[K" in part]
        print(run.wait(), max(len(line.split("\\x1b[K")[0]) for line in lines))
        """

    @Test("the progress line fits the width of the terminal, or 80 columns if it is unknown")
    func width() throws {
        let folder = try FailureFolder()
        let name = String(repeating: "long-name-", count: 6) + "end"
        try folder.writeSpec(
            "spec.yaml",
            "- { import: \(name), read: { files: \"${in}\", as: ndjson }, into: Task }")
        try folder.write("terminal.py", Self.script)
        for (columns, length) in [(40, 39), (60, 59), (0, 79), (79, 78)] {
            let result = try folder.shell("rm -f store.*; python3 terminal.py \(columns)")
            #expect(result.output == "0 \(length)\n", "\(columns) columns: \(result.errors)")
        }
        // Wide enough for the complete line.
        let wide = try folder.shell("rm -f store.*; python3 terminal.py 200").output
        let length = Int(wide.split(whereSeparator: \.isWhitespace).last ?? "") ?? 0
        #expect(length > 80 && length < 120, "\(wide)")
    }
}
