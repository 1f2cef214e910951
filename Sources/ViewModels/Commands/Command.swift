import NatterCore
import XMPP

/// A typed command: what it is called, what it takes, how help tells of it, what it does.
package struct Command {
  /// What stands after the name; the kind decides what Tab completes.
  nonisolated package enum Parameter: String, Hashable, Sendable {
    /// A contact's address or name.
    case person
    /// A contact's address or name, or somebody in the room that is open, by nick.
    case somebody
    case text, theme, availability, topic
    /// `stop`.
    case refreshing
    /// What is done with a service of rooms: `add` or `remove`.
    case service
    /// The path of a file; it may have blanks in it, and is the last.
    case path
    /// The name of something a key does.
    case action
    case language
    /// How two conversations share the screen, or `off`.
    case split
    /// What of a conversation is told.
    case notification
    /// Somebody in the room that is open, by nick.
    case occupant
    /// A room's address or name.
    case room
    case affiliation
    /// What somebody in a room may do.
    case role
    /// One of the person's own accounts.
    case account
  }

  /// Without the slash, lower case.
  package let name: String
  package let aliases: [String]
  package let parameters: [Parameter]
  /// How many of the parameters must be there.
  package let required: Int
  /// Does it with the text after the name.
  /// - Throws: `NatterError` when the text is no good: nothing was done then, and what was typed stays.
  package let execute: (CommandCall, any CommandContext) throws -> Void

  package init(
    _ name: String, aliases: [String] = [], _ parameters: [Parameter] = [], required: Int = 0,
    execute: @escaping (CommandCall, any CommandContext) throws -> Void
  ) {
    self.name = name
    self.aliases = aliases
    self.parameters = parameters
    self.required = required
    self.execute = execute
  }

  /// Whether it ends or takes away something that one would miss: it is never run because something else was mistyped.
  package var isFinal: Bool {
    [
      "leave", "logout", "unregister", "destroy", "remove", "delete", "block", "kick", "ban",
      "cancel",
    ].contains(name)
  }

  /// The text that tells what it does, a key of `Resources/locales`.
  package var summaryKey: String { "command.\(name).summary" }
  /// How it is written, as `/msg ADDRESS TEXT`, a key of `Resources/locales`.
  package var usageKey: String { "command.\(name).usage" }
}

/// What was typed after a command's name.
nonisolated package struct CommandCall: Hashable, Sendable {
  /// Everything after the name, without blanks around it.
  package let rest: String

  package init(rest: String) { self.rest = rest }

  /// The first word and what comes after it.
  package var split: (first: String, rest: String) {
    guard let blank = rest.firstIndex(where: \.isWhitespace) else { return (rest, "") }
    let tail = rest[blank...].drop(while: \.isWhitespace)
    return (String(rest[..<blank]), String(tail))
  }

  /// A nick and what comes after it: nicks have blanks in them.
  /// - Parameter nicks: who is here.
  package func nick(among nicks: [String]) -> (nick: String, rest: String) {
    let whole = nicks.filter { rest == $0 || rest.hasPrefix($0 + " ") }
      .max { $0.count < $1.count }
    guard let whole else { return (split.first, split.rest) }
    return (whole, String(rest.dropFirst(whole.count)).trimmed)
  }

  /// An address and what comes after it. That of somebody in a room has blanks in it where his nick has.
  /// - Parameter nicks: who is in that room.
  package func address(nicks: [String]) -> (first: String, rest: String) {
    let (first, _) = split
    guard let slash = first.firstIndex(of: "/") else { return split }
    let begin = rest.index(after: slash)
    let behind = rest[begin...]
    let whole = nicks.filter { behind == $0 || behind.hasPrefix($0 + " ") }
      .max { $0.count < $1.count }
    guard let whole, let end = rest.index(begin, offsetBy: whole.count, limitedBy: rest.endIndex)
    else { return split }
    return (String(rest[..<end]), String(rest[end...].drop(while: \.isWhitespace)))
  }
}

