/// The number beside a conversation in the sidebar.
enum UnreadBadge {
  /// Returns the number of unread messages: `@1 2` where one of two mentions the user, `@2` where
  /// both do.
  static func text(unread: Int, mentions: Int) -> String {
    func shown(_ count: Int) -> String { count > 999 ? "999+" : "\(count)" }
    if mentions == 0 { return shown(unread) }
    return "@" + shown(mentions) + (mentions < unread ? " " + shown(unread) : "")
  }
}
