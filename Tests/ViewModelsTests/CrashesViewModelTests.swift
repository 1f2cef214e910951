import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text

@testable import ViewModels

@Suite struct CrashesViewModelTests {
  private final class Disk {
    var reports: [CrashesViewModel.Report] = (1...7).map {
      .init(
        id: "crash-\($0).txt", at: .minutes(-Double($0)), version: "0.9.\($0)", signal: "SIGSEGV")
    }
    var deleted: [String] = []
    var copied: [String] = []
    var choices: [ChoiceRequest] = []
    var failure: NatterError?
  }
  private let disk = Disk()

  private func page() async -> (CrashesViewModel, ShellViewModel) {
    let disk = disk
    var actions = ShellActions.forTests()
    actions.copy = {
      disk.copied.append($0)
      return .copied
    }
    actions.choose = { disk.choices.append($0) }
    let shell = ShellViewModel(FakePorts(), actions: actions)
    let page = CrashesViewModel(
      shell: shell,
      files: CrashesViewModel.Files(
        list: { disk.reports },
        text: {
          if let failure = disk.failure { throw failure }
          return "natter 0.9\n\($0)\u{1B}[2J\n"
        },
        delete: { id in
          disk.deleted.append(id)
          disk.reports.removeAll { $0.id == id }
        }))
    await shell.lifetime.settle()
    return (page, shell)
  }

  @Test func `the page about the program names the newest five, and opens their page`() async {
    let disk = disk
    var opened: [String] = []
    var actions = ShellActions.forTests()
    actions.openAddress = { address, _ in opened.append(address) }
    let shell = ShellViewModel(FakePorts(), actions: actions)
    var sources = AboutViewModel.Sources(
      version: "1", facts: { [] }, diagnose: { _ in }, components: { [] })
    sources.crashes = { disk.reports }
    let about = AboutViewModel(shell: shell, sources: sources)
    #expect(!about.hasCrashes && !about.hint.contains("crash"))
    about.appeared()
    await shell.lifetime.settle()
    #expect(about.items.map(\.text).filter { $0.hasSuffix(", SIGSEGV") }.count == 5)
    about.showCrashes()
    #expect(opened == ["natter://me/show?page=crashes"])
    // They were deleted meanwhile.
    disk.reports = []
    about.appeared()
    await shell.lifetime.settle()
    #expect(!about.hasCrashes && !about.items.contains { $0.text.contains("SIGSEGV") })
  }

  @Test func `the newest five are listed, with version and signal`() async {
    let (page, _) = await page()
    #expect(page.items.map(\.id) == (1...5).map { "crash-\($0).txt" })
    #expect(page.items[0].value == "0.9.1, SIGSEGV" && page.items[0].isSelected)
    disk.reports = []
    let (empty, _) = await self.page()
    #expect(empty.items.isEmpty && empty.help[0] == "No crash reports.")
    empty.open()
    empty.reset()
    #expect(disk.choices.isEmpty)
  }

  @Test func `Enter shows the selected one, c copies it, Del deletes it`() async throws {
    let (page, shell) = await page()
    page.moveSelection(1)
    page.open()
    await shell.lifetime.settle()
    let choice = try #require(disk.choices.first)
    #expect(choice.labels.count == 2 && choice.labels[0] == "natter 0.9")
    #expect(disk.copied.isEmpty)
    choice.onEnd(nil)
    #expect(disk.copied.isEmpty)
    page.copy()
    await shell.lifetime.settle()
    #expect(disk.copied == ["natter 0.9\ncrash-2.txt\u{1B}[2J\n"])
    page.reset()
    await shell.lifetime.settle()
    #expect(disk.deleted == ["crash-2.txt"])
    #expect(page.items.map(\.id) == [1, 3, 4, 5, 6].map { "crash-\($0).txt" })
    #expect(page.items[1].isSelected)
  }

  @Test func `a report that cannot be read is an error in the status line`() async {
    let (page, shell) = await page()
    disk.failure = NatterError(.unexpected, "error.crash.gone", ["path": "/x"])
    page.open()
    await shell.lifetime.settle()
    #expect(shell.status.message.text == "/x is gone." && disk.choices.isEmpty)
  }
}
