import FoundationEssentials
import Testing

@testable import FileService

/// The files that the user is asked about before they are opened.
@Suite struct FileCautionTests {
  private func asks(_ name: String, _ head: String = "words\n", isExecutable: Bool = false) -> Bool
  {
    FileCaution.isNeeded(
      name: name, head: Array(head.utf8), end: [], isExecutable: isExecutable)
  }

  @Test(arguments: [
    "a.desktop", "a.jar", "a.exe", "a.html", "a.docm", "a.DESKTOP", "a.sh", "a.py", "a.pl", "a.rb",
    "a.js",
    "a.bat", "a.cmd", "a.ps1", "a.vbs", "a.msi", "a.deb", "a.rpm", "a.AppImage", "a.run", "a.htm",
    "a.xhtml",
    "a.svg", "a.xml", "a.mht", "a.hta", "a.lnk", "a.url", "a.scf", "a.reg", "a.xlsm", "a.pptm",
    "a.dotm", "a.doc",
    "a.xls", "a.ppt", "a.com", "a.scr", "a.apk", "a.dmg", "a.iso", "a.flatpakref", "a.snap",
    "a.m3u",
    "photo.jpg.desktop", "photo.jpg.exe", "a.desktop ", "a. desktop", "a.unknown",
    "a\u{D4E}.desktop", "a.m\u{212A}v",
  ])
  func `kinds that may run something, or that are not known, ask`(name: String) {
    #expect(asks(name))
  }

  @Test(arguments: [
    "a.txt", "a.png", "A.JPG", "a.pdf", "a.mp4", "a.ogg", "a.zip", "a.odt", "a.docx", "notes",
    ".profile-notes",
  ])
  func `kinds that are only shown do not`(name: String) { #expect(!asks(name)) }

  @Test(arguments: [
    "#!/bin/sh\nrm", "\u{7F}ELF", "MZ", "[Desktop Entry]\nExec=x", "# c\n[Desktop Entry]\n",
    "<!DOCTYPE html>",
    "\u{FEFF}<html>", " \n<script>", "<svg onload=x>", "<?xml version='1.0'?>", "<!-- x --><html>",
  ])
  func `what begins like a program, a script or a page asks, whatever it is called`(head: String) {
    for name in ["a.txt", "a.png", "a", "a.pdf"] { #expect(asks(name, head), "\(name)") }
  }

  @Test func `without a kind, bytes of no known sort and the executable bit ask`() {
    #expect(asks("a", "\u{0}\u{1}"))
    #expect(asks("a", "words", isExecutable: true))
    // Some disks know no such bit: every picture on them has it.
    #expect(!asks("a.png", "\u{1}", isExecutable: true))
  }

  @Test func `packed documents ask for the macros in them, wherever they are named`() {
    #expect(asks("a.docx", "PK\u{3}\u{4} word/vbaProject.bin"))
    #expect(asks("a.odt", "PK\u{3}\u{4} Basic/Standard/script-lb.xml"))
    #expect(asks("a.zip", "PK\u{3}\u{4} META-INF/MANIFEST.MF"))
    let end = Array("word/vbaProject.bin".utf8)
    #expect(
      FileCaution.isNeeded(
        name: "a.docx", head: Array("PK\u{3}\u{4}".utf8), end: end, isExecutable: false))
  }

  @Test func `documents of before 2007 ask under any name`() {
    let head: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]
    for name in ["a.docx", "a.odt", "a.rtf", "a.csv"] {
      #expect(
        FileCaution.isNeeded(name: name, head: head, end: [], isExecutable: false), "\(name)")
    }
  }

  @Test func `a packed file whose names are not all seen asks`() {
    func asks(_ end: [UInt8]) -> Bool {
      FileCaution.isNeeded(
        name: "a.odt", head: Array("PK\u{3}\u{4}".utf8), end: end, isExecutable: false)
    }
    func record(directory size: UInt8) -> [UInt8] {
      [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 8) + [size, 0, 0, 0]
        + [UInt8](repeating: 0, count: 6)
    }
    #expect(!asks([1, 2, 3] + record(directory: 3)))
    #expect(asks([1, 2] + record(directory: 3)))
    #expect(asks([1, 2, 3] + record(directory: 3) + Array("a comment".utf8)))
    #expect(asks([]))
  }

  @Test(arguments: ["hello\n<html><script>x", "<head>", "words <TITLE>", "x <script>"])
  func `a page without a kind asks, wherever it begins`(head: String) {
    #expect(self.asks("notes", head))
  }

  @Test func `files are read from the disk`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text, isAsked) in [
      ("a.txt", "hello", false), ("b.txt", "#!/bin/sh", true), ("c.desktop", "", true),
      ("d.png", String(repeating: "x", count: 200_000), false),
    ] {
      let file = folder.appending(path: name)
      try Data(text.utf8).write(to: file)
      #expect(await FileCaution.isNeeded(for: file.path) == isAsked, "\(name)")
    }
    #expect(await FileCaution.isNeeded(for: folder.path))
  }
}
