import NatterCore
import Text
import XMPP

/// The messages of one thread (XEP-0201), and the threads that came from it below them, listed when
/// the user asks for them.
package struct MessageThreads {
  let shell: ShellViewModel

  /// The greatest number of messages in the list.
  static let limit = 100
  /// The greatest number of threads that came from it.
  static let childLimit = 20

  /// Lists the messages of the thread of the message in hand, oldest first; Enter goes to one.
  /// - Throws: `NatterError` if no conversation is open.
  func list() throws {
    guard let jid = shell.activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    guard let message = shell.timeline.messageInHand else {
      return shell.show(StatusNotice(.info, "status.noMessage"))
    }
    guard let thread = message.thread else {
      return shell.show(StatusNotice(.info, "status.noThread"))
    }
    shell.lifetime.inOrder { [weak shell] in
      guard let shell else { return }
      do {
        let messages = try await shell.ports.timeline.messages(
          inThread: thread.id, Self.limit, in: jid)
        let children = try await shell.ports.timeline.beginnings(
          ofThreadsFrom: thread.id, Self.childLimit, in: jid)
        guard shell.activeConversation == jid else { return }
        // It may be of a deleted message alone.
        guard !messages.isEmpty else { return shell.show(StatusNotice(.info, "status.noThread")) }
        let isCut = messages.count == Self.limit
        let title = shell.format.localizer(
          isCut ? "thread.titleCut" : "thread.title",
          ["name": ThreadMarks.name(of: thread), "count": "\(Self.limit)"])
        MessageList(shell: shell).offer(
          messages, children, in: jid, title: title,
          selected: messages.firstIndex { $0.id == message.id } ?? messages.count - 1)
      } catch { shell.report(error) }
    }
  }
}

/// `/thread`: lists the messages of the thread that the selected message, or else the newest,
/// belongs to.
enum ThreadCommand {
  static let thread = Command("thread") { _, context in try context.tools.threads.list() }
}
