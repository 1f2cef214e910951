import NatterCore

extension Command {
  /// `/close`: hides the open conversation; its messages stay.
  package static let close = Command("close") { _, context in
    guard let jid = context.activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    context.close(jid)
  }

  /// `/clear`: clears the view of the open conversation; scrolling up loads everything again.
  package static let clear = Command("clear") { _, context in try context.clearView() }

  /// `/undo`: reverts the last change to the list of conversations.
  package static let undo = Command("undo") { _, context in context.undo() }

  /// `/pin [message]`: pins the open conversation to the top of the list, or unpins it; pins the
  /// selected message, or else the newest.
  package static let pin = Command("pin", [.thisMessage]) { call, context in
    guard context.activeConversation != nil else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    switch call.rest.lowercased() {
    case "": context.togglePin()
    case "message": context.tools.pins.pin()
    default: throw NatterError(.invalidInput, "error.badPin", ["text": call.rest])
    }
  }

  /// `/unpin`: unpins the selected message, or else the newest.
  package static let unpin = Command("unpin") { _, context in context.tools.pins.unpin() }

  /// `/pins`: lists the pinned messages of the open conversation.
  package static let pins = Command("pins") { _, context in try context.tools.pins.list() }

  /// `/number N`: gives the open conversation a number, which also decides its position in the
  /// list.
  package static let number = Command("number", [.text], required: 1) { call, context in
    guard let number = Int(call.rest), (1...999).contains(number) else {
      throw NatterError(.invalidInput, "error.badNumber", ["text": call.rest])
    }
    try context.moveConversation(to: number)
  }
}
