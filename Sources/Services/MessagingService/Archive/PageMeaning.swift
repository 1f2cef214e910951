import FoundationEssentials
import NatterCore
import XMPP

/// The meaning of a page's messages for the user: which of them are counted as unread, and which
/// are announced. It does no I/O.
enum PageMeaning: Hashable {
  /// Messages sent later than this came since this program last looked.
  case news(since: Date)
  /// Messages sent later than this came since, too, but late: counted, and no bell rings.
  case missed(since: Date)
  /// Messages existed before this program's first login, unless sent later than this.
  case begun(at: Date)
  /// All messages were there before.
  case past

  /// A page's stored messages, by what they are for the user.
  struct Sorted: Hashable {
    /// Those to announce.
    var news: [Message] = []
    /// Those that came late.
    var missed: [Message] = []
    /// Those that were there before, or are read already.
    var past: [Message] = []
  }

  /// Indicates whether a page may have messages that came since this program last looked.
  var mayBeNews: Bool {
    switch self {
    case .news, .missed: true
    case .begun, .past: false
    }
  }

  /// Indicates whether a page fills a gap: the user may have read messages behind it meanwhile.
  var isLate: Bool {
    if case .missed = self { true } else { false }
  }

  /// Returns whether a message with the position of `time` is counted as unread.
  /// - Parameter answer: when another client of the account wrote in the conversation last: the
  ///   user has read what was there by then.
  func countsUnread(at time: Date, answeredAt answer: Date?) -> Bool {
    if let answer, answer > time { return false }
    switch self {
    case .news(let since), .missed(let since): return time > since
    case .begun(let since): return Self.isSent(time, after: since)
    case .past: return false
    }
  }

  /// Sorts the stored messages of a page.
  /// - Parameters:
  ///   - unread: the conversations that have unread messages now: in others, the messages were read
  ///     elsewhere already.
  ///   - read: the messages that fill a gap below those that the user has read.
  func sorted(_ messages: [Message], unread: Set<JID>, belowRead read: Set<Message.ID> = [])
    -> Sorted
  {
    var sorted = Sorted()
    for message in messages {
      guard !read.contains(message.id) else {
        sorted.past.append(message)
        continue
      }
      let (isUnread, time) = (unread.contains(message.conversation), message.position.time)
      switch self {
      case .news where isUnread, .begun where isUnread: sorted.news.append(message)
      case .news(let since) where time > since, .missed(let since) where time > since:
        sorted.missed.append(message)
      case .news, .missed, .begun, .past: sorted.past.append(message)
      }
    }
    return sorted
  }

  /// Returns whether the archive's time `time` is after `moment`. Whole seconds mean any part of
  /// them.
  private static func isSent(_ time: Date, after moment: Date) -> Bool {
    let second = Date(timeIntervalSince1970: moment.timeIntervalSince1970.rounded(.down))
    // `ArchiveOrder` has added microseconds within one second.
    return time > moment || second < moment && time >= second && time < second + 0.001
  }
}
