import NatterCore
import XMPP

/// Marks conversations as read or unread when the user asks for it.
package struct ReadMarks {
  let shell: ShellViewModel

  /// Marks a conversation as read.
  package func markRead(_ jid: JID) {
    change { reading in
      try await reading.markRead(jid).map { [$0] } ?? []
    } done: { _ in
      StatusNotice(.info, "status.markedRead")
    }
  }

  /// Marks every conversation as read, muted ones included.
  package func markAllRead() {
    let unread = shell.sidebar.conversations.values.filter { $0.unread > 0 }.map(\.jid)
    guard !unread.isEmpty else { return shell.show(StatusNotice(.info, "status.noUnread")) }
    let reading = shell.ports.reading
    let sorted = unread.sorted { $0.description < $1.description }
    shell.lifetime.inOrder { [weak shell] in
      let result = await ReadAll(sorted, reading)
      guard let shell else { return }
      shell.handle(.conversationsChanged(result.read))
      shell.show(result.notice(shell.format.localizer) { shell.name(of: $0) })
    }
  }

  /// Marks a conversation as unread, and leaves it: it stays unread until it is opened again.
  package func markUnread(_ jid: JID) {
    let name = shell.name(of: jid)
    // Messages below the screen may be unread already: then nothing changes.
    let isUnread = (shell.sidebar.conversation(jid)?.unread ?? 0) > 0
    for slot in shell.slots where slot.conversation == jid {
      shell.use(slot)
      shell.show(nil)
    }
    change { reading in
      try await reading.markUnread(jid).map { [$0] } ?? []
    } done: { changed in
      StatusNotice(
        .info, changed.isEmpty && !isUnread ? "status.nothingReceived" : "status.markedUnread",
        ["name": name])
    }
  }

  /// Changes conversations after what the user did before, and shows the result.
  private func change(
    _ work: @escaping @MainActor (any ConversationReading) async throws -> [Conversation],
    done: @escaping @MainActor ([Conversation]) -> StatusNotice
  ) {
    let reading = shell.ports.reading
    shell.lifetime.inOrder { [weak shell] in
      do {
        let changed = try await work(reading)
        shell?.handle(.conversationsChanged(changed))
        shell?.show(done(changed))
      } catch {
        shell?.report(error)
      }
    }
  }
}
