import FoundationEssentials
import NatterCore
import XMPP

// The people, rooms and commands of the palette.
extension ShellViewModel {
  /// The conversations, those of late first, then the people with whom there is none.
  /// - Parameter numberKey: the key that opens the conversation with that number.
  package func palettePeople(numberKey: (Int) -> String) -> [PaletteEntry] {
    let numbers = sidebar.numbers
    let conversations = recentConversations.map { jid in
      PaletteEntry(
        id: "chat \(jid)", kind: people.isRoom(jid) ? .room : .conversation,
        title: people.name(of: jid), detail: jid.description,
        keys: numbers[jid].map(numberKey) ?? ""
      ) { [weak self] in self?.open(jid) }
    }
    return conversations
      + contactsWithoutConversation.map { jid in
        PaletteEntry(
          id: "chat \(jid)", kind: .contact, title: people.name(of: jid),
          detail: jid.description
        ) { [weak self] in self?.open(jid) }
      }
  }

  /// The conversations, those of late first.
  var recentConversations: [JID] {
    sidebar.order.sorted {
      (sidebar.conversation($0)?.lastActivity ?? .distantPast)
        > (sidebar.conversation($1)?.lastActivity ?? .distantPast)
    }
  }

  /// The people with whom there is none, by name.
  var contactsWithoutConversation: [JID] {
    let open = Set(sidebar.order)
    return people.contacts.keys.filter { !open.contains($0) }
      .map { (key: people.name(of: $0).lowercased(), jid: $0) }.sorted { $0.key < $1.key }
      .map(\.jid)
  }

  /// What an address that nobody known has could be for.
  package func paletteFallback(_ text: String) -> [PaletteEntry] {
    guard text.contains("@"), let jid = actions.parseAddress(text)?.bare, jid.local != nil,
      sidebar.conversation(jid) == nil
    else { return [] }
    let localizer = format.localizer
    return [
      PaletteEntry(
        id: "open \(jid)", kind: .contact,
        title: localizer("palette.chat", ["address": jid.description])
      ) { [weak self] in self?.open(jid) },
      PaletteEntry(
        id: "join \(jid)", kind: .room,
        title: localizer("palette.join", ["address": jid.description])
      ) { [weak self] in self?.joinRoom(jid.description, nick: nil) },
    ]
  }

  /// Runs a command that needs nothing more; puts the beginning of another one into the input.
  package func runFromPalette(_ command: Command) {
    guard command.required == 0, command.parameters.isEmpty else {
      return input.replaceText("/\(command.name) ")
    }
    do {
      try command.execute(CommandCall(rest: ""), self)
    } catch {
      report(error)
    }
  }
}
