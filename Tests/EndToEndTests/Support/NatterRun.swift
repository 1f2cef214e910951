import Foundation
import TestSupport
import Testing

/// Natter's full screen on a terminal of its own, used as a person uses it.
///
/// Every run has a `Home`; two runs that share one are two windows of the same person.
final class NatterRun: Sendable {
  let terminal: PTYProcess
  let home: Home
  /// The arguments of its start, for another start on the same files.
  let arguments: [String]

  /// The choices of `--tls`.
  enum Security: String, CaseIterable, Sendable {
    case starttls, direct
  }

  init(
    _ arguments: [String], home: Home, rows: Int = 30, columns: Int = 100,
    terminal: String = "xterm-256color", language: String = "C.UTF-8",
    environment: [String: String] = [:], widened: Set<Unicode.Scalar> = []
  ) throws {
    self.home = home
    self.arguments = arguments
    self.terminal = try PTYProcess(
      Programs.natter, arguments,
      environment: home.environment(terminal: terminal, language: language, environment),
      rows: rows, columns: columns, directory: home.home.path, widened: widened)
  }

  /// `natter --local`, with `--account NAME` where there is a name.
  static func local(
    account: String? = nil, isFresh: Bool = false, home: Home, rows: Int = 30, columns: Int = 100,
    terminal: String = "xterm-256color", language: String = "C.UTF-8",
    environment: [String: String] = [:]
  ) throws -> NatterRun {
    try NatterRun(
      ["--local"] + (isFresh ? ["--fresh"] : []) + (account.map { ["--account", $0] } ?? []),
      home: home, rows: rows, columns: columns, terminal: terminal, language: language,
      environment: environment)
  }

  /// Natter with an account of a server that no DNS knows: everything is given by options.
  static func account(
    _ jid: String, _ password: String, on server: any XMPPServer, security: Security = .starttls,
    home: Home? = nil, rows: Int = 30, columns: Int = 100, terminal: String = "xterm-256color",
    language: String = "C.UTF-8", environment: [String: String] = [:], more: [String] = []
  ) throws -> NatterRun {
    let home = try home ?? Home()
    try home.folder.write(password + "\n", to: "password")
    return try NatterRun(
      options(jid, on: server, security: security)
        + ["--password-file", home.folder.path("password")] + more,
      home: home, rows: rows, columns: columns, terminal: terminal, language: language,
      environment: environment)
  }

  /// The options that lead to an account of `server`, without the password.
  /// - Parameter security: of no meaning where the server does not encrypt.
  static func options(_ jid: String, on server: any XMPPServer, security: Security = .starttls)
    -> [String]
  {
    guard let encryption = server.encryption else {
      return ["--account", jid, "--server", server.address, "--tls", "off"]
    }
    let port = security == .direct ? encryption.directPort : server.port
    return [
      "--account", jid, "--server", "\(server.host):\(port)", "--tls", security.rawValue,
      "--ca-file", encryption.certificate,
    ]
  }

  /// Another start with the same options and files, as after a crash.
  func startsAgain(rows: Int = 30, columns: Int = 100) throws -> NatterRun {
    try NatterRun(
      arguments.filter { $0 != "--fresh" }, home: home, rows: rows, columns: columns)
  }

  /// Another start on the same files where nothing answers; what is said of that is read and
  /// closed.
  func startsWithoutServer(rows: Int = 30) async throws -> NatterRun {
    var arguments = arguments
    if let index = arguments.firstIndex(of: "--server") { arguments[index + 1] = "127.0.0.1:9" }
    let again = try NatterRun(arguments, home: home, rows: rows)
    try await again.shows("Try now")
    again.terminal.press(.escape)
    // Esc and what follows at once would be one key.
    try await again.hides("Try now")
    return again
  }

  // MARK: What it shows

  var screen: VirtualTerminal { terminal.screen }

  func shows(_ texts: String..., upTo limit: Duration = .seconds(60)) async throws {
    try await expects(texts.joined(separator: " and "), upTo: limit) { screen in
      texts.allSatisfy { screen.contains($0) }
    }
  }

  func hides(_ text: String) async throws {
    try await WithoutResult.explained(by: home) {
      try await terminal.hides(text, upTo: .seconds(60))
    }
  }

  func expects(
    _ what: String, upTo limit: Duration = .seconds(60),
    until condition: @escaping @Sendable (VirtualTerminal) -> Bool
  ) async throws {
    try await WithoutResult.explained(by: home) {
      try await terminal.expects(what, upTo: limit, until: condition)
    }
  }

  /// Waits until the tab bar says that it is signed in.
  func waitsOnline() async throws {
    try await expects("online in the tab bar") { $0.text(row: 0).contains("online") }
  }

  /// Waits until the tab bar no longer says so.
  func waitsOffline() async throws {
    try await expects("the end of online in the tab bar") {
      $0.isAlternate && !$0.text(row: 0).isEmpty && !$0.text(row: 0).contains("online")
    }
  }

