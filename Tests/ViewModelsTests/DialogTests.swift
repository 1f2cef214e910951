import Foundation
import NatterCore
import Testing
import Text

@testable import ViewModels

@Suite struct DialogTests {
  let localizer = formTexts()
  let noon = Date(timeIntervalSince1970: 1_800_000_000)

  @Test func `a question's enter and esc are both no`() {
    var answers: [Bool] = []
    let model = DialogViewModel.confirmation(
      title: "?", text: ["Really?"], yes: "Yes", no: "No", onYes: { answers.append(true) },
      onNo: { answers.append(false) })
    model.press()
    model.cancel()
    model.moveFocus(by: -1)
    model.press()
    #expect(answers == [false, false, true])
  }

  @Test func `a request to confirm is spelled out, its arguments harmless`() {
    var done: [String] = []
    let model = DialogViewModel.confirmation(
      ConfirmRequest(
        titleKey: "confirm.removeTitle", textKey: "confirm.remove",
        acceptKey: "confirm.removeAccept",
        arguments: ["name": "Bob\n\u{1b}[31m", "address": "bob@example.net"],
        onAccept: { done.append("accept") }), localizer: localizer, onEnd: { done.append("end") })
    #expect(
      model.dialog.lines == [
        .text("Remove Bob [31m (bob@example.net) from your contacts? The messages stay.")
      ])
    #expect(model.dialog.focusedButton?.id == "no")
    model.press("yes")
    #expect(done == ["accept", "end"])
  }

  @Test func `the alert counts down and keeps the focus`() {
    var now = noon
    var choices: [AlertViewModel.Choice] = []
    let alert = AlertViewModel(
      state: .waiting(
        until: noon.addingTimeInterval(83),
        reason: ConnectionProblem(.refused, host: "example.org", port: 5222, detail: "ECONNREFUSED")
      ),
      account: "alice@example.org", waiting: 2, localizer: localizer, now: { now },
      onChoice: { choices.append($0) })
    #expect(alert.dialog.dialog.lines.first == .text("Natter cannot reach example.org."))
    #expect(alert.dialog.dialog.lines.contains(.row("What happened", "connection refused")))
    #expect(alert.dialog.dialog.lines.contains(.row("Where", "example.org, port 5222")))
    #expect(alert.dialog.dialog.lines.contains(.text("2 messages wait to be sent.")))
    #expect(alert.dialog.dialog.lines.last == .text("Trying again in 1:23"))
    alert.dialog.moveFocus(by: 1)
    alert.dialog.invalidation.lower()
    alert.refresh()
    #expect(!alert.dialog.invalidation.isRaised)
    now = noon.addingTimeInterval(75)
    alert.refresh()
    #expect(alert.dialog.dialog.lines.last == .text("Trying again in 0:08"))
    #expect(alert.dialog.dialog.focusedButton?.id == "workOffline")
    now = noon.addingTimeInterval(300)
    alert.refresh()
    #expect(alert.dialog.dialog.lines.last == .text("Trying again in 0:00"))
    alert.dialog.press()
    alert.dialog.cancel()
    #expect(choices == [.workOffline, .hide])
  }

  @Test func `the alert follows the connection and says when there is nothing left to say`() {
    let alert = AlertViewModel(
      state: .offline, account: "alice@example.org", localizer: localizer, now: { noon },
      onChoice: { _ in })
    #expect(alert.connectionChanged(to: .connecting(host: "h")))
    #expect(alert.dialog.dialog.lines.last == .text("Connecting to h ..."))
    #expect(alert.connectionChanged(to: .refused(ConnectionProblem(.wrongPassword, host: "h"))))
    #expect(alert.dialog.dialog.lines.first == .text("Natter did not connect to h."))
    #expect(alert.dialog.dialog.buttons.first?.id == "signIn")
    #expect(!alert.connectionChanged(to: .online))
    #expect(alert.dialog.dialog.lines.last == .text("Connected again."))
  }

  @Test func `the alert goes on saying what is wrong while the next attempt runs`() {
    let problem = ConnectionProblem(.timedOut, host: "example.org", port: 5222)
    let alert = AlertViewModel(
      state: .waiting(until: noon, reason: problem), account: "alice@example.org",
      localizer: localizer, now: { noon }, onChoice: { _ in })
    alert.connectionChanged(to: .connecting(host: "example.org"))
    #expect(alert.dialog.dialog.lines.first == .text("Natter cannot reach example.org."))
    #expect(alert.dialog.dialog.lines.contains(.row("What happened", "no answer")))
    #expect(alert.dialog.dialog.lines.last == .text("Connecting to example.org ..."))
    // The buttons stay where they are, too.
    alert.connectionChanged(to: .refused(ConnectionProblem(.wrongPassword, host: "h")))
    let buttons = alert.dialog.dialog.buttons
    alert.connectionChanged(to: .connecting(host: "h"))
    #expect(alert.dialog.dialog.lines.first == .text("Natter did not connect to h."))
    #expect(alert.dialog.dialog.buttons == buttons)
    alert.connectionChanged(to: .offline)
    #expect(alert.dialog.dialog.lines.first == .text("You are working offline."))
  }

  @Test func `what is no chat server is not said to refuse`() {
    let problem = ConnectionProblem(.notXMPP, host: "127.0.0.1", port: 80)
    let dialog = AlertViewModel(
      state: .refused(problem), account: "alice@example.org", localizer: localizer, now: { noon },
      onChoice: { _ in }
    ).dialog.dialog
    #expect(dialog.lines.first == .text("Natter cannot reach 127.0.0.1."))
    #expect(dialog.lines.contains(.row("What happened", "not a chat server")))
  }

  @Test func `a secret that this computer did not give is no word of the server's`() {
    var problem = ConnectionProblem(.secretUnavailable)
    problem.cause = NatterError(
      .notAuthorized, "error.passwordCommand.failed",
      ["program": "pass", "status": "2", "detail": "no\u{1b}[31m key"])
    let dialog = AlertViewModel(
      state: .refused(problem), account: "alice@example.org", localizer: localizer, now: { noon },
      onChoice: { _ in }
    ).dialog.dialog
    #expect(
      dialog.lines.first == .text("Natter has no password for alice@example.org: nothing was sent.")
    )
    #expect(dialog.lines.contains(.row("What happened", "the password could not be read")))
    #expect(
      dialog.lines.contains {
        guard case .row("Detail", let text) = $0 else { return false }
        return text.hasPrefix("the password_command pass ended with 2: no [31m key.")
      })
    #expect(dialog.buttons.map(\.id) == ["tryNow", "workOffline", "signIn"])
    #expect(!dialog.lines.contains { if case .row("Where", _) = $0 { true } else { false } })
  }

  @Test func `the countdown runs until it is cancelled`() async {
    let steps = Record<Duration>()
    let alert = AlertViewModel(
      state: .offline, account: "a", localizer: localizer, now: { noon },
      sleep: {
        steps.add($0)
        if steps.values.count == 3 { throw CancellationError() }
      }, onChoice: { _ in })
    await alert.run()
    #expect(steps.values == [.seconds(1), .seconds(1), .seconds(1)])
  }

  @Test(arguments: [
    ("error.storage.lockedBy", NatterError.Retry.byUser, ["quit", "takeOver"], "quit"),
    ("error.storage.damaged", .never, ["quit", "setAside"], "quit"),
    ("error.storage.development", .never, ["quit", "setAside"], "quit"),
    ("error.storage.foreign", .never, ["quit", "setAside"], "quit"),
    ("error.storage.newer", .never, ["quit"], "quit"),
    ("error.storage.notWritable", .byUser, ["retry", "quit"], "retry"),
    ("error.storage.full", .byUser, ["retry", "quit"], "retry"),
  ])
  func `a problem that keeps Natter from starting is shown with the ways on`(
    key: String, retry: NatterError.Retry, buttons: [String], focus: String
  ) {
    let error = NatterError(.storage, key, ["path": "/d/a.db", "pid": "4711"], retry: retry)
    let dialog = StartupDialog.dialog(for: error, localizer: localizer)
    #expect(dialog.buttons.map(\.id) == buttons)
    #expect(dialog.focusedButton?.id == focus)
    guard case .text(let text)? = dialog.lines.first else {
      Issue.record("the dialog has no text")
      return
    }
    #expect(text.contains("/d/a.db") || text.contains("4711"))
    var choices: [StartupDialog.Choice] = []
    let model = StartupDialog.viewModel(for: error, localizer: localizer) { choices.append($0) }
    model.cancel()
    model.press(buttons[buttons.count - 1])
    #expect(choices.first == .quit)
    #expect(choices.last?.rawValue == buttons.last)
  }

  @Test func `every kind of problem has four parts with a text of their own`() {
    var whats: Set<String> = []
    for kind in ConnectionProblem.ProblemKind.allCases {
      let text = ErrorText(
        ConnectionProblem(kind, host: "example.org", port: 5222, detail: "D"), localizer: localizer)
      #expect(text.location == "example.org, port 5222")
      for part in [text.what, text.why, text.now] {
        #expect(!part.contains("problem."), "no text for \(kind)")
        #expect(!part.contains("{"), "an unfilled text for \(kind)")
      }
      #expect(text.why.hasSuffix(".") && text.now.hasSuffix("."))
      whats.insert(text.what)
    }
    #expect(whats.count == ConnectionProblem.ProblemKind.allCases.count)
  }

  @Test func `who ended the connection over the protocol is shown: the server, or Natter itself`() {
    var problem = ConnectionProblem(.notUnderstood, host: "example.org", detail: "bad-format")
    let theirs = ErrorText(problem, localizer: localizer)
    #expect(theirs.why.hasPrefix("example.org ended the connection"))
    #expect(theirs.now.contains("report it to Natter's authors"))
    problem.cause = NatterError(.unexpected, "error.protocol.noFeatures")
    let ours = ErrorText(problem, localizer: localizer)
    #expect(ours.why.hasPrefix("Natter ended the connection"))
    #expect(ours.now.contains("the server's operator"))
    #expect(ours.detail == "the server did not announce its features")
    // A command that ends tries nothing again.
    for text in [theirs, ours] { #expect(text.now.hasPrefix("Try again later;")) }
  }

  @Test func `a problem without host and port is shown without them`() {
    let text = ErrorText(ConnectionProblem(.unreachable), localizer: localizer)
    #expect(text.location.isEmpty)
    #expect(text.lines.count == 3)
    #expect(text.why == "There is no route from this computer to the server.")
  }

  @Test(arguments: [
    ("", ""), ("  a \r\n\t b ", "a b"), ("\u{1b}[31mred\u{7}", "[31mred"), ("a\u{0}b", "a b"),
    ("a  b", "a b"), ("a b ", "a b"), (" a", "a"), ("a b", "a b"), ("é\u{2028}b", "é b"),
    (String(repeating: "x", count: 200), String(repeating: "x", count: 200)),
    (String(repeating: "x", count: 201), String(repeating: "x", count: 200) + "…"),
  ])
  func `text from outside becomes one line`(text: String, line: String) {
    #expect(ErrorText.oneLine(text) == line)
  }
}
