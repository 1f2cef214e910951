import FoundationEssentials
import XMPP

/// A file on its way to a conversation, or from one to this machine's disk.
package struct FileTransfer: Identifiable, Hashable, Sendable {
  /// The row in the account's database: unique, never used again, grows with time.
  package struct ID: Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
    package static func < (a: ID, b: ID) -> Bool { a.rawValue < b.rawValue }
  }

  package enum Direction: String, Hashable, Sendable { case upload, download }

  package enum State: Hashable, Sendable {
    /// Its turn has not come, or there is no connection.
    case waiting
    case running
    /// At the person's wish.
    case paused
    case done
    /// It will not go on by itself.
    case failed(NatterError)

    /// Whether nothing more happens to it unless the person wishes so.
    package var isOver: Bool {
      switch self {
      case .waiting, .running, .paused: false
      case .done, .failed: true
      }
    }
  }

  package let id: ID
  package let direction: Direction
  package let conversation: JID
  /// Where it is on the disk, or will be.
  package var path: String
  /// What it is called; safe.
  package var name: String
  package var mediaType: String?
  /// `nil` when nobody knows.
  package var byteCount: Int?
  /// What its content is known by, the strongest first: of a download as its sender told, of an upload SHA-256, once it is known.
  package var digests: [FileDigest]
  /// Where it is on the web: of a download always, of an upload once it is there.
  package var address: String?
  /// Where else it is: fetched from there where `address` does not give it.
  package let otherAddresses: [String]
  /// The service that it was uploaded to.
  package var service: JID?
  /// The message that offers it: of a download; its origin-id, of an upload.
  package var message: Message.ID?
  package var originID: String?
  package var state: State
  /// Which version a part is here of, as the server tells: a strong entity tag or a date (`RemoteFile.validator`).
  package var validator: String?
  /// Which of `otherAddresses` the part that is here came from; `nil`: `address`.
  package var source: String?
  package let begun: Date
  /// What is said in a message of its own after an upload; `nil`: nothing.
  package let words: String?
  /// The name of a download's partial file, unlike any other's; `nil`: it has not begun.
  package var part: String?
  /// Bytes that may come of a download that nobody asked for; `nil`: as many as the person lets come of any.
  package var sizeLimit: Int?

  /// Bytes that have gone or come. Not stored.
  package var progress = 0
  /// Bytes a second, of the last few seconds; 0 when nobody knows. Not stored.
  package var rate = 0

  package init(
    id: ID, direction: Direction, conversation: JID, path: String, name: String,
    mediaType: String? = nil, byteCount: Int? = nil, digests: [FileDigest] = [],
    address: String? = nil, service: JID? = nil, message: Message.ID? = nil,
    originID: String? = nil, state: State = .waiting, validator: String? = nil,
    source: String? = nil, begun: Date,
    words: String? = nil, part: String? = nil, sizeLimit: Int? = nil,
    otherAddresses: [String] = []
  ) {
    self.id = id
    self.direction = direction
    self.conversation = conversation
    self.path = path
    self.name = name
    self.mediaType = mediaType
    self.byteCount = byteCount
    self.digests = digests
    self.address = address
    self.service = service
    self.message = message
    self.originID = originID
    self.state = state
    self.validator = validator
    self.source = source
    self.begun = begun
    self.words = words
    self.part = part
    self.sizeLimit = sizeLimit
    self.otherAddresses = otherAddresses
  }

  /// The origin-id of the message with the words; `nil`: there are none.
  package var wordsID: String? { words == nil ? nil : originID.map { $0 + "-words" } }

  /// The file as a message offers it, once it is on the web.
  package var sharedFile: SharedFile? {
    address.map {
      SharedFile(
        address: $0, name: name, mediaType: mediaType, byteCount: byteCount, digests: digests)
    }
  }

  /// How long the rest takes at the present rate; `nil` when nobody knows.
  package var timeLeft: Duration? {
    guard rate > 0, let byteCount, byteCount >= progress else { return nil }
    return .seconds((byteCount - progress) / rate)
  }
}
