/// Distinguishes rooms from contacts in histories that do not say it.
enum RoomGuess {
  /// The names that servers commonly give their rooms' service.
  private static let names: Set<String> = [
    "conference", "muc", "rooms", "room", "chat", "chats", "groupchat", "groups",
  ]

  /// Returns whether a domain is named as those of rooms are.
  static func isRoomService(_ domain: String) -> Bool {
    let labels = domain.split(separator: ".")
    return labels.count > 2 && labels.first.map { names.contains(String($0)) } == true
  }
}