/// What commands may do to the program.
package protocol CommandContext: AnyObject {
  /// The conversation the command was typed in.
  var activeConversation: JID? { get }
  var actions: ShellActions { get }
  /// The account whose conversation it is.
  var ownAccount: JID { get }
  /// What a list of the accounts is called.
  var accountsTitle: String { get }
  /// The address that `text` stands for: an address, or the name of somebody known.
  /// - Throws: `NatterError` when it is neither.
  func person(_ text: String) throws -> JID
  /// The account that `text` stands for: the same, of somebody in a room the address that the room tells.
  /// - Throws: `NatterError` when it is nobody's, or the room does not tell it.
  func contact(_ text: String) throws -> JID
  /// Whom something is said to, and what: an occupant of the room that is open, by nick, or else a contact. Empty: nothing.
  /// - Throws: `NatterError` when it is nobody.
  func addressee(_ call: CommandCall) throws -> (jid: JID, text: String)
  /// Whoever the open conversation is with.
  /// - Parameter command: the name of the command that asks.
  /// - Throws: `NatterError`, how the command is written, when none is open, or one of a room or somebody in it.
  func personHere(for command: String) throws -> JID
  func open(_ jid: JID)
  /// Goes to the conversation with that number in the list.
  func openConversation(number: Int)
  /// Takes the messages of the open conversation off the screen. They stay where they are.
  /// - Throws: `NatterError` when none is open.
  func clearView() throws
  /// Hides a conversation; its messages stay.
  func close(_ jid: JID)
  /// Takes back what was done last to the list of conversations.
  func undo()
  /// How two conversations share the screen; `nil`: there is one.
  var split: ConversationSplit? { get }
  /// Has two conversations share the screen, where there is room, or one have it again.
  func requestSplit(_ form: ConversationSplit?)
  /// Pins the open conversation to the top of the list, or lets it go.
  func togglePin()
  /// Gives the open conversation a number.
  /// - Throws: `NatterError` when none is open.
  func moveConversation(to number: Int) throws
  /// Opens the conversation and queues the message.
  func send(_ body: String, to jid: JID)
  /// Adds somebody to the contacts.
  /// - Parameter resource: what was typed behind the address, and is no part of a contact's.
  func addContact(_ jid: JID, withoutResource resource: String?)
  func removeContact(_ jid: JID)
  /// Has the server throw away what somebody sends, after a question.
  func block(_ jid: JID)
  func unblock(_ jid: JID)
  /// Somebody of the room that is open; `nil` where none is open or nobody has that nick.
  /// - Parameter isHere: whether he has to be in it now.
  func occupant(_ nick: String, isHere: Bool) -> JID?
  /// Tells who somebody is: the contact's page, or what the room that is open knows.
  /// - Throws: `NatterError` when it is nobody known.
  func tellWho(_ jid: JID) throws
  /// Lists what somebody, a server or a service lets one do.
  /// - Throws: `NatterError` when `text` names nobody.
  func chooseRemoteCommand(of text: String) throws
  func setPresence(_ availability: Availability, status: String?)
  func connect()
  func disconnect()
  /// Queues the failed messages of the open conversation again.
  func retryFailed()
  /// Drops the failed messages of the open conversation.
  func cancelFailed()
  /// Sends the file that is named to the open conversation.
  /// - Throws: `NatterError` when there is none, or nothing can be sent there.
  func upload(_ path: String) throws
  /// Lists the files of this machine, to send some of them to the open conversation.
  /// - Throws: `NatterError` when there is none, or nothing can be sent there.
  func pickFiles() throws
  /// Opens a file of the open conversation, counted from the newest, which is 1.
  func openFile(_ number: Int)
  /// Keeps it on the disk: in a folder, under a name, or (empty) where downloads go.
  func saveFile(_ number: Int, to path: String)
  /// Offers it to another conversation; `nil` asks to which.
  func forwardFile(_ number: Int, to jid: JID?)
  /// Goes to the message that offers it.
  func revealFile(_ number: Int)
  /// Lets the files of the open conversation wait, or go on.
  func holdTransfers()
  func show(_ notice: StatusNotice)
  /// How the account stands with its server, in a sentence.
  func showConnection()
  /// Enters a room, by address or by its name at the server's own rooms, and opens it.
  func joinRoom(_ name: String, nick: String?, password: String?)
  /// Leaves the room that is open, or another that is named, and hides it.
  /// - Throws: `NatterError` when it is no room.
  func leaveRoom(_ name: String) throws
  /// Does `work` with the room that is open, and says `done` after it.
  /// - Throws: `NatterError` when no room is open.
  func inRoom(
    _ done: StatusNotice?,
    _ work: @escaping @MainActor (JID, ShellViewModel.RoomPorts) async throws -> Void) throws
  /// Tells everybody who is `affiliation` to the room that is open.
  func listPeople(with affiliation: Occupant.Affiliation) throws
  /// Tells what the room that is open is about.
  /// - Throws: `NatterError` when no room is open.
  func tellTopic() throws
  /// Ends the room that is open for everybody, after a question.
  func destroyRoom(reason: String) throws
  /// Takes the nick apart from what follows: nicks have blanks in them, so those of the people here come first.
  func nick(_ call: CommandCall) -> (nick: String, rest: String)
  /// Shows or hides who is in the room that is open.
  /// - Throws: `NatterError` when no room is open.
  func toggleMembers() throws
  /// Opens the form of the room's settings.
  /// - Throws: `NatterError` when no room is open.
  func configureRoom() throws
  /// Looks for words in the open conversation.
  /// - Throws: `NatterError` when none is open.
  func searchMessages(_ query: String) throws
  /// Goes to the first message of a day (`2026-11-28`) or after it.
  /// - Throws: `NatterError` when it is no day, or no conversation is open.
  func goTo(day: String) throws
  /// Corrects the chosen message, or else the person's last: with `text`, or (empty) in the input.
  /// - Throws: `NatterError` when there is none that could be.
  func editMessage(_ text: String) throws
  /// Answers the chosen message, or else the last of somebody else: with `text`, or (empty) with what is typed.
  /// - Throws: `NatterError` when there is none, or nothing can be sent there.
  func replyToMessage(_ text: String) throws
  /// Reacts to the chosen message, or else the newest: with an emoji, or (empty) with one that is chosen from a list. The same
  /// again takes it back.
  /// - Throws: `NatterError` when there is no message, or no such emoji.
  func reactToMessage(_ text: String) throws
  /// Takes the chosen message, or else the person's last, back, after a question.
  /// - Throws: `NatterError` when there is none that could be.
  func deleteMessage() throws
  /// Copies the chosen message, or else the newest.
  func copyMessage()
  /// Lists the links and files of the conversation, to open one.
  func chooseLink()
  /// Opens a link by its number in that list.
  /// - Throws: `NatterError` when there is none.
  func openLink(number: Int) throws
}
