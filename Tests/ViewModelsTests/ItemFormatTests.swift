import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

@Suite struct ItemFormatTests {
  @Test(arguments: [(0, "12:00a"), (9, "9:00a"), (12, "12:00p"), (23, "11:00p")])
  func `clocks of twelve hours have no zero hour`(_ hour: Double, _ text: String) {
    let format = ItemFormat(
      localizer: english(), account: .alice, usesTwelveHours: true, local: { LocalTime.utc($0) })
    #expect(format.time(.minutes((hour - 14) * 60)) == text)
  }

  @Test func `a day of another year has its year`() {
    let format = testFormat()
    #expect(format.day(.minutes(-400 * 24 * 60), now: .afternoon) == "Thursday 16 October 2025")
  }
}
