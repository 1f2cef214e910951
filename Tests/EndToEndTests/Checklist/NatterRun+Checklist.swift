import Foundation
import TestSupport
import Testing

// What the checklist's tests do with a running Natter beside what a person does.
extension NatterRun {
  /// The built-in server's only conversation at first: its guide, who greets newcomers.
  static let greetingEnd = "or \"help\"."

  /// `natter --local` on 24x80, online, with the guide's conversation open and read.
  static func chatting(
    home: Home? = nil, terminal: String = "xterm-256color", language: String = "C.UTF-8",
    environment: [String: String] = [:]
  ) async throws -> NatterRun {
    let run = try NatterRun.local(
      home: home ?? Home(), rows: 24, columns: 80, terminal: terminal, language: language,
      environment: environment)
    try await run.openGuide()
    return run
  }

  /// Makes the terminal too small for the greeting and for the row of keys, and returns once that
  /// is drawn: what comes before that is for the size before.
  func shrinksToScroll() async throws {
    terminal.resize(rows: 14, columns: 80)
    try await expects("the input in the last of 14 rows") { screen in
      screen.rows == 14 && screen.text(row: 13).contains("Write a message")
    }
    try await shows(Self.greetingEnd)
  }

  /// A home where the line counts as quick, however long this process takes to read what comes: on
  /// a slow one things are left out of the screen.
  static func homeOnQuickLine() throws -> Home {
    let home = try Home()
    try home.folder.write("[ui]\nslow_link = \"off\"\n", to: "config/natter/config.toml")
    return home
  }

  /// Waits for the guide's three messages and opens them, where that has not happened by itself.
  func openGuide() async throws {
    try await terminal.opensGuide()
    try await marks(conversation: 1)
  }

  /// Types more, at once, and waits until the input has all of this.
  func adds(_ text: String, toHave all: String) async throws {
    terminal.type(text)
    try await inputHolds(all)
  }

  /// Waits until the bell may ring again: it never does more than once a second, whatever comes.
  func bellIsDue() async throws { try await Task.sleep(for: .milliseconds(1200)) }

  /// Waits until the screen looks as it did.
  func looks(like picture: Picture) async throws { try await terminal.looks(like: picture) }

  /// Returns a peer on the built-in server, with a client that is not Natter.
  func peer(_ name: String) async throws -> SlixmppPeer {
    let server = try #require(home.localServer)
    return try await SlixmppPeer(
      "\(name)@localhost", password: "secret", host: "127.0.0.1", port: server.port,
      security: .off, authority: nil, registers: true, key: server.ownerKey)
  }

  /// Waits until the input has exactly this, with line feeds between its lines.
  func inputHolds(_ text: String) async throws {
    try await expects("an input of “\(text)”") { Self.inputText($0) == text }
  }

  /// Returns the text of the input, without spaces at the ends of its lines.
  static func inputText(_ screen: VirtualTerminal) -> String? {
    var lines: [String] = []
    // Between the list and the details, where those are.
    let (edge, end) = (inputEdge(screen), detailsBorder(screen))
    for row in (1..<screen.rows).reversed() {
      // The keys; low screens do without them.
      if screen.text(row: row).hasPrefix("F1 ") { continue }
      let part = screen.text(row: row, columns: edge..<(end ?? screen.columns))
      var line = part[..<(part.lastIndex { $0 != " " }.map(part.index(after:)) ?? part.startIndex)]
      line = line.hasPrefix(" ") ? line.dropFirst() : line
      lines.insert(String(line.dropFirst(2)), at: 0)
      guard line.hasPrefix(">") else { continue }
      let text = lines.joined(separator: "\n")
      return ["Write a message", "/chat name@server"].contains(text) ? "" : text
    }
    return nil
  }

  /// The column between the conversation and the details beside it; `nil` where there are none.
  private static func detailsBorder(_ screen: VirtualTerminal) -> Int? {
    (inputEdge(screen)..<screen.columns).first { isBorder(screen[1, $0]) }
  }

  private static func isBorder(_ cell: TerminalCell) -> Bool { ["│", "|"].contains(cell.text) }

  /// A row without the details, where they are beside the conversation.
  static func conversationText(_ screen: VirtualTerminal, row: Int) -> String {
    guard let border = detailsBorder(screen), isBorder(screen[row, border]) else {
      return screen.text(row: row)
    }
    return screen.text(row: row, columns: 0..<border)
  }

  /// The rows between the header and the input, without the list at their left.
  static func messageRows(_ screen: VirtualTerminal) -> [String] {
    (3..<screen.rows - 2).map { row in
      let line = Substring(screen.text(row: row))
      let border = line.firstIndex { $0 == "│" || $0 == "|" }
      return String(border.map { line[line.index(after: $0)...] } ?? line)
    }
  }

