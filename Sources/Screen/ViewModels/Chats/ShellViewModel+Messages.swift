import NatterCore
import Text
import XMPP

/// The outcome of copying a text.
nonisolated package enum CopyOutcome: Hashable, Sendable {
  /// The terminal got it; whether it accepted it is unknown.
  case copied
  /// The terminal takes none.
  case unavailable
  /// It is more than terminals take.
  case tooLong
}

// Actions of the user on one of the messages: the chosen one, or else the newest.
extension ShellViewModel {
  /// Copies the text of the message.
  package func copyMessage() {
    guard let message = timeline.messageInHand, !message.isRetracted else {
      return show(timeline.messageInHand.absence)
    }
    guard message.file == nil, message.isShortened else {
      let said = format.text(of: message, by: timeline.author(of: message), now: now())
      return copy(message.file?.address ?? said)
    }
    WholeText(shell: self).of(message) { $0.copy($1.body) }
  }

  /// Gives a text to the terminal, and says what became of that.
  func copy(_ text: String) {
    onCopy(text)
    let key =
      switch actions.copy(text) {
      case .copied: "status.copied"
      case .unavailable: "status.copiedHere"
      case .tooLong: "status.copyTooLong"
      }
    show(StatusNotice(.info, key))
  }

  /// Expands a long message. Else opens what the message offers: its file, its location, one of its
  /// links, or the message it replies to; without any, loads missing messages at a gap.
  package func openMessage() {
    let message = timeline.messageInHand
    if let message, message.isShortened { return LongText.show(message, in: timeline) }
    let targets = message.map { MessageTarget.all(of: $0, in: timeline) } ?? []
    if targets.isEmpty {
      if let message, let reply = message.reply { return reveal(reply, in: message.conversation) }
      if timeline.awaitedHole == nil { show(StatusNotice(.info, "status.nothingToOpen")) }
      return timeline.loadMissing()
    }
    choose(among: targets)
  }

  /// Keeps the file of the message in the folder for downloads.
  package func saveMessageFile() {
    guard let message = timeline.messageInHand, message.file != nil else {
      return show(StatusNotice(.info, "status.noFileInMessage"))
    }
    save(file: message, to: "")
  }

  /// Lists the links and files of the loaded messages, to open one: visible ones first, the newest
  /// of them before the others.
  package func chooseLink() {
    let targets = recentTargets
    guard !targets.isEmpty else { return show(StatusNotice(.info, "status.noLinks")) }
    choose(among: targets)
  }

  /// Opens the link or file with that number, as the list has it.
  /// - Throws: `NatterError` when there is none.
  package func openLink(number: Int) throws {
    let targets = recentTargets
    guard targets.indices.contains(number - 1) else {
      throw NatterError(.invalidInput, "error.noSuchLink", ["number": "\(number)"])
    }
    open(targets[number - 1])
  }

  private var recentTargets: [MessageTarget] {
    var seen: Set<String> = []
    return Array(
      timeline.messagesWithLinks.flatMap { MessageTarget.all(of: $0, in: timeline).reversed() }
        .filter { seen.insert($0.address).inserted }.prefix(MessageTarget.keys.count))
  }

  private func choose(among targets: [MessageTarget]) {
    if targets.count == 1 { return open(targets[0]) }
    let timeline = timeline
    timeline.linkHints = MessageTarget.hints(of: targets)
    actions.choose(
      ChoiceRequest(
        title: format.localizer("links.title"),
        labels: zip(MessageTarget.keys, targets).map { key, target in
          "\(key)  \(ErrorText.oneLine(target.title))"
        }, selected: 0, keys: Array(MessageTarget.keys)
      ) { [weak self, weak timeline] in
        timeline?.linkHints = LinkHints()
        if let index = $0 { self?.open(targets[index]) }
      })
  }

  private func open(_ target: MessageTarget) {
    switch target {
    case .link(let link): open(link: link)
    case .file(let message, _): open(file: message)
    case .location(let location): tools.locations.open(location)
    }
  }
}

/// Something in a message that can be opened.
private enum MessageTarget {
  case link(String)
  case file(Message, SharedFile)
  case location(SharedLocation)

  /// The keys that open the rows of a list, in order; without the letters that move through it.
  static let keys = "123456789abcdefhilmnopqrstuvwxyz"

  /// In the order of the text; links of scripts after its own.
  static func all(of message: Message, in timeline: TimelineViewModel) -> [MessageTarget] {
    if let file = message.file { return [.file(message, file)] }
    if let location = message.location { return [.location(location)] }
    guard !message.isRetracted else { return [] }
    let links = MessageMarkup.links(in: message.body) + timeline.decorations.links(of: message.id)
    return links.map { .link($0) }
  }

  /// The glyphs that open the targets of a list, to be shown in the text.
  static func hints(of targets: [MessageTarget]) -> LinkHints {
    var hints = LinkHints()
    for (key, target) in zip(keys, targets) {
      switch target {
      case .link(let link): hints.links[link] = hints.links[link] ?? key
      case .file(let message, _): hints.files[message.id] = key
      case .location: break
      }
    }
    return hints
  }

  var address: String {
    switch self {
    case .link(let link): link
    case .file(_, let file): file.address
    case .location(let location): location.body
    }
  }

  var title: String {
    switch self {
    case .link(let link): link
    case .file(_, let file): file.safeName
    case .location(let location): location.body
    }
  }
}
