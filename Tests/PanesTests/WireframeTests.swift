import ChatsFixtures
import Foundation
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// Each screen of interface.md, "Screens", on made-up items: at its three sizes, in the three
/// languages. The pictures of the screens are in `Wireframes`, a file each;
/// `NATTER_DRAW_WIREFRAMES=1` writes the missing ones.
@Suite struct WireframeTests {
  enum Wireframe: String, Sendable, CaseIterable {
    case guide, guideEnd, login, chats, contacts, discover, files, profile, profileForm, country,
      city, settings, themes, keys, person,
      palette, help, alert, preview

    /// Draws it.
    func drawn(_ size: Size, in language: String) async throws -> String {
      switch self {
      case .guide: picture(guidePane(page: 0, in: language), size.columns, size.rows)
      case .guideEnd: picture(guidePane(page: 3, in: language), size.columns, size.rows)
      case .login: picture(filledSignInPane(in: language), size.columns, size.rows)
      case .help: picture(helpPane(in: language), size.columns, size.rows)
      case .alert: picture(alertPane(in: language), size.columns, size.rows)
      case .settings: await settingsHarness(size, in: language).picture
      case .person: await personHarness(size, in: language).picture
      case .preview: await PicturePaneTests.wireframe(size, in: language)
      case .profileForm:
        picture(try await profileFormPane(in: language), size.columns, size.rows)
      case .keys: await keysHarness(size, in: language).picture
      case .themes: await themesHarness(size, FakeThemes(), in: language).picture
      case .chats, .contacts, .discover, .files, .profile, .country, .city, .palette:
        try await desktop(size, in: language)
      }
    }

    private func desktop(_ size: Size, in language: String) async throws -> String {
      let mediator = Mediator()
      let discover = DiscoverFactory(
        ports: DiscoverPorts(
          rooms: FakeRoomFinder(.wireframe(readAt: .minutes(0))),
          parts: FakeComponentDirectory(.wireframe(readAt: .minutes(0))),
          invitations: FakeComponentDirectory(invitations: []),
          feeds: FakeFeedReader(.wireframe(now: .minutes(0))),
          events: FakeEventPlanner(.wireframe(now: .minutes(0)))))
      let me = MeFactory(pages: [
        .profile {
          ProfileViewModel(
            shell: $0, profile: FakeProfile(ProfileSnapshotTests.card), mediator: mediator
          ) { _ in throw NatterError(.invalidInput, "error.unexpected") }
        }, .about { AboutViewModel(shell: $0, sources: .forTests) },
      ])
      let harness = await ShellHarness(
        size, factories: [ContactsFactory(), discover, FilesFactory(), me],
        files: FilesSnapshotTests.files(), language: language)
      let places = try Self.places()
      PlacePickers(localizer: localizer(language), table: { places }) { [weak harness] list in
        let pane = PalettePane(viewModel: list, glyphs: .ascii)
        harness?.coordinator.present(pane)
      }.publish(to: mediator)
      switch self {
      case .contacts: harness.press(Key(.function(3)))
      case .discover: harness.press(Key(.function(4)), Key(.down))
      case .files: harness.press(Key(.function(5)))
      case .palette:
        harness.press(.control("o"))
        harness.type("@")
      case .profile, .country, .city:
        harness.press(Key(.function(6)), .enter)
        await harness.settle()
        // The last but two and the last but one of the fields.
        if self != .profile {
          harness.type("G")
          for _ in 0..<(self == .country ? 3 : 2) { harness.press(Key(.up)) }
          harness.press(.enter)
          harness.type(self == .country ? "fr" : "pa")
        }
      default: break
      }
      for _ in 0..<3 { await harness.settle() }
      return harness.picture
    }

    private static func places() throws -> PlaceTable {
      let folder = Programs.checkout.appending(path: "Resources/places")
      func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      }
      return PlaceTable(countries: try text("countries.tsv"), cities: try text("cities.tsv"))
    }
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Wireframes")

  @Test(
    arguments: Wireframe.allCases,
    ["en", "fr", "zh-Hans"].flatMap { language in
      [(24, 80), (15, 40), (40, 120)].map { (language, $0.0, $0.1) }
    })
  func `a wireframe is drawn as it was`(
    wireframe: Wireframe, variant: (language: String, rows: Int, columns: Int)
  ) async throws {
    let size = Size(rows: variant.rows, columns: variant.columns)
    let drawn = try await wireframe.drawn(size, in: variant.language)
    let name = "\(wireframe.rawValue)-\(variant.columns)x\(variant.rows)-\(variant.language).txt"
    let file = Self.folder.appending(path: name)
    if ProcessInfo.processInfo.environment["NATTER_DRAW_WIREFRAMES"] == "1",
      !FileManager.default.fileExists(atPath: file.path)
    {
      try FileManager.default.createDirectory(
        at: Self.folder, withIntermediateDirectories: true)
      try Data((drawn + "\n").utf8).write(to: file)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == drawn + "\n", "\(name)\n\(drawn)")
    for line in drawn.split(separator: "\n") {
      #expect(String(line).columns <= variant.columns, "\(line)")
    }
    // No key without its text, and no text that was left in another language.
    #expect(!drawn.contains("{") || [.help, .keys].contains(wireframe), "\(drawn)")
  }
}