  /// Waits until the sidebar marks conversation `number` as the open one.
  func marks(conversation number: Int) async throws {
    try await expects("conversation \(number) open") { screen in
      screen.lines.contains { $0.hasPrefix(">\(number) ") }
    }
  }
}

/// The content of a screen without the clock.
struct Picture: Equatable {
  let cells: [[TerminalCell]]
  let cursor: TerminalPoint
  let title: String

  init(_ screen: VirtualTerminal) {
    var cells = screen.seenCells
    // The clock is the last word of the first row.
    for column in cells[0].indices.suffix(6) { cells[0][column] = TerminalCell() }
    self.cells = cells
    cursor = screen.cursor
    title = screen.title
  }

  /// Returns a description of the differences from another picture.
  func differences(from other: Picture) -> String {
    var found: [String] = []
    if cursor != other.cursor { found.append("cursor \(cursor), was \(other.cursor)") }
    if title != other.title { found.append("title \(title), was \(other.title)") }
    for (row, (ours, theirs)) in zip(cells, other.cells).enumerated() where ours != theirs {
      for (column, (one, two)) in zip(ours, theirs).enumerated() where one != two {
        found.append("\(row), \(column): \(one), was \(two)")
      }
    }
    return found.prefix(5).joined(separator: "\n")
  }
}

/// The output of a program, searched for text that it must not print.
struct PrintedOutput {
  let bytes: [UInt8]
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var hasEscape: Bool { bytes.contains(0x1b) }

  /// Every SGR sequence that chooses a colour; "the standard colour" (39, 49) is none.
  var colourSequences: [String] {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.matches(of: /\u{1b}\[([0-9;:]*)m/).compactMap { match in
      let numbers = match.1.split { $0 == ";" || $0 == ":" }.compactMap { Int($0) }
      let isColour = numbers.contains { number in
        (30...38).contains(number) || (40...48).contains(number)
          || (90...97).contains(number) || (100...107).contains(number)
      }
      return isColour ? String(match.1) : nil
    }
  }

  /// Scalars that would control the terminal or reverse the text.
  var steeringScalars: [Unicode.Scalar] {
    String(decoding: bytes, as: UTF8.self).unicodeScalars.filter { scalar in
      (0x7f...0x9f).contains(scalar.value) || (0x202a...0x202e).contains(scalar.value)
        || (0x2066...0x2069).contains(scalar.value)
    }
  }
}

extension PTYProcess {
  /// Waits until the screen looks as it did.
  func looks(like picture: Picture) async throws {
    guard await waits(upTo: .seconds(30), until: { Picture($0) == picture }) else {
      let now = screen
      Issue.record("\(Picture(now).differences(from: picture))\n\(now)")
      return
    }
  }

  /// The screen when nothing more has come for a moment. On a terminal without synchronised output
  /// (mode 2026) half of a frame can be seen: what was waited for in one row, and the rows below it
  /// as they were.
  func settles() async -> VirtualTerminal {
    // What never rests, a countdown for one, is shown as it is.
    for _ in 0..<100 {
      let count = outputCount
      let goesOn = await waits(upTo: .milliseconds(600)) { [weak self] _ in
        guard let self else { return false }
        return outputCount > count
      }
      if !goesOn { break }
    }
    return screen
  }

  /// Waits until the built-in server's guide has greeted, and opens its conversation.
  func opensGuide() async throws {
    // On a slow line there is no list.
    try await expects("the guide in the list or above its words, online", upTo: .seconds(60)) {
      screen in
      screen.text(row: 0).contains("online")
        && (screen.text(row: 1).hasPrefix(" Natter ●")
          || screen.lines.contains { $0.dropFirst().hasPrefix("1 ") && $0.contains("Natter") })
    }
    press(.alt("1"))
    try await shows(NatterRun.greetingEnd, "Write a message", upTo: .seconds(60))
    // Read, and nothing on the screen is about to change any more.
    try await expects("the greeting as read", upTo: .seconds(60)) { screen in
      screen.rows < 10 || !screen.lines[0].contains("Chats ")
    }
  }

  /// Indicates whether the terminal is as it was before the full screen.
  func isGivenBack(title: String = "") -> Bool {
    let screen = screen
    // What terminfo calls the normal cursor blinks on some terminals (12).
    return !screen.isAlternate && screen.isCursorVisible
      && screen.modes.subtracting([12]) == [7, 25]
      && !screen.hasApplicationKeypad && screen.title == title && screen.titleStack.isEmpty
      && isCooked
  }
}

/// Indicates whether a process has ended; a zombie has.
func isGone(_ process: pid_t) -> Bool {
  let state = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
  return state.isEmpty || state.contains(") Z ")
}

/// Waits for the end of a process that is nobody's child here; there is nothing else to wait on.
func waitsUntilGone(_ process: pid_t, upTo limit: Duration = .seconds(60)) async -> Bool {
  (try? await polls(upTo: limit) { isGone(process) }) ?? isGone(process)
}
