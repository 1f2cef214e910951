import NatterCore
import XMPP

/// What a room tells of itself: what it is about, and its picture.
extension RoomState {
  /// More is cut off: it is from outside.
  private static let aboutLimit = 1000

  /// Takes what the room says in answer to a question (XEP-0045 §6.4).
  /// - Returns: whether what the database keeps of it has changed.
  mutating func take(_ card: XEP0045Card) -> Bool {
    let before = (bookmark.about, bookmark.pictureID)
    bookmark.about = String(card.description.prefix(Self.aboutLimit))
    // A room may tell of its picture in presences only.
    bookmark.pictureID = card.pictureID ?? bookmark.pictureID
    showCard()
    return before != (bookmark.about, bookmark.pictureID)
  }

  /// Takes what a presence of the room itself says of its picture (XEP-0486 §3.3).
  /// - Returns: whether what the database keeps of it has changed.
  mutating func takePicture(_ presence: PresenceStanza) -> Bool {
    guard presence.kind == .available, let word = XEP0153.word(in: presence) else { return false }
    let before = bookmark.pictureID
    bookmark.pictureID = if case .picture(let id) = word { id } else { nil }
    showCard()
    return before != bookmark.pictureID
  }

  private mutating func showCard() {
    let (about, pictureID) = (bookmark.about, bookmark.pictureID)
    update {
      $0.about = about
      $0.pictureID = pictureID
    }
  }
}
