import Testing

@testable import Terminal

@Suite struct TerminalReportTests {
  @Test(arguments: [
    ("\u{1B}]11;rgb:1e1e/2121/2727\u{1B}\\", Color.rgb(0x1E, 0x21, 0x27), Theme.Brightness.dark),
    ("\u{1B}]11;rgb:ff/ff/ff\u{7}", .rgb(255, 255, 255), .light),
    ("\u{1B}]11;rgb:f/f/8\u{7}", .rgb(255, 255, 136), .light),
  ]) func `the background is reported`(bytes: String, color: Color, kind: Theme.Brightness) {
    var decoder = InputDecoder()
    #expect(decoder.feed(Array((bytes + "x").utf8), at: .now) == [.key(.character("x"))])
    #expect(decoder.takeReports() == [.background(color)])
    #expect(decoder.takeReports() == [])
    #expect(Theme.Brightness(background: color) == kind)
  }

  @Test(arguments: [
    "]11;rgb:1/2", "]11;blue", "]11;rgb:12345/1/1", "]10;rgb:1/1/1", "]11;rgb:-1/1/1",
  ])
  func `other answers are none`(text: String) {
    var decoder = InputDecoder()
    #expect(decoder.feed(Array("\u{1B}\(text)\u{7}".utf8), at: .now) == [])
    #expect(decoder.takeReports() == [])
  }

  @Test(arguments: [("\u{1B}[0n", true), ("\u{1B}[3n", false), ("\u{1B}[0;0n", false)])
  func `that it has taken everything is reported`(bytes: String, isReported: Bool) {
    var decoder = InputDecoder()
    #expect(decoder.feed(Array((bytes + "x").utf8), at: .now) == [.key(.character("x"))])
    #expect(decoder.takeReports() == (isReported ? [.isReady] : []))
  }

  @Test(arguments: [
    ("15;0", Theme.Brightness.dark), ("0;15", .light), ("0;default;7", .light), ("12;8", .dark),
    ("", nil), ("x;y", nil), ("0;99", nil),
  ])
  func `COLORFGBG`(value: String, kind: Theme.Brightness?) {
    #expect(Theme.Brightness(colorFGBG: value) == kind)
  }

  @Test(arguments: [
    ("\u{1B}_Gi=1315009652;OK\u{1B}\\", true), ("\u{1B}_Gi=1315009652,p=1;OK\u{1B}\\", true),
    ("\u{1B}_Gi=1315009652;EINVAL:no\u{1B}\\", false), ("\u{1B}_Gi=7;OK\u{1B}\\", false),
    ("\u{1B}_Gi=1;i=1315009652;OK\u{1B}\\", false),
  ])
  func `that pictures can be drawn is reported, and nothing of it is typed`(
    bytes: String, isReported: Bool
  ) {
    var decoder = InputDecoder()
    #expect(decoder.feed(Array(bytes.utf8) + [0x61], at: .now) == [.key(.character("a"))])
    #expect(decoder.takeReports() == (isReported ? [.drawsPictures] : []))
  }
}
