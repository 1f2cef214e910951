import NatterCore

/// A mention of the user in the text of a room's message. It has no element: what counts is the
/// text, as users write it.
enum MentionPayload {
  /// Returns whether `text` mentions the user.
  /// - Parameter nick: the user's nick in the room; `nil` if it is not a message of another
  ///   occupant.
  static func decode(_ text: String, of nick: String?) -> Bool {
    nick.map { Mention.contains($0, in: text) } ?? false
  }
}
