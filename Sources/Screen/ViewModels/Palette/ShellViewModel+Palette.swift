import FoundationEssentials
import NatterCore
import Text
import XMPP

// The people, rooms, files and commands of the palette.
extension ShellViewModel {
  /// The conversations, those of late first.
  /// - Parameter numberKey: the key that opens the conversation with that number.
  package func paletteConversations(numberKey: (Int) -> String) -> [PaletteEntry] {
    let numbers = sidebar.numbers
    return recentConversations.map { jid in
      entry(
        of: jid, people.isRoom(jid) ? .room : .conversation,
        keys: numbers[jid].map(numberKey) ?? "")
    }
  }

  /// The conversations that are hidden and no contact's, the most recently active first.
  package var paletteHidden: [PaletteEntry] {
    hiddenConversations.map { entry(of: $0, people.isRoom($0) ? .room : .contact) }
  }

  /// The contacts, by name; `nil` where they are many and not ready.
  package var paletteContacts: LazyPaletteEntries? { directory.ready(for: people).map(lazy) }

  private func lazy(_ directory: ContactDirectory) -> LazyPaletteEntries {
    LazyPaletteEntries(
      index: directory.index,
      indices: [
        PaletteEntry.EntryKind.contact.prefix: directory.persons,
        PaletteEntry.EntryKind.room.prefix: directory.rooms,
      ],
      row: { id in
        id.hasPrefix(Self.chatPrefix)
          ? JID(parsing: String(id.dropFirst(Self.chatPrefix.count))).flatMap(directory.row) : nil
      },
      entry: { [weak self] row in
        let jid = directory.jids[row]
        // The contact may have been removed since the list was built.
        guard let self, people.contacts[jid] != nil else { return nil }
        return entry(of: jid, people.isRoom(jid) ? .room : .contact)
      })
  }

  private static let chatPrefix = "chat "

  private func entry(of jid: JID, _ kind: PaletteEntry.EntryKind, keys: String = "") -> PaletteEntry
  {
    PaletteEntry(
      id: "\(Self.chatPrefix)\(jid)", kind: kind, title: format.shown(people.name(of: jid)),
      detail: jid.shown, keys: keys
    ) { [weak self] in self?.open(jid) }
  }

  /// Finds what is not ready when the palette opens: files, and contacts if they are many and new.
  package func findMore(for palette: PaletteViewModel) {
    findFiles(for: palette)
    palette.findMessages(of: self)
    guard !directory.isReady(for: people) else { return }
    lifetime.aside { [weak self, weak palette] in
      guard let self else { return }
      let made = await directory.made(of: people)
      palette?.put(lazy(made))
    }
  }

  /// Takes what is known of people from `event`.
  func learn(from event: DomainEvent) {
    guard people.apply(event) else { return }
    directory.prepare(people.edition, count: people.contacts.count) { [weak self] in self?.people }
  }

  /// Conversations outside the list and the roster that can be opened again: hidden ones, the
  /// latest first, then joined and bookmarked rooms.
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
    let ready = directory.ready(for: people).flatMap { $0.edition == people.edition ? $0 : nil }
    return (ready?.jids ?? ContactDirectory.order(of: people)).filter { !open.contains($0) }
  }

  /// Finds files for the palette, too. They are read from disk: the other entries do not wait.
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

  /// Returns the entries for a text that matches none: an address of the program's own or of an
  /// unknown user, or a command with its arguments.
  package func paletteFallback(_ text: String) -> [PaletteEntry] {
    if text.isCommandLine {
      let words = text.dropFirst().split(maxSplits: 1, whereSeparator: \.isWhitespace)
      guard words.count == 2, (try? commands.command(named: String(words[0]))) != nil else {
        return []
      }
      // A choice is remembered by its name, and typed text is private.
      return [
        PaletteEntry(
          id: "line", kind: .command,
          title: format.localizer("palette.line", ["text": ErrorText.oneLine(text)])
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
    guard text.hasAddressMark, let jid = actions.parseAddress(text).map(meant(by:)),
      jid.local != nil, sidebar.conversation(jid) == nil, sidebar.hidden[jid] == nil
    else { return [] }
    let localizer = format.localizer
    let chat = PaletteEntry(
      id: "open \(jid)", kind: .contact,
      title: localizer("palette.chat", ["address": jid.shown])
    ) { [weak self] in self?.open(jid) }
    guard jid.isBare else { return [chat] }
    return [
      chat,
      PaletteEntry(
        id: "join \(jid)", kind: .room,
        title: localizer("palette.join", ["address": jid.shown])
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

  func begin(line: String) {
    // The input is among the chats, wherever the finder was opened.
    onDemand()
    input.begin(line: line)
    onOpen()
  }
}
