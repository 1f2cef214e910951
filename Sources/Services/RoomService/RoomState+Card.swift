import NatterCore
import XMPP

/// The description and the picture of a room.
extension RoomState {
  /// The longest description, in scalars; more is cut off, because it is remote text.
  private static let aboutLimit = 1000

  /// Applies the room's answer to a query (XEP-0045 §6.4).
  /// - Parameter hasPicture: `false` if its picture is older than the known one.
  /// - Returns: `true` if stored fields of the bookmark have changed.
  mutating func take(_ card: XEP0045Card, hasPicture: Bool) -> Bool {
    let before = (bookmark.about, bookmark.pictureID)
    bookmark.about = String(card.description.unicodeScalars.prefix(Self.aboutLimit))
    // A room may announce its picture in presences only.
    if hasPicture, let id = card.pictureID { bookmark.pictureID = id }
    showCard()
    return before != (bookmark.about, bookmark.pictureID)
  }

  /// Applies the picture in a presence of the room itself (XEP-0486 §3.3).
  /// - Returns: `true` if stored fields of the bookmark have changed; `nil` if the presence says
  ///   nothing of a picture.
  mutating func takePicture(_ presence: PresenceStanza) -> Bool? {
    guard presence.kind == .available, let word = XEP0153.word(in: presence) else { return nil }
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
