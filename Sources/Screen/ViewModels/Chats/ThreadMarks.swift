import NatterCore
import XML
import XMPP

/// Decides which messages show the thread that they belong to (interface.md, "Messages").
///
/// Many clients put one id on all messages of a conversation with a contact, or one for each time
/// that they are started: a thread is shown where it begins and where messages return to it, and
/// only if there is more than one.
nonisolated struct ThreadMarks {
  private let isRoom: Bool
  private let areShown: Bool
  /// The thread of the message before; in a conversation with a contact of the last message that
  /// is in one, because another client of the same contact may use none.
  private var last: Message.Thread?

  /// - Parameters:
  ///   - messages: those that are loaded.
  ///   - isRoom: whether they are of a room, where a single thread distinguishes its messages from
  ///     the others.
  init(of messages: [Message], isRoom: Bool) {
    self.isRoom = isRoom
    let first = messages.lazy.compactMap(\.thread).first
    areShown =
      isRoom
      ? first != nil
      : messages.contains { message in
        guard let first, let thread = message.thread else { return false }
        return !XEP0201Thread.isSame(thread.id, first.id)
      }
  }

  /// Takes the messages in order.
  /// - Parameter isSelected: a selected message shows its thread in any case.
  /// - Returns: the name of its thread; `nil`: it shows none.
  mutating func name(for message: Message, isSelected: Bool) -> String? {
    guard areShown, !message.isRetracted else { return nil }
    guard let thread = message.thread else {
      if isRoom { last = nil }
      return nil
    }
    let isSame = last.map { XEP0201Thread.isSame($0.id, thread.id) } ?? false
    last = thread
    return isSame && !isSelected ? nil : Self.name(of: thread)
  }

  /// Returns a short name: four digits that depend on the id, which is opaque and often long.
  static func name(of thread: Message.Thread) -> String {
    var hash = StableHash()
    hash.add(thread.id.utf8)
    return String(("000" + hash.text).suffix(4))
  }
}
