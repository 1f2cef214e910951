import FoundationEssentials
import NatterCore
import XMPP

/// Which messages of a history are imported, and for which account.
package struct ImportSelection: Hashable, Sendable {
  /// The account that they are stored for, bare.
  package var account: JID
  /// The account that the history names as its owner.
  package var owner: JID
  /// Earlier messages are left out.
  package var since: Date?
  /// All other conversations are left out; bare, or an occupant's.
  package var only: JID?

  package init(account: JID, owner: JID? = nil, since: Date? = nil, only: JID? = nil) {
    self.account = account.bare
    self.owner = (owner ?? account).bare
    self.since = since
    self.only = only
  }
}

/// Messages of a history that are stored together, and the number of other entries around them.
struct ImportChunk: Sendable {
  /// The most messages, the most bytes of their contents, and the most entries of any kind.
  static let (messageLimit, byteLimit, entryLimit) = (1000, 4 << 20, 100_000)

  private(set) var entries: [HistoryEntry] = []
  private var bytes = 0
  private var items = 0
  private(set) var skipped = 0
  private(set) var leftOut = 0
  private(set) var foreign = 0
  private(set) var refused = 0
  private(set) var locations: [String] = []

  var isFull: Bool {
    entries.count >= Self.messageLimit || bytes >= Self.byteLimit || items >= Self.entryLimit
  }

  mutating func take(_ item: ImportItem, _ selection: ImportSelection) {
    items += 1
    switch item {
    case .skipped: skipped += 1
    case .foreign: foreign += 1
    case .refused(let place): refuse(place)
    case .message(let message):
      if let owner = message.account, owner.bare != selection.owner {
        foreign += 1
      } else if let since = selection.since, message.sentAt < since {
        leftOut += 1
      } else if let only = selection.only,
        message.conversation != only, message.conversation.bare != only
      {
        leftOut += 1
      } else if !message.hasReadableNick {
        refuse("\(message.conversation) \(XEP0082DateTime.text(for: message.sentAt))")
      } else if let entry = message.entry(for: selection.account) {
        bytes += entry.contentBytes
        entries.append(entry)
      } else {
        skipped += 1
      }
    }
  }

  private mutating func refuse(_ place: String) {
    refused += 1
    if locations.count < ImportReport.locationLimit { locations.append(place) }
  }
}

extension HistoryEntry {
  /// The size of its texts, in bytes: a history of another program may have any of them as long as
  /// a line.
  fileprivate var contentBytes: Int {
    let texts = [
      message.body, correctedText, message.reply?.text, message.file?.address, message.file?.name,
      message.file?.mediaType,
    ]
    return texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
      + reactions.reduce(0) { $0 + 100 + $1.emoji.reduce(0) { $0 + $1.utf8.count } }
  }
}

extension ImportedMessage {
  /// Returns the message as it is stored; `nil` if it has no content.
  func entry(for account: JID) -> HistoryEntry? {
    let file = details?.file ?? fileAddress.map { SharedFile(address: $0) }
    let retraction = details?.retraction
    let isEmpty = body.isEmpty && details?.correctedText == nil && details?.content == nil
    guard !isEmpty || file != nil || retraction != nil else { return nil }
    var message = IncomingMessage(
      conversation: conversation, sender: sender(for: account), direction: direction, body: body,
      sentAt: sentAt, originID: Self.id(originID), stanzaID: Self.id(stanzaID),
      isDelayed: details?.isDelayed ?? true, file: file)
    message.archivedAt = sentAt
    message.replaces = Self.id(corrects)
    message.reply = details?.reply
    message.thread = details?.thread
    message.sentBy = details?.sentBy
    message.retraction = retraction
    message.payload = details?.content.map { .content($0, source: nil) }
    var entry = HistoryEntry(message, kind: kind, precision: precision)
    entry.delivery = details?.delivery ?? .sent
    entry.correctedText = details?.correctedText
    entry.reactions = details?.reactions ?? []
    return entry
  }

  private func sender(for account: JID) -> JID {
    if let sender = details?.sender {
      // The owner of the history may have another account now.
      let isOther = direction == .outgoing && self.account != account
      return isOther && sender.bare == self.account ? account : sender
    }
    if kind == .room {
      return nick.flatMap { conversation.with(resource: $0) } ?? roomSender(account)
    }
    return direction == .outgoing ? account : conversation
  }

  private func roomSender(_ account: JID) -> JID {
    direction == .outgoing ? account : conversation
  }

  private static func id(_ id: String?) -> String? {
    IncomingMessage.givenID(HistoryText.id(id))
  }
}
