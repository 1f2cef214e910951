import Keys
import NatterCore

extension Command {
  /// `/link [N]`: opens a link of this conversation; without a number, lists them.
  package static let link = Command("link", [.text]) { call, context in
    guard !call.rest.isEmpty else { return context.chooseLink() }
    guard let number = Int(call.rest) else {
      throw NatterError(.invalidInput, "error.noSuchLink", ["number": call.rest])
    }
    try context.openLink(number: number)
  }

  /// `/copy`: copies the selected message, or else the newest.
  package static let copy = Command("copy") { _, context in context.copyMessage() }

  /// `/search [TEXT]`: searches this conversation.
  package static let search = Command("search", aliases: ["find", "lastlog"], [.text]) {
    call, context in
    try context.searchMessages(call.rest)
  }

  /// `/goto DATE`: jumps to the first message of a day.
  package static let goTo = Command("goto", [.text], required: 1) { call, context in
    try context.goTo(day: call.rest)
  }

  /// `/edit [TEXT]`: corrects the selected message, or else the user's last.
  package static let edit = Command("edit", aliases: ["correct"], [.text]) { call, context in
    try context.editMessage(call.rest)
  }

  /// `/reply [TEXT]`: replies to the selected message, or else the last one of a peer.
  package static let reply = Command("reply", aliases: ["quote"], [.text]) { call, context in
    try context.replyToMessage(call.rest)
  }

  /// `/react [EMOJI]`: reacts to the selected message, or else the newest.
  package static let react = Command("react", [.text]) { call, context in
    try context.reactToMessage(call.rest)
  }

  /// `/delete`: retracts the selected message, or else the user's last.
  package static let delete = Command("delete") { _, context in try context.deleteMessage() }

  /// `/do ACTION`: performs a key action by its name.
  package static let perform = Command("do", [.action], required: 1) { call, context in
    guard context.actions.perform(call.rest) else {
      throw NatterError(.invalidInput, "error.noSuchAction", ["name": call.rest])
    }
  }

  /// `/lang [TAG]`: sets the language; without a tag, lists the available ones.
  package static let lang = Command("lang", [.language]) { call, context in
    guard !call.rest.isEmpty else {
      return context.show(
        StatusNotice(
          .info, "status.languages",
          ["names": context.actions.languages().joined(separator: ", ")]))
    }
    guard context.actions.setLanguage(call.rest) else {
      throw NatterError(
        .invalidInput, "error.unknownLanguage",
        ["name": call.rest, "names": context.actions.languages().joined(separator: ", ")])
    }
  }

  /// `/split [beside|stacked|off]`: splits the screen between two conversations, or unsplits it.
  package static let split = Command("split", [.split]) { call, context in
    switch call.rest.lowercased() {
    case "": context.requestSplit(context.split == nil ? .beside : nil)
    case "off": context.requestSplit(nil)
    case let word:
      guard let form = ConversationSplit(rawValue: word) else {
        throw NatterError(.invalidInput, "error.badSplit", ["text": call.rest])
      }
      context.requestSplit(form)
    }
  }

  // Commands that switch to another tab.
  package static let chats = tabCommand("chats")
  package static let contacts = tabCommand("contacts", aliases: ["roster"])
  package static let files = tabCommand("files")
  /// `/discover [TEXT]`: searches rooms; `/discover add|remove ADDRESS`: adds or removes a
  /// service.
  package static let discover = Command("discover", [.service, .text]) { call, context in
    let (word, rest) = call.split
    switch (word, rest.isEmpty) {
    case ("", _): context.actions.openTab(.discover)
    case ("add", false), ("remove", false):
      try context.actions.request("discover/\(word)", ["jid": rest])
    default: try context.actions.request("discover/search", ["text": call.rest])
    }
  }
  package static let settings = Command("settings") { _, context in
    try context.actions.openAddress("natter://me/show?page=ui", false)
  }

  private static func tabCommand(_ name: String, aliases: [String] = []) -> Command {
    Command(name, aliases: aliases) { _, context in
      context.actions.openTab(SubAppID(rawValue: name))
    }
  }
}

/// The notification rule of a conversation.
nonisolated package enum NotificationRule: String, Hashable, Sendable, CaseIterable {
  /// The rule of the settings.
  case standard = "default"
  case all, mentions, none

  /// Reads the rule that the user typed.
  /// - Throws: `NatterError` if no rule has that name.
  package init(typed name: String) throws {
    guard let rule = NotificationRule(rawValue: name.lowercased()) else {
      throw NatterError(.invalidInput, "error.badNotify", ["name": name])
    }
    self = rule
  }

  /// The key of the sentence that states the rule of a conversation.
  package var noticeKey: String { "status.notify.\(rawValue)" }
}
