import FoundationEssentials
import NatterCore
import Text
import ViewModels
import XMPP

/// Line mode: correcting messages, reacting to them, taking them back; and what others do so.
extension PlainSession {
  /// As many messages as it is known of what was printed of them.
  private static let memory = 1000

  func remember(_ message: Message) {
    if printed.count > Self.memory { printed.removeAll() }
    printed[message.id] = PrintedMessage(message, at: Date())
  }

  /// Prints what is another about a message than it was.
  func showChange(of message: Message) {
    let before = printed[message.id] ?? PrintedMessage()
    remember(message)
    if message.isRetracted {
      guard !before.isRetracted else { return }
      return say(
        message.retraction == .moderator ? "plain.deleted-by-moderator" : "plain.deleted",
        ["name": author(of: message), "time": moment(of: message)])
    }
    // A call that was printed while it rang has ended.
    if case .call(let call) = message.content(at: Date()), let known = before.call, call != known {
      say(
        "plain.incoming",
        [
          "name": name(message.conversation), "text": text(of: message),
          "time": moment(of: message),
        ])
    }
    if message.isEdited, message.edit != before.edit {
      say(
        message.direction == .incoming ? "plain.edited" : "plain.edited-own",
        [
          "name": author(of: message),
          "text": format.text(of: message, by: "", now: Date()).withoutEmptyLinesAround,
        ])
    }
    if message.reactions != before.reactions || message.reactionTotals != before.totals {
      say(
        message.reactions.isEmpty ? "plain.no-reactions" : "plain.reactions",
        [
          "name": author(of: message),
          "text": ErrorText.oneLine(shortened(format.text(of: message, by: "", now: Date()))),
          "list": list(of: message),
        ])
    }
  }

  private func author(of message: Message) -> String {
    message.direction == .outgoing ? format.localizer("timeline.you") : speaker(of: message)
  }

  private func list(of message: Message) -> String {
    // Where there are too many to be named, the numbers say it.
    guard message.reactionTotals.isEmpty else {
      return localizer.list(
        message.reactionTotals.map { "\(format.shown($0.emoji)) \($0.people)" })
    }
    let reported = message.reactions.map { reaction in
      let sender = reaction.sender
      let name =
        reaction.isOwn
        ? format.localizer("timeline.you")
        : rooms[sender.bare].map { shown.occupantName(of: sender, besides: $0.nick) }
          ?? name(sender.bare)
      return reaction.emoji.map(format.shown).joined(separator: " ") + " " + name
    }
    return localizer.list(reported)
  }

  func shortened(_ text: String) -> String {
    text.count > 40 ? text.prefix(39) + "…" : text
  }

  /// The newest message of the conversation that is open for which `isMeant` holds.
  private func newest(_ missing: String, _ isMeant: (Message) -> Bool) async throws -> Message? {
    guard let current else {
      say("plain.no-conversation")
      return nil
    }
    let found = try await ports.timeline.latest(200, in: current).last {
      !$0.isRetracted && isMeant($0)
    }
    if found == nil { say(missing) }
    return found
  }

  /// `/edit TEXT`: corrects the user's last message.
  func edit(_ text: String) async {
    guard !text.isEmpty else { return PlainHelp(session: self).showUsage(of: "edit") }
    await relate("error.noOwnMessage") {
      $0.direction == .outgoing && $0.file == nil
    } _: {
      try await $0.correct($1, with: text)
    }
  }

  /// `/react EMOJI`: reacts to the newest message.
  func react(_ text: String) async {
    guard !text.isEmpty else { return PlainHelp(session: self).showUsage(of: "react") }
    guard let emoji = format.emojiNames.emoji(from: text) else {
      return say("error.noSuchEmoji", ["name": text])
    }
    await relate("error.noMessage") { _ in
      true
    } _: {
      try await $0.react(emoji, to: $1)
    }
  }

  /// `/delete`: retracts the user's last message, when the command is repeated.
  func delete(asked: PlainQuestion?) async {
    await relate("error.noOwnMessage") {
      $0.direction == .outgoing
    } _: { relating, message in
      guard asked == .delete(message.id) else {
        self.question = .delete(message.id)
        let text = message.file?.safeName ?? self.format.text(of: message, by: "", now: Date())
        // A pending message was not seen yet.
        return self.say(
          message.isUnsent ? "plain.delete-waiting" : "plain.delete",
          ["text": ErrorText.oneLine(self.shortened(text))])
      }
      try await relating.retract(message)
    }
  }

  func relate(
    _ missing: String, _ isMeant: (Message) -> Bool,
    _ action: (any MessageRelating, Message) async throws -> Void
  ) async {
    do {
      guard let message = try await newest(missing, isMeant) else { return }
      try await action(ports.relating, message)
    } catch {
      report(error)
    }
  }
}
