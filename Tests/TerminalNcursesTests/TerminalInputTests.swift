import Foundation
import Terminal
import TestSupport
import Testing

@testable import TerminalNcurses

@Suite struct TerminalInputTests {
  private let collected = Observed<[InputEvent]>([])

  private func waits(_ condition: @escaping @Sendable ([InputEvent]) -> Bool) async throws {
    let came = await collected.waits(upTo: .seconds(60), until: condition)
    try #require(came, "only \(collected.value) came")
  }

  private func raw(_ terminal: PseudoTerminal) {
    var modes = termios()
    tcgetattr(terminal.slave, &modes)
    cfmakeraw(&modes)
    tcsetattr(terminal.slave, TCSANOW, &modes)
  }

  @Test func `keys arrive as events, a lone Escape too`() async throws {
    let terminal = try PseudoTerminal()
    raw(terminal)
    let collected = collected
    let input = TerminalInput(
      descriptor: terminal.slave, escapeDelay: .milliseconds(5), environment: [:]
    ) { events in
      collected.update { $0 += events }
    }
    input.start()
    terminal.type("é\u{1B}[1;5A")
    try await waits { $0.count == 2 }
    terminal.type("\u{1B}")
    try await waits { $0.count == 3 }
    terminal.type("\u{1B}[200~a\rb\u{1B}[201~")
    try await waits { $0.count == 4 }
    #expect(
      collected.value == [
        .key(.character("é")), .key(Key(.up, .control)), .key(.escape), .paste("a\nb"),
      ])
    input.pause()
    terminal.type("x")
    input.start()
    try await waits { $0.count == 5 }
    #expect(collected.value.last == .key(.character("x")))
    input.pause()
  }

  @Test func `the end of the terminal is an event`() async throws {
    let collected = collected
    let pipe = Pipe()
    let input = TerminalInput(
      descriptor: pipe.fileHandleForReading.fileDescriptor, environment: [:]
    ) { events in
      collected.update { $0 += events }
    }
    input.start()
    try pipe.fileHandleForWriting.write(contentsOf: Data("a".utf8))
    try pipe.fileHandleForWriting.close()
    try await waits { $0.last == .hangup }
    #expect(collected.value == [.key(.character("a")), .hangup])
  }
}

@Suite struct OpenQuestionsTests {
  @Test
  func
    `answers are waited for as long as they have taken, and who never told anything is given up`()
  {
    let start = ContinuousClock.now
    var questions = OpenQuestions()
    #expect(!questions.areOpen(at: start))
    questions.ask(readiness: true, at: start)
    #expect(questions.areOpen(at: start + .seconds(1)))
    #expect(!questions.areOpen(at: start + .seconds(3)))
    for (taken, patience) in [(100, 300), (400, 800), (200, 800), (5000, 1500)] {
      questions.giveUp()
      questions.ask(readiness: true, at: start)
      questions.answered(at: start + .milliseconds(taken))
      #expect(questions.patience == .milliseconds(patience))
      #expect(!questions.areOpen(at: start + .milliseconds(taken)))
    }
    questions.ask(readiness: false, at: start)
    #expect(questions.isBehindReadiness && questions.areOpen(at: start + .seconds(3)))
    questions.ask(readiness: true, at: start)
    questions.ask(readiness: true, at: start)
    questions.answered(at: start)
    #expect(!questions.isBehindReadiness && questions.areOpen(at: start))
  }
}

extension ScreenTests {
  @Suite(.serialized) struct SuspensionTests {
    private func suspension(_ terminal: PseudoTerminal) throws -> (Suspension, NcursesScreen) {
      let screen = try NcursesScreen(
        .init(
          theme: .plain, input: terminal.slave, output: terminal.slave,
          environment: ["TERM": "xterm"]))
      let input = TerminalInput(descriptor: terminal.slave, environment: [:]) { _ in }
      input.onReport = { if case .isReady = $0 { screen.tookAnswer() } }
      return (Suspension(screen: screen, input: input), screen)
    }

    /// As a terminal far away does it.
    @Test func `answers on their way do not come to who has the terminal next`() async throws {
      let terminal = try PseudoTerminal()
      let (suspension, screen) = try suspension(terminal)
      #expect(screen.askWhetherReady())
      screen.askForBackground()
      _ = try await terminal.output()
      terminal.answers("\u{1B}[0n\u{1B}]11;rgb:0/0/0\u{7}\u{1B}[0n", to: "\u{1B}[5n")
      suspension.leave(patience: .seconds(60))
      #expect(!terminal.isAnswering && terminal.waiting == 0)
      screen.stop()
    }

    @Test func `a terminal that does not answer is not waited for twice`() throws {
      let terminal = try PseudoTerminal()
      let (suspension, screen) = try suspension(terminal)
      defer { screen.stop() }
      #expect(screen.askWhetherReady())
      suspension.leave(patience: .zero)
      #expect(!screen.questions.areOpen(at: .now))
      terminal.type("t")
      suspension.leave()
      #expect(terminal.waiting == 1)
    }

    @Test func `a text is edited by a program`() async throws {
      let terminal = try PseudoTerminal()
      let (suspension, screen) = try suspension(terminal)
      defer { screen.stop() }
      let directory = FileManager.default.temporaryDirectory.appending(
        path: "natter-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: directory) }
      let edited = try await suspension.edit(
        "one two", with: "sed -i -e s/one/three/", in: directory)
      #expect(edited.text == "three two")
      // The text stays in its file until it is stored elsewhere.
      let file = try #require(edited.file)
      #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("three two"))
      edited.removeFile()
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
      #expect(!terminal.isCooked)
    }

    @Test func `a program that fails says how`() async throws {
      let terminal = try PseudoTerminal()
      let (suspension, screen) = try suspension(terminal)
      defer { screen.stop() }
      await #expect(throws: Suspension.Failure.exited(3)) {
        try await suspension.run(["sh", "-c", "exit 3"])
      }
      await #expect(throws: Suspension.Failure.signalled(SIGTERM)) {
        try await suspension.run(["sh", "-c", "kill -TERM $$"])
      }
      await #expect(throws: Suspension.Failure.notStarted(ENOENT)) {
        try await suspension.run(["/nowhere/at-all"])
      }
      #expect(!terminal.isCooked)
    }
  }
}
