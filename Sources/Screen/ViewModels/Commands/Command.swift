import NatterCore
import Text
import XMPP

/// A typed command: name, parameters, help texts, and effect.
package struct Command {
  /// A parameter after the name; the kind decides what Tab completes.
  nonisolated package enum Parameter: String, Hashable, Sendable {
    /// A contact's address or name.
    case person
    /// A contact's address or name, or an occupant of the open room, by nick.
    case peer
    case text, theme, availability, topic
    /// `stop`.
    case refreshing
    /// The operation on a room service: `add` or `remove`.
    case service
    /// The path of a file; it may contain spaces, and is the last parameter.
    case path
    /// The name of a key action.
    case action
    case language
    /// The layout of a split screen, or `off`.
    case split
    /// A notification rule, or `word`.
    case notification
    /// The operation on the keywords that notify.
    case notifyWords
    /// A word that notifies.
    case notifyWord
    /// The time for which a conversation is muted.
    case mute
    /// `all`.
    case allConversations
    /// `here`.
    case thisConversation
    /// `message`.
    case thisMessage
    /// The operation on a conversation's history.
    case history
    /// The format of an export, or `cancel`.
    case exportFormat
    /// `undo` or `cancel`, instead of the path of an import.
    case importOperation
    /// An occupant of the open room, by nick.
    case occupant
    /// A room's address or name.
    case room
    case affiliation
    /// A role in a room.
    case role
    /// One of the user's own accounts.
    case account
    /// The operation on a script, and its name.
    case script, scriptName
  }

  /// The name without the slash, in lower case.
  package let name: String
  package let aliases: [String]
  package let parameters: [Parameter]
  /// The number of mandatory parameters.
  package let required: Int
  /// Runs the command with the text after the name.
  /// - Throws: `NatterError` if the text is invalid: then the command has no effect, and the input
  ///   stays.
  package let execute: (CommandCall, any CommandContext) throws -> Void
  /// The texts of a script's command; `nil`: those of its keys.
  package var texts: CommandTexts?

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

  /// True if it ends or removes something valuable: a mistyped command is never corrected to it.
  package var isFinal: Bool { CommandTexts.finalNames.contains(name) && texts == nil }

  /// The key of its description in `Resources/locales`.
  package var summaryKey: String { "command.\(name).summary" }
  /// The key of its syntax, as in `/msg ADDRESS TEXT`, in `Resources/locales`.
  package var usageKey: String { "command.\(name).usage" }
}

