import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// The hint line of an overlay shows the key that closes it, however narrow the screen is.
@Suite struct WayOutTests {
  private static let size = Size(rows: 15, columns: 40)

  /// Returns the texts about leaving an overlay.
  private func waysOut(_ language: String) -> [String] {
    [
      "dialog.keysClose", "help.keysClose", "guide.keysSkip", "register.keysBack",
      "browser.keysBack", "help.keysSearchLeave", "signin.keysQuit", "signin.keysQuitShort",
    ].map { localizer(language)($0) }
  }

  private func expectWayOut(_ picture: String, _ language: String) {
    #expect(waysOut(language).contains { picture.contains($0) }, "\(picture)")
  }

  @Test(
    arguments: [
      WireframeTests.Wireframe.guide, .guideEnd, .login, .profileForm, .country, .city, .palette,
      .help, .alert, .preview,
    ], ["en", "fr", "zh-Hans"])
  func `an overlay of 40 columns shows how it is left`(
    overlay: WireframeTests.Wireframe, language: String
  ) async throws {
    expectWayOut(try await overlay.drawn(Self.size, in: language), language)
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `the line to find in and the list of files do so too`(language: String) async {
    for key in [Key.control("f"), .alt("u"), .control("o")] {
      let harness = await ShellHarness(
        Self.size, files: FakeFiles(), disk: .home(), language: language)
      harness.press(.enter)
      await harness.settle()
      harness.press(key)
      await harness.settle()
      #expect(!harness.coordinator.openOverlays.isEmpty)
      expectWayOut(harness.picture, language)
    }
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func
    `so does the guide where Left and Right change something, and the help where words are looked for`(
      language: String
    )
  {
    for field in ["language", "theme", "screen"] {
      let welcome = welcome(.guide, in: language)
      welcome.guide.form.focus(on: field)
      expectWayOut(picture(pane(welcome, in: language), 40, 15), language)
    }
    let help = helpPane(in: language)
    _ = help.handle(.character("/"))
    expectWayOut(picture(help, 40, 15), language)
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `so does every form that asks for something`(language: String) {
    let texts = localizer(language)
    for keys in [
      "form.keysSubmit", "room.keysEnter", "room.keysSave", "profile.keysSave", "signin.keysNext",
      "remote.keysGoOn", "remote.keysClose",
    ] {
      let form = FormViewModel(
        title: "?", fields: (1...20).map { FormField(.text, "\($0)", label: "\($0)") },
        keyHints: [texts.hint(keys), texts.wayOut("dialog.keysClose")])
      form.moreHint = texts("dialog.keysMore")
      expectWayOut(
        picture(FormPane(glyphs: .ascii, localizer: texts) { form }, 40, 15), language)
    }
  }

  @Test func `the way out is the last hint to go, and keeps its position`() {
    let hints = [
      KeyHint("Enter open"), KeyHint("Esc close", isWayOut: true), KeyHint("y link"),
      KeyHint("Backspace up"),
    ]
    func row(_ hints: [KeyHint], _ columns: Int) -> String {
      var surface = Surface(size: Size(rows: 1, columns: columns))
      var line = HintLine()
      line.draw(hints, row: 0, column: 0, columns: columns, into: &surface)
      return surface.description
    }
    #expect(row(hints, 60) == "Enter open   Esc close   y link   Backspace up")
    #expect(row(hints, 40) == "Enter open  Esc close  y link")
    #expect(row(hints, 21) == "Enter open  Esc close")
    #expect(row(hints, 20) == "Esc close")
    #expect(row(hints, 6).hasPrefix("Esc c"))
    let last = [hints[0], hints[2], hints[3], hints[1]]
    #expect(row(last, 29) == "Enter open  y link  Esc close")
    #expect(row(last, 28) == "Enter open  Esc close")
    #expect(row([hints[0]], 6).hasPrefix("Enter"))
  }
}
