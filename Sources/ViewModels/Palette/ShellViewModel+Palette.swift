import FoundationEssentials
import NatterCore
import XMPP

// The people, rooms, files and commands of the palette.
extension ShellViewModel {
  /// The conversations, those of late first, then the people with whom there is none, then what is hidden.
  /// - Parameter numberKey: the key that opens the conversation with that number.
  package func palettePeople(numberKey: (Int) -> String) -> [PaletteEntry] {
    let numbers = sidebar.numbers
    let conversations = recentConversations.map { jid in
      PaletteEntry(
        id: "chat \(jid)", kind: people.isRoom(jid) ? .room : .conversation,
        title: format.shown(people.name(of: jid)), detail: jid.description,
        keys: numbers[jid].map(numberKey) ?? ""
      ) { [weak self] in self?.open(jid) }
    }
    return conversations
      + (contactsWithoutConversation + hiddenConversations).map { jid in
        PaletteEntry(
          id: "chat \(jid)", kind: people.isRoom(jid) ? .room : .contact,
          title: format.shown(people.name(of: jid)), detail: jid.description
        ) { [weak self] in self?.open(jid) }
      }
  }

  /// What is neither on the list nor a contact, and can be opened again: hidden conversations, those of late first, and
  /// rooms that one is in or has a bookmark of.
  var hiddenConversations: [JID] {
    let hidden = sidebar.hidden
    let jids = Set(hidden.keys).union(people.knownRooms)
    return jids.filter { sidebar.conversation($0) == nil && people.contacts[$0] == nil }
      .map { (jid: $0, at: hidden[$0]?.lastActivity ?? .distantPast, address: $0.description) }
      .sorted { ($1.at, $0.address) < ($0.at, $1.address) }.map(\.jid)
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

  /// Has the palette find files, too. They are of the disk, not of memory: those who look at it need not wait for them.
  package func findFiles(for palette: PaletteViewModel) {
    guard let history = ports.files?.history else { return }
    let search = PaletteFileSearch(history, lifetime: lifetime, palette: palette) { [weak self] in
      self?.paletteEntry(of: $0)
    }
    palette.onSearch = { search.look(for: $0) }
    search.begin()
  }

  private func paletteEntry(of offered: OfferedFile) -> PaletteEntry {
    let message = offered.message
    let id = "\(offered.id.rawValue)"
    let detail = [
      people.name(of: message.conversation), format.shortDay(message.sentAt, now: now()),
      offered.file.byteCount.map { format.localizer.size($0) } ?? "",
    ]
    return PaletteEntry(
      id: "file \(id)", kind: .file, title: format.shown(offered.file.safeName),
      detail: format.localizer.list(detail.filter { !$0.isEmpty })
    ) { [weak self] in
      guard let self else { return }
      do { try actions.request("files/show", ["page": "all", "item": id]) } catch { report(error) }
    }
  }

  /// What text could mean that is in no entry: an address of the program's own, one that nobody known has, or a command with
  /// what it is for.
  package func paletteFallback(_ text: String) -> [PaletteEntry] {
    if text.isCommandLine {
      let words = text.dropFirst().split(maxSplits: 1, whereSeparator: \.isWhitespace)
      guard words.count == 2, (try? commands.command(named: String(words[0]))) != nil else {
        return []
      }
      // What was chosen is kept by its name, and what somebody types is nobody's business.
      return [
        PaletteEntry(
          id: "line", kind: .command,
          title: format.localizer("palette.line", ["text": ProblemText.oneLine(text)])
        ) { [weak self] in self?.begin(line: text) }
      ]
    }
    if ResourceAddress.isBegun(text) {
      return [
        PaletteEntry(
          id: "address \(text)", kind: .action,
          title: format.localizer("palette.open", ["address": text])
        ) { [weak self] in self?.open(address: text) }
      ]
    }
    guard text.hasAddressSign, let jid = actions.parseAddress(text).map(meant(by:)),
      jid.local != nil, sidebar.conversation(jid) == nil, sidebar.hidden[jid] == nil
    else { return [] }
    let localizer = format.localizer
    let chat = PaletteEntry(
      id: "open \(jid)", kind: .contact,
      title: localizer("palette.chat", ["address": jid.description])
    ) { [weak self] in self?.open(jid) }
    guard jid.isBare else { return [chat] }
    return [
      chat,
      PaletteEntry(
        id: "join \(jid)", kind: .room,
        title: localizer("palette.join", ["address": jid.description])
      ) { [weak self] in self?.joinRoom(jid.description, nick: nil) },
    ]
  }

  /// Runs a command that needs nothing more; puts the beginning of another one into the input.
  package func runFromPalette(_ command: Command) {
    guard command.required == 0, command.parameters.isEmpty else {
      return begin(line: "/\(command.name) ")
    }
    do {
      try command.execute(CommandCall(rest: ""), self)
    } catch {
      report(error)
    }
  }

  private func begin(line: String) {
    // The input is among the chats, wherever the finder was opened.
    onWish()
    input.begin(line: line)
    onOpen()
  }
}
