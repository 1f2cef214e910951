import FoundationEssentials
import XMPP

/// An upload to a conversation, or a download from a conversation to the local disk.
package struct FileTransfer: Identifiable, Hashable, Sendable {
  /// The row in the account's database: unique, never reused, increases with time.
  package struct ID: Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
    package static func < (a: ID, b: ID) -> Bool { a.rawValue < b.rawValue }
  }

  package enum Direction: String, Hashable, Sendable { case upload, download }

  /// The progress of a transfer from the queue to its end.
  package enum TransferStatus: Hashable, Sendable {
    /// Queued, or without a connection.
    case waiting
    case running
    /// The user paused it.
    case paused
    case done
    /// Stopped by an error; it does not continue by itself.
    case failed(NatterError)

    /// Indicates whether it does not continue unless the user requests it.
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
  /// The path on the disk, present or future.
  package var path: String
  /// The file name, made safe for disks and screens.
  package var name: String
  package var mediaType: String?
  /// `nil` if not known.
  package var byteCount: Int?
  /// The hashes of the content, strongest first: for a download those of its sender, for an upload
  /// SHA-256, once it is computed.
  package var digests: [FileDigest]
  /// The URL: for a download always, for an upload once it is complete.
  package var address: String?
  /// Alternative URLs, used if `address` fails.
  package let otherAddresses: [String]
  /// The service that received the upload.
  package var service: JID?
  /// The message that offers the file of a download; for an upload, `originID` is the message's
  /// origin-id.
  package var message: Message.ID?
  package var originID: String?
  package var state: TransferStatus
  /// The version of the partial file, as the server reports it: a strong entity tag or a date
  /// (`RemoteFile.validator`).
  package var validator: String?
  /// The one of `otherAddresses` that the partial file came from; `nil`: `address`.
  package var source: String?
  package let begun: Date
  /// The text that is sent as a message of its own after an upload; `nil`: none.
  package let text: String?
  /// The unique name of a download's partial file; `nil`: it has not begun.
  package var part: String?
  /// The size limit of an automatic download, in bytes; `nil`: the user's general limit applies.
  package var sizeLimit: Int?

  /// Transferred bytes. Not stored.
  package var progress = 0
  /// Bytes per second, over the last few seconds; 0 if not known. Not stored.
  package var rate = 0

  package init(
    id: ID, direction: Direction, conversation: JID, path: String, name: String,
    mediaType: String? = nil, byteCount: Int? = nil, digests: [FileDigest] = [],
    address: String? = nil, service: JID? = nil, message: Message.ID? = nil,
    originID: String? = nil, state: TransferStatus = .waiting, validator: String? = nil,
    source: String? = nil, begun: Date,
    text: String? = nil, part: String? = nil, sizeLimit: Int? = nil,
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
    self.text = text
    self.part = part
    self.sizeLimit = sizeLimit
    self.otherAddresses = otherAddresses
  }

  /// The origin-id of the message with the text; `nil` if there is none.
  package var textID: String? { text == nil ? nil : originID.map { $0 + "-words" } }

  /// The file as a message offers it, once it has a URL.
  package var sharedFile: SharedFile? {
    address.map {
      SharedFile(
        address: $0, name: name, mediaType: mediaType, byteCount: byteCount, digests: digests)
    }
  }

  /// The remaining time at the present rate; `nil` if not known.
  package var timeLeft: Duration? {
    guard rate > 0, let byteCount, byteCount >= progress else { return nil }
    return .seconds((byteCount - progress) / rate)
  }
}
