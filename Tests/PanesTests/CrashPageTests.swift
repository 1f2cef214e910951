import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// The page with the crash reports, in three sizes.
@Suite struct CrashPageTests {
  private func harness(_ size: Size) async -> ShellHarness {
    let files = CrashesViewModel.Files(
      list: {
        [.init(id: "crash-1.txt", at: .minutes(1), version: "0.9.1", signal: "SIGSEGV")]
      }, text: { _ in "natter 0.9.1\nsignal 11\n" }, delete: { _ in })
    let harness = await ShellHarness(
      size,
      factories: [
        MeFactory(pages: [
          .crashes(files), .about { AboutViewModel(shell: $0, sources: .forTests) },
        ])
      ])
    harness.press(Key(.function(6)), .enter)
    await harness.settle()
    return harness
  }

  @Test(arguments: [
    Size(rows: 40, columns: 120), Size(rows: 24, columns: 80), Size(rows: 15, columns: 40),
  ])
  func `a crash is a row, with its keys below it`(size: Size) async {
    let harness = await harness(size)
    #expect(harness.picture.contains("> 14:01  0.9.1, SIGSEGV"))
    #expect(harness.picture.contains("Enter shows a report, c copies it"))
    harness.press(.enter)
    await harness.settle()
    #expect(harness.choices.last?.labels == ["natter 0.9.1", "signal 11"])
    harness.type("c")
    await harness.settle()
    #expect(harness.done.contains("copy natter 0.9.1\nsignal 11\n"))
  }

  @Test(arguments: [
    Size(rows: 40, columns: 120), Size(rows: 24, columns: 80), Size(rows: 30, columns: 40),
  ])
  func `the page about the program names the crash, and the way to its report`(size: Size) async {
    var sources = AboutViewModel.Sources.forTests
    sources.crashes = {
      [.init(id: "crash-1.txt", at: .minutes(1), version: "0.9.1", signal: "SIGSEGV")]
    }
    let harness = await ShellHarness(
      size,
      factories: [
        MeFactory(pages: [.about { [sources] in AboutViewModel(shell: $0, sources: sources) }])
      ])
    harness.press(Key(.function(6)), .enter)
    await harness.settle()
    #expect(
      harness.rows.contains { $0.contains("14:01") && $0.contains("0.9.1, SIGSEGV") },
      "\(harness.picture)")
    #expect(harness.picture.contains("c opens the crash reports"), "\(harness.picture)")
  }

  @Test func `the hint bar calls the key as the page does`() async {
    let harness = await harness(Size(rows: 40, columns: 120))
    #expect(harness.picture.contains("c Copy"))
    #expect(!harness.picture.contains("To chat"))
  }
}