  /// Waits until a row with `text` ends in a tick: `.` queued, `✓` the server or the other one's
  /// device has it, `✓✓` it was displayed there.
  func shows(_ text: String, tick: String) async throws {
    try await expects("“\(text)” with \(tick)") { screen in
      screen.lines.contains { $0.contains(text) && $0.hasSuffix(" " + tick) }
    }
  }

  /// Waits until the message in a row with `text` has reached the other one's device: one tick that
  /// is no grey as the time is, or two where it was displayed at once.
  func showsDelivered(_ text: String) async throws {
    try await expects("“\(text)” delivered") { screen in
      screen.lines.indices.contains { row in
        let line = screen.lines[row]
        guard line.contains(text) else { return false }
        if line.hasSuffix(" ✓✓") { return true }
        guard line.hasSuffix(" ✓"),
          let tick = (0..<screen.columns).last(where: { screen[row, $0].text == "✓" })
        else { return false }
        // The time of the group: of a tick that says no more than "sent" it has the colour.
        let colons = (0...row).reversed().lazy.compactMap { row in
          (2..<screen.columns - 2).first { column in
            screen[row, column].text == ":"
              && [-2, -1, 1, 2].allSatisfy { screen[row, column + $0].text.first?.isNumber == true }
          }.map { screen[row, $0] }
        }
        guard let time = colons.first else { return false }
        return screen[row, tick].style.foreground != time.style.foreground
      }
    }
  }

  /// Waits until the sidebar has a row with `name` and at its end this many unread messages.
  func lists(_ name: String, unread: Int) async throws {
    try await expects("\(name) with \(unread) unread") { screen in
      let edge = Self.inputEdge(screen)
      return (1..<screen.rows).contains {
        let words = screen.text(row: $0, columns: 0..<max(0, edge - 1)).split(separator: " ")
        let count = words.last.flatMap { Int($0) } ?? 0
        return words.contains { $0 == name || $0.hasPrefix(name + "@") } && count == unread
      }
    }
  }

  /// Waits until messages of `name` have come: unread in the sidebar, or in the conversation that
  /// was opened for them because none was open at the start. That one may have been opened a moment
  /// before them, for a contact or for a typing notice: then they are read as they come, and none
  /// is new.
  func receives(from name: String, unread: Int) async throws {
    try await expects("\(unread) messages of \(name)") { screen in
      let edge = Self.inputEdge(screen)
      if screen.text(row: 1, columns: edge..<screen.columns).contains(name) {
        if screen.contains("\(unread) new") { return true }
        let written = (2..<screen.rows).map {
          screen.text(row: $0, columns: edge..<screen.columns).split(separator: " ")
        }.filter { $0.count > 2 && $0[0].wholeMatch(of: /\d\d:\d\d/) != nil }
        return written.count >= unread && written.contains { $0[1].hasPrefix(name.prefix(8)) }
      }
      return (1..<screen.rows).contains {
        let words = screen.text(row: $0, columns: 0..<max(0, edge - 1)).split(separator: " ")
        return words.contains { $0.hasPrefix(name) } && words.last == "\(unread)"
      }
    }
  }

  /// Waits until the sidebar has a row with `name` and with this glyph before it.
  func lists(_ name: String, presence glyph: String) async throws {
    try await expects("\(glyph) \(name) in the sidebar") { screen in
      let edge = Self.inputEdge(screen)
      return (1..<screen.rows).contains {
        screen.text(row: $0, columns: 0..<max(0, edge - 1)).contains("\(glyph) \(name)")
      }
    }
  }

  /// Returns the number of rows with `text`, which is two for a message that was stored twice.
  func count(of text: String) -> Int { screen.lines.filter { $0.contains(text) }.count }

  // MARK: What is done to it

  /// Types letter by letter into the input, and waits until the text is there.
  func type(_ text: String) async throws {
    for character in text { terminal.type(String(character)) }
    let wanted = Self.bare(text)
    try await expects("“\(text)” in the input") { Self.input($0).map { $0 == wanted } ?? false }
  }

  /// Types a line and sends it off; does not wait for what becomes of it.
  ///
  /// Enter comes when all of the text is on the screen: text and Enter in one piece would be a
  /// paste.
  func enter(_ text: String) async throws {
    try await type(text)
    terminal.press(.enter)
  }

  /// Types a line, sends it off, and waits until the input is empty again.
  func say(_ text: String) async throws {
    try await enter(text)
    let typed = Self.bare(text)
    try await expects("an input without “\(text)”") {
      Self.input($0).map { $0 != typed } ?? false
    }
  }

  /// Opens the conversation with an address, and waits until its header is there.
  func open(chat jid: String) async throws {
    try await say("/chat \(jid)")
    let name = jid.prefix { $0 != "@" }
    try await expects("the conversation with \(jid)") { screen in
      let header = screen.text(row: 1, columns: Self.inputEdge(screen)..<screen.columns)
      return header.contains(jid) || header.lowercased().contains(name)
    }
  }

