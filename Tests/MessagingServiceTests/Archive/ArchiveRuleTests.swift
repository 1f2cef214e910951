import Foundation
import NatterCore
import XML
import XMPP

/// A suite of what judges pages and ranges without a server or a database: messages have numbers,
/// and their times are seconds.
protocol ArchiveRuleTests {}

extension ArchiveRuleTests {
  func time(_ seconds: TimeInterval) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 + seconds)
  }

  /// - Parameter step: seconds between two messages with successive numbers.
  func page(_ numbers: [Int], every step: TimeInterval = 1, isComplete: Bool = false)
    -> XEP0313Page
  {
    XEP0313Page(
      results: numbers.map {
        XEP0313Result(
          id: "a\($0)", stamp: time(Double($0) * step),
          message: MessageStanza(Element("message", Namespace.client)))
      }, isComplete: isComplete)
  }
}
