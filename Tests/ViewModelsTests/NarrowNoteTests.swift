import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text

@testable import ViewModels

/// The line below the query of a search, in the columns that it has.
@Suite struct NarrowNoteTests {
  private func columns(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x2E80 ? 2 : 1) }
  }

  private static let serverStates: [ServerSearch.State] = [
    .checking, .question, .underWay, .found(0, isComplete: true), .found(1, isComplete: true),
    .found(999, isComplete: true), .found(0, isComplete: false), .found(1, isComplete: false),
    .found(999, isComplete: false),
    .notOffered, .unanswered, .early, .withoutTerms, .fetching, .gone,
  ]
  private static let olderStates: [OlderMessages.State] = [
    .offered, .underWay, .beginning, .unanswered, .early, .refused(HistoryRefusal(.forbidden)),
  ]

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `every note fits 36 columns, and the long form the box of 80 columns`(tag: String) throws {
    let localizer = Localizer(tag: tag, texts: try texts(of: tag))
    let format = ItemFormat(localizer: localizer, account: .alice)
    for (isNarrow, limit) in [(true, 36), (false, 68)] {
      let notes =
        Self.serverStates.map {
          ServerSearch(state: $0, servers: 2).text(localizer, isNarrow: isNarrow)
        }
        + Self.olderStates.map {
          OlderMessages(state: $0, stored: 9999).text(format, isNarrow: isNarrow)
        }
      for note in notes {
        #expect(columns(note) <= limit, "\(note)")
        // A key without a text is its own text.
        #expect(!note.hasPrefix("find.") && !note.isEmpty)
      }
    }
  }
}
