import Foundation

/// A terminal made by tmux: a second judge of what a screen looks like, beside `VirtualTerminal`.
package final class TmuxSession: Sendable {
  package struct NeverCame: Error, CustomStringConvertible {
    let what: String
    let screen: String
    package var description: String { "\(what) did not come in tmux:\n\(screen)" }
  }

  private let folder: TemporaryFolder
  private let server: ServerRun

  /// Starts `program` in a server of its own, which ends with this object.
  /// - Parameters:
  ///   - environment: all that the program gets, beside TMUX and TERM, which is `terminal`.
  /// - Throws: `Programs.Missing`, `CommandRun.Failure`.
  package init(
    _ program: String, _ arguments: [String] = [], environment: [String: String],
    rows: Int = 24, columns: Int = 80, terminal: String = "tmux-256color", directory: String? = nil
  ) async throws {
    folder = try TemporaryFolder("tmux")
    try folder.write(
      """
      set -g default-terminal \(terminal)
      set -g status off
      set -g remain-on-exit on
      set -g exit-empty off
      set -g escape-time 0
      set -g history-limit 0

      """, to: "tmux.conf")
    var all = environment
    all["TERM"] = "xterm-256color"
    server = try ServerRun(
      "tmux", ["-D", "-S", folder.path("socket"), "-f", folder.path("tmux.conf")], environment: all,
      directory: folder.root.path, output: folder.path("stdout.log"))
    let socket = folder.path("socket")
    _ = await server.waits(upTo: .seconds(20)) { access(socket, F_OK) == 0 }
    var command = ["new-session", "-d", "-s", "main", "-x", "\(columns)", "-y", "\(rows)"]
    if let directory { command += ["-c", directory] }
    // `env -i`: tmux would pass on its own environment, and this process's.
    let path = try Programs.path(of: program)
    let pairs = all.filter { $0.key != "TERM" }.map { "\($0.key)=\($0.value)" }.sorted()
    // The status goes to a file: tmux 3.3 forgets it when it sees the terminal close first.
    let wrapper = "\"$@\"; echo $? >\(folder.path("status"))"
    try await control(
      command + ["--", "/usr/bin/env", "-i"] + pairs
        + ["TERM=\(terminal)", "/bin/sh", "-c", wrapper, "sh", path] + arguments)
  }

  @discardableResult
  private func control(_ arguments: [String]) async throws -> String {
    // A private HOME and no configuration: the developer's own key bindings do not count.
    try await CommandRun.check(
      "tmux", ["-S", folder.path("socket")] + arguments,
      environment: ["HOME": folder.root.path, "TERM": "xterm-256color"]
    ).text
  }

  /// The screen's rows, with styles.
  ///
  /// tmux gives each row as text with SGR, and line drawing as letters between SO and SI; a
  /// `VirtualTerminal` of one row makes cells of it.
  package func capture() async throws -> [[TerminalCell]] {
    let size = try await value("#{pane_height} #{pane_width}").split(separator: " ").map { Int($0) }
    guard let rows = size.first ?? nil, let columns = size.last ?? nil else { return [] }
    let text = try await control(["capture-pane", "-p", "-e", "-t", "main"])
    // A style goes on at the next row, where it is not changed.
    var row = VirtualTerminal(rows: 1, columns: columns)
    row.feed("\u{1b})0".utf8)
    return text.split(separator: "\n", omittingEmptySubsequences: false).prefix(rows).map { line in
      row.feed("\r\u{1b}7\u{1b}[m\u{1b}[K\u{1b}8\(line)".utf8)
      return row.cells[0]
    }
  }

  /// The screen's rows as text, without blanks at their ends.
  package func lines() async throws -> [String] {
    try await capture().map { cells in
      var line = cells.map(\.text).joined()
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }

  /// Returns a value of the pane by its format, for example `#{cursor_x}` or `#{alternate_on}`.
  package func value(_ format: String) async throws -> String {
    let text = try await control(["display-message", "-p", "-t", "main", format])
    return String(text.dropLast())
  }

  /// Asks until `condition` holds for the rows; tmux has nothing to wait on.
  /// - Throws: `NeverCame`.
  package func expects(
    _ what: String, upTo limit: Duration = .seconds(20), until condition: ([String]) -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + limit.withPatience
    while true {
      let lines = try await lines()
      if condition(lines) { return }
      guard ContinuousClock.now < deadline else {
        throw NeverCame(what: what, screen: lines.joined(separator: "\n"))
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Asks until a value of tmux's is the one that is expected.
  /// - Throws: `NeverCame`.
  package func expects(_ format: String, toBe expected: String, upTo limit: Duration = .seconds(20))
    async throws
  {
    let deadline = ContinuousClock.now + limit.withPatience
    while try await value(format) != expected {
      guard ContinuousClock.now < deadline else {
        throw NeverCame(
          what: "\(format) = \(expected)", screen: try await lines().joined(separator: "\n"))
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Waits until each of `texts` is on the screen.
  package func shows(_ texts: String..., upTo limit: Duration = .seconds(20)) async throws {
    try await expects(texts.joined(separator: " and "), upTo: limit) { lines in
      texts.allSatisfy { text in lines.contains { $0.contains(text) } }
    }
  }

  /// Types text as it is.
  package func type(_ text: String) async throws {
    try await control(["send-keys", "-t", "main", "-l", "--", text])
  }

  /// Presses keys by tmux's names: `Enter`, `C-q`, `M-1`, `F1`, `PPage`.
  package func press(_ keys: String...) async throws {
    try await control(["send-keys", "-t", "main"] + keys)
  }

  package func resize(rows: Int, columns: Int) async throws {
    try await control(["resize-window", "-t", "main", "-x", "\(columns)", "-y", "\(rows)"])
  }

  /// The program's exit status as a shell has it (128 and more: a signal); `nil` while it runs.
  package var exitStatus: Int? {
    folder.text("status").flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  /// Waits until the program has ended.
  /// - Throws: `NeverCame`.
  @discardableResult
  package func waitsForEnd(upTo limit: Duration = .seconds(20)) async throws -> Int? {
    try await expects("#{pane_dead}", toBe: "1", upTo: limit)
    return exitStatus
  }

  /// Ends the server and what runs in it.
  package func stop() async {
    _ = try? await control(["kill-server"])
    await server.child.stop()
  }
}
