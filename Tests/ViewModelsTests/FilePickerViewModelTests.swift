import ChatsFixtures
import NatterCore
import TestSupport
import Testing

@testable import ViewModels

@Suite struct FilePickerViewModelTests {
  private final class Chosen {
    var paths: [[String]] = []
    var folder = ""
  }

  private let lifetime = Lifetime()
  private let chosen = Chosen()

  private func picker(_ disk: FakeDisk = .home(), in folder: String = "/home/alice/") async
    -> FilePickerViewModel
  {
    let chosen = chosen
    let picker = FilePickerViewModel(
      title: "Send", folder: folder, localizer: english(), looking: disk, lifetime: lifetime,
      absolute: { $0.hasPrefix("~/") ? "/home/alice/" + $0.dropFirst(2) : $0 })
    picker.onEnd = { paths, folder in
      chosen.paths.append(paths)
      chosen.folder = folder
    }
    await lifetime.settle()
    return picker
  }

  private func names(_ picker: FilePickerViewModel) -> [String] {
    picker.items(0..<picker.count).map(\.name)
  }

  private func selected(_ picker: FilePickerViewModel) -> String? {
    picker.items(0..<picker.count).first(where: \.isSelected)?.name
  }

  private func type(_ text: String, into picker: FilePickerViewModel) async {
    for letter in text {
      picker.edit(picker.query + String(letter), cursor: picker.query.count + 1)
    }
    await lifetime.settle()
  }

  @Test
  func `a folder is listed with sizes, without what is hidden, the first thing in it selected`()
    async
  {
    let picker = await picker()
    #expect(picker.folder == "/home/alice")
    #expect(
      names(picker) == [
        "../", "Pictures/", "secret/", "keymap-v2.pdf", "notes.txt", "祝你生日快乐的照片.png",
      ])
    #expect(selected(picker) == "Pictures/")
    #expect(picker.items(3..<5).map(\.size) == ["310 kB", "4.2 kB"])
    #expect(picker.message.isEmpty)
    // More than there is may be asked for.
    #expect(picker.items(-5..<100).count == 6)
  }

  @Test func `hidden files come and go, and a typed dot means them`() async {
    let picker = await picker()
    picker.moveSelection(3)
    picker.toggleHidden()
    #expect(names(picker).contains(".profile"))
    #expect(selected(picker) == "notes.txt")
    picker.toggleHidden()
    #expect(!names(picker).contains(".profile"))
    await type(".p", into: picker)
    #expect(names(picker) == [".profile"])
  }

  @Test func `typing narrows the list whatever the case, and what is found nowhere is reported`()
    async
  {
    let picker = await picker()
    await type("NOTE", into: picker)
    #expect(names(picker) == ["notes.txt"] && selected(picker) == "notes.txt")
    await type("x", into: picker)
    #expect(picker.count == 0 && !picker.message.isEmpty)
    picker.open()
    picker.toggleMark()
    #expect(chosen.paths.isEmpty)
    picker.edit("", cursor: 0)
    #expect(picker.count == 6 && picker.message.isEmpty)
  }

  @Test func `folders are opened and left, and the one left is selected`() async {
    let picker = await picker()
    picker.open()
    #expect(picker.message == "reading ...")
    await lifetime.settle()
    #expect(picker.folder == "/home/alice/Pictures")
    #expect(names(picker) == ["../", "logo.png", "summit.jpg"])
    picker.goUp()
    await lifetime.settle()
    #expect(picker.folder == "/home/alice" && selected(picker) == "Pictures/")
    for _ in 0..<3 {
      picker.goUp()
      await lifetime.settle()
    }
    // The root has no way up.
    #expect(picker.folder == "/" && names(picker) == ["home/"])
    picker.open()
    await lifetime.settle()
    #expect(picker.folder == "/home" && selected(picker) == "alice/")
    picker.moveSelection(.min)
    #expect(selected(picker) == "../")
    picker.openFolder()
    await lifetime.settle()
    #expect(picker.folder == "/")
  }

  @Test func `out of a hidden folder one sees it`() async {
    let picker = await picker(in: "/home/alice/.config")
    #expect(picker.message == "This folder is empty.")
    picker.goUp()
    await lifetime.settle()
    #expect(selected(picker) == ".config/" && picker.showsHidden)
  }

  @Test func `a path that is typed leads where it says`() async {
    let picker = await picker()
    await type("Pictures/", into: picker)
    #expect(picker.folder == "/home/alice/Pictures" && picker.query.isEmpty)
    picker.edit("~/", cursor: 2)
    await lifetime.settle()
    #expect(picker.folder == "/home/alice")
    picker.edit("/", cursor: 1)
    await lifetime.settle()
    #expect(picker.folder == "/")
  }

  @Test func `a folder that cannot be read says why, and there is a way out of it`() async {
    let picker = await picker()
    picker.moveSelection(1)
    #expect(selected(picker) == "secret/")
    picker.open()
    await lifetime.settle()
    #expect(picker.message == "/home/alice/secret does not exist.")
    #expect(picker.count == 1)
    picker.goUp()
    await lifetime.settle()
    #expect(selected(picker) == "secret/")
    // One that is not there at the start leads home.
    let other = await self.picker(in: "/mnt/gone")
    #expect(other.folder == "/home/alice" && other.message.isEmpty)
  }

  @Test func `what is marked is chosen in that order, from any folder, and nothing else`() async {
    let picker = await picker()
    picker.toggleMark()
    #expect(picker.markedText.isEmpty, "a folder cannot be sent")
    picker.moveSelection(2)
    picker.toggleMark()
    #expect(selected(picker) == "notes.txt" && picker.markedText == "1 marked")
    await type("Pictures/", into: picker)
    picker.moveSelection(1)
    picker.toggleMark()
    #expect(picker.items(0..<3).map(\.isMarked) == [false, false, true])
    picker.moveSelection(-1)
    picker.toggleMark()
    picker.moveSelection(-1)
    picker.toggleMark()
    picker.moveSelection(-1)
    picker.open()
    #expect(
      chosen.paths == [["/home/alice/keymap-v2.pdf", "/home/alice/Pictures/summit.jpg"]])
    #expect(chosen.folder == "/home/alice/Pictures")
    picker.open()
    picker.cancel()
    #expect(chosen.paths.count == 1, "it ends once")
  }

  @Test func `Esc chooses nothing`() async {
    let picker = await picker()
    picker.cancel()
    #expect(chosen.paths == [[]])
  }

  @Test func `only the selected file is looked into, and what comes late is of no use`() async {
    let disk = FakeDisk.home()
    let picker = await picker(disk)
    #expect(picker.preview == nil)
    picker.moveSelection(3)
    picker.moveSelection(-1)
    await lifetime.settle()
    #expect(picker.preview == .nothing)
    picker.moveSelection(1)
    await lifetime.settle()
    guard case .text(let lines) = picker.preview else {
      Issue.record("no text")
      return
    }
    #expect(lines.first == "Things to bring:")
    picker.moveSelection(.min)
    #expect(picker.preview == nil)
  }

  @Test func `ten thousand files are filtered without making a row of each`() async {
    let files = (0..<10_000).map { (number: Int) in
      FolderFile(name: "file \(number).txt", isFolder: false, byteCount: number)
    }
    let picker = await picker(FakeDisk(["/many": files]), in: "/many")
    #expect(picker.count == 10_001)
    #expect(picker.items(5000..<5020).count == 20)
    await type("77", into: picker)
    #expect(picker.count == files.count { $0.name.contains("77") })
    picker.moveSelection(.max)
    #expect(selected(picker) == "file 9977.txt")
  }
}