  /// Chooses an entry or a button of the open dialog. The number of entries before it may depend on
  /// what has arrived: the mark is moved until it is there.
  /// - Parameter key: what moves the mark.
  func choose(_ entry: String, by key: TerminalKey = .down) async throws {
    for _ in 0..<20 where !screen.contains("[>\(entry)<]") {
      let marked = Self.markedEntry(screen)
      terminal.press(key)
      try await expects("the mark on another entry than \(marked ?? "none")") {
        Self.markedEntry($0).map { $0 != marked } ?? false
      }
    }
    try await shows("[>\(entry)<]")
    terminal.press(.enter)
  }

  private static func markedEntry(_ screen: VirtualTerminal) -> String? {
    screen.lines.lazy.compactMap { line in
      line.range(of: "[>").flatMap { begin in
        line[begin.upperBound...].range(of: "<]").map { end in
          String(line[begin.upperBound..<end.lowerBound])
        }
      }
    }.first
  }

  /// Presses Down until the list of pages at the left has its mark at one.
  func marks(page: String) async throws {
    try await expects("a mark in the list of pages") { Self.markedPage($0) != nil }
    for _ in 0..<20 {
      let marked = Self.markedPage(screen)
      if marked?.hasPrefix(page) == true { return }
      terminal.press(.down)
      try await expects("the mark at another page than \(marked ?? "none")") {
        Self.markedPage($0).map { $0 != marked } ?? false
      }
    }
    try await expects("the mark at \(page)") { Self.markedPage($0)?.hasPrefix(page) == true }
  }

  private static func markedPage(_ screen: VirtualTerminal) -> String? {
    screen.lines.dropFirst().first { $0.hasPrefix(" > ") }.map {
      String($0.dropFirst(3).prefix { $0 != "│" && $0 != "|" })
    }
  }

  /// Presses Right until a page of Discover is between the brackets of its row of pages.
  func marks(discoverPage page: String) async throws {
    try await expects("Discover") { Self.discoverPage($0) != nil }
    for _ in 0..<10 {
      let open = Self.discoverPage(screen)
      if open == page { return }
      terminal.press(.right)
      try await expects("another page than \(open ?? "none")") {
        Self.discoverPage($0).map { $0 != open } ?? false
      }
    }
    try await expects("the page \(page)") { Self.discoverPage($0) == page }
  }

  private static func discoverPage(_ screen: VirtualTerminal) -> String? {
    guard screen.rows > 1, screen.text(row: 0).contains("[F4 ") else { return nil }
    let row = screen.text(row: 1)
    guard let begin = row.firstIndex(of: "["), let end = row[begin...].firstIndex(of: "]") else {
      return nil
    }
    return String(row[row.index(after: begin)..<end])
  }

  /// Opens the first of the requests in the list of conversations, from the input.
  /// - Parameter key: what answers it.
  func opensFirstRequest(by key: TerminalKey = .enter) async throws {
    // Past the messages.
    terminal.press(.backTab)
    terminal.press(.backTab)
    terminal.press(.home)
    try await expects("the mark at the first request") { screen in
      let lines = screen.lines
      guard let title = lines.firstIndex(where: { $0.dropFirst().hasPrefix("REQUESTS") }) else {
        return false
      }
      return title + 1 < lines.count && lines[title + 1].hasPrefix(">")
    }
    terminal.press(key)
  }

  /// Ctrl+Q, waits for the end, and examines what it leaves behind.
  @discardableResult
  func quit(sourceLocation: SourceLocation = #_sourceLocation) async -> TestSupport.ExitStatus? {
    terminal.press(.control("q"))
    let status = await terminal.waitsForEnd(upTo: .seconds(60))
    await examinesDatabases(sourceLocation)
    return status
  }

  /// `kill -9`, and examines what that leaves behind.
  func kill(sourceLocation: SourceLocation = #_sourceLocation) async {
    terminal.signal(SIGKILL)
    await terminal.waitsForEnd(upTo: .seconds(60))
    await examinesDatabases(sourceLocation)
  }

  // MARK: The input

  /// The first column right of the sidebar.
  static func inputEdge(_ screen: VirtualTerminal) -> Int {
    guard screen.rows > 1 else { return 0 }
    let border = (0..<screen.columns).first { ["│", "|"].contains(screen[1, $0].text) }
    return border.map { $0 + 1 } ?? 0
  }

  /// Returns the text of the input up to the cursor, without spaces; `nil` where there is no input.
  private static func input(_ screen: VirtualTerminal) -> String? {
    let edge = inputEdge(screen)
    var text = ""
    for row in (0...screen.cursor.row).reversed() {
      let end = row == screen.cursor.row ? screen.cursor.column : screen.columns
      guard end >= edge else { return nil }
      let part = screen.text(row: row, columns: edge..<end)
      text = part + text
      if part.hasPrefix("> ") || part.hasPrefix(" > ") {
        return bare(String(text.drop { $0 != ">" }.dropFirst()))
      }
      // The input has six rows at most.
      if screen.cursor.row - row > 6 { break }
    }
    return nil
  }

  /// Without what a terminal may leave out or add: blanks, joiners, variation selectors, skin
  /// tones.
  private static func bare(_ text: String) -> String {
    let scalars = text.unicodeScalars.filter {
      !$0.properties.isWhitespace && ![0x200D, 0xFE0F].contains($0.value)
        && !$0.properties.isEmojiModifier
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