/// The text after a command's name.
nonisolated package struct CommandCall: Hashable, Sendable {
  /// Everything after the name, trimmed.
  package let rest: String

  package init(rest: String) { self.rest = rest }

  /// The first word, and the text after it.
  package var split: (first: String, rest: String) {
    guard let blank = rest.firstIndex(where: \.isWhitespace) else { return (rest, "") }
    let tail = rest[blank...].drop(while: \.isWhitespace)
    return (String(rest[..<blank]), String(tail))
  }

  /// Splits a nick from the text after it: nicks contain spaces.
  /// - Parameter nicks: the occupants.
  package func nick(among nicks: [String]) -> (nick: String, rest: String) {
    let whole = nicks.filter { rest == $0 || rest.hasPrefix($0 + " ") }
      .max { $0.count < $1.count }
    guard let whole else { return (split.first, split.rest) }
    return (whole, String(rest.dropFirst(whole.count)).trimmed)
  }

  /// Splits an address from the text after it. An occupant's JID contains spaces if the nick does.
  /// - Parameter nicks: the occupants of that room.
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

/// The operations that commands may perform on the program.
package protocol CommandContext: AnyObject {
  /// The conversation in which the command was entered.
  var activeConversation: JID? { get }
  var actions: ShellActions { get }
  /// The actions on conversations and messages that have types of their own.
  var tools: ConversationTools { get }
  var format: ItemFormat { get }
  /// Returns the address that `text` means: an address, or the name of a known contact.
  /// - Throws: `NatterError` if it is neither.
  func person(_ text: String) throws -> JID
  /// Returns the account that `text` means: like `person`, but the real JID of an occupant.
  /// - Throws: `NatterError` if it is unknown, or the room hides it.
  func contact(_ text: String) throws -> JID
  /// Splits an addressee from a message: an occupant of the open room, by nick, or else a contact.
  /// An empty text means no message.
  /// - Throws: `NatterError` if the addressee is unknown.
  func addressee(_ call: CommandCall) throws -> (jid: JID, text: String)
  /// Returns the peer of the open conversation.
  /// - Parameter command: the name of the command that asks.
  /// - Throws: `NatterError` if no conversation is open, or it is a room's or an occupant's.
  func personHere(for command: String) throws -> JID
  func open(_ jid: JID)
  /// Opens the conversation with that number in the list.
  func openConversation(number: Int)
  /// Removes the messages of the open conversation from the screen; they stay stored.
  /// - Throws: `NatterError` if no conversation is open.
  func clearView() throws
  /// Hides a conversation; its messages stay.
  func close(_ jid: JID)
  /// Reverts the last change to the list of conversations.
  func undo()
  /// The layout of the split screen; `nil` if it is not split.
  var split: ConversationSplit? { get }
  /// Splits the screen between two conversations if it is large enough; `nil` unsplits it.
  func requestSplit(_ form: ConversationSplit?)
  /// Pins the open conversation to the top of the list, or unpins it.
  func togglePin()
  /// Gives the open conversation a number.
  /// - Throws: `NatterError` if no conversation is open.
  func moveConversation(to number: Int) throws
  /// Opens the conversation and queues the message.
  func send(_ body: String, to jid: JID)
  /// Adds a contact.
  /// - Parameter resource: the resource that was typed after the address; contacts do not have one.
  func addContact(_ jid: JID, withoutResource resource: String?)
  func removeContact(_ jid: JID)
  /// Blocks an address on the server, after a confirmation.
  func block(_ jid: JID)
  func unblock(_ jid: JID)
  /// Returns an occupant of the open room; `nil` if no room is open or the nick is unknown.
  /// - Parameter isHere: whether the occupant must be present now.
  func occupant(_ nick: String, isHere: Bool) -> JID?
  /// Shows details of an address: the contact's page, or the data of the open room.
  /// - Throws: `NatterError` if the address is unknown.
  func showWho(_ jid: JID) throws
  /// Lists the remote commands (XEP-0050) of a contact, a server or a service.
  /// - Throws: `NatterError` if `text` means no known address.
  func chooseRemoteCommand(of text: String) throws
  func setPresence(_ availability: Availability, status: String?)
  func connect()
  func disconnect()
  /// Queues the failed messages of the open conversation again.
  func retryFailed()
  /// Drops the failed messages of the open conversation.
  func cancelFailed()
  /// Sends a file to the open conversation.
  /// - Throws: `NatterError` if no conversation is open, or it cannot be sent to.
  func upload(_ path: String) throws
  /// Shows the file picker, to send files to the open conversation.
  /// - Throws: `NatterError` if no conversation is open, or it cannot be sent to.
  func pickFiles() throws
  /// Opens a file of the open conversation, counted from the newest, which is 1.
  func openFile(_ number: Int)
  /// Saves that file: in a folder, under a name, or (empty) in the download folder.
  func saveFile(_ number: Int, to path: String)
  /// Forwards that file to another conversation; `nil` asks which one.
  func forwardFile(_ number: Int, to jid: JID?)
  /// Shows the message that offers that file.
  func revealFile(_ number: Int)
  /// Pauses or resumes the transfers of the open conversation.
  func holdTransfers()
  func show(_ notice: StatusNotice)
  /// Shows the connection state of the account in a sentence.
  func showConnection()
  /// Joins a room, by address or by its name at the server's own room service, and opens it.
  func joinRoom(_ name: String, nick: String?, password: String?)
  /// Leaves the open room, or a named one, and hides it.
  /// - Throws: `NatterError` if it is not a room.
  func leaveRoom(_ name: String) throws
  /// Runs `work` with the open room, and shows `done` afterwards.
  /// - Throws: `NatterError` if no room is open.
  func inRoom(
    _ done: StatusNotice?,
    _ work: @escaping @MainActor (JID, ShellViewModel.RoomPorts) async throws -> Void) throws
  /// Lists everyone who has `affiliation` in the open room.
  func listPeople(with affiliation: Occupant.Affiliation) throws
  /// Shows the subject of the open room.
  /// - Throws: `NatterError` if no room is open.
  func showTopic() throws
  /// Destroys the open room, after a confirmation.
  func destroyRoom(reason: String) throws
  /// Splits the nick from the following text: nicks contain spaces, so those of present occupants
  /// win.
  func nick(_ call: CommandCall) -> (nick: String, rest: String)
  /// Shows or hides the occupants of the open room.
  /// - Throws: `NatterError` if no room is open.
  func toggleMembers() throws
  /// Opens the room configuration form.
  /// - Throws: `NatterError` if no room is open.
  func configureRoom() throws
  /// Searches the open conversation.
  /// - Throws: `NatterError` if no conversation is open.
  func searchMessages(_ query: String) throws
  /// Jumps to the first message on or after a day (`2026-11-28`).
  /// - Throws: `NatterError` if the date is invalid, or no conversation is open.
  func goTo(day: String) throws
  /// Corrects the selected message, or else the user's last: with `text`, or (empty) in the input.
  /// - Throws: `NatterError` if there is no message to correct.
  func editMessage(_ text: String) throws
  /// Replies to the selected message, or else to the last one of a peer: with `text`, or (empty)
  /// with the next input.
  /// - Throws: `NatterError` if there is no message, or the conversation cannot be sent to.
  func replyToMessage(_ text: String) throws
  /// Reacts to the selected message, or else the newest: with an emoji, or (empty) with one chosen
  /// from a list. The same emoji again removes the reaction.
  /// - Throws: `NatterError` if there is no message, or no such emoji.
  func reactToMessage(_ text: String) throws
  /// Retracts the selected message, or else the user's last, after a confirmation.
  /// - Throws: `NatterError` if there is no message to retract.
  func deleteMessage() throws
  /// Copies the selected message, or else the newest.
  func copyMessage()
  /// Lists the links and files of the conversation, to open one of them.
  func chooseLink()
  /// Opens a link by its number in that list.
  /// - Throws: `NatterError` if there is none.
  func openLink(number: Int) throws
}
