import NatterCore
import XMPP

/// One paragraph of what is told of a person, its text final.
nonisolated package struct PersonLine: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case name, address, presence(Availability), status, warning, heading, term, text, file
  }
  package let kind: Kind
  package let text: String
}

/// What there is to tell of the person whom the open conversation is with, beside it
/// (interface.md, "Screens").
///
/// What is in memory is told at once, what is kept on the disk once the conversation has stood for a moment; the person is asked
/// only when somebody wants to know: whoever goes past many conversations asks nobody.
package final class PersonViewModel {
  package let invalidation = Invalidation()
  package var isFocused = false {
    didSet {
      guard isFocused != oldValue else { return }
      if !isFocused { stopWaiting() }
      invalidation.raise()
    }
  }
  /// The person; `nil` while it is not shown.
  package private(set) var jid: JID?

  private let shell: ShellViewModel
  private let card: ContactCardViewModel
  /// The names of the files that were last sent and received.
  private var files: [String] = []
  private static let fileLimit = 5
  /// How long a conversation stands before what is kept of the person is read.
  private static let pause = Duration.milliseconds(300)
  /// `nil`: what is kept is read.
  private var cancelReading: (() -> Void)?
  /// Set while it is seen whether somebody stays.
  private var cancelLooking: (() -> Void)?
  /// How long an answer is good enough for who comes by, in seconds.
  private static let freshness: Double = 300

  package init(shell: ShellViewModel) {
    self.shell = shell
    card = ContactCardViewModel(shell: shell)
    card.onChange = { [weak self] in self?.invalidation.raise() }
    shell.follow { [weak self] in self?.handle($0) }
  }

  /// Tells of another one, or of nobody because nobody looks.
  package func show(_ jid: JID?) {
    guard jid != self.jid else { return }
    self.jid = jid
    files = []
    card.show(nil)
    stopWaiting()
    cancelReading?()
    cancelReading = jid.map { _ in
      shell.scheduler.after(Self.pause) { [weak self] in self?.read() }
    }
    invalidation.raise()
  }

  /// Reads at once what is kept of the person, and asks him and his server for what is new.
  package func look() {
    stopWaiting()
    if cancelReading != nil { read() }
    card.look()
  }

  /// As `look`, for who comes here on a way that leads past: once he has stayed for a moment, and not soon after an answer.
  package func lookAfterMoment() {
    stopWaiting()
    cancelLooking = shell.scheduler.after(Self.pause) { [weak self] in
      guard let self else { return }
      cancelLooking = nil
      guard isFocused else { return }
      if cancelReading != nil { read() }
      card.look(unlessReadWithin: Self.freshness)
    }
  }

  private func stopWaiting() {
    cancelLooking?()
    cancelLooking = nil
  }

  private func read() {
    cancelReading?()
    cancelReading = nil
    card.show(jid.flatMap { shell.people.isOccupant($0) ? nil : $0 })
    readFiles()
    invalidation.raise()
  }

  private func handle(_ event: DomainEvent) {
    card.handle(event)
    guard let jid else { return }
    switch event {
    case .contactsChanged, .contactsRemoved, .presenceChanged, .connectionChanged:
      invalidation.raise()
    case .messagesStored(let messages), .messagesChanged(let messages):
      if messages.contains(where: { $0.conversation == jid && $0.file != nil }),
        cancelReading == nil
      {
        readFiles()
      }
    default: break
    }
  }

  private func readFiles() {
    guard let jid, let sharing = shell.ports.files?.sharing else { return }
    shell.lifetime.aside { [weak self] in
      // The list of files tells what is wrong with it.
      guard let found = try? await sharing.files(in: jid, limit: Self.fileLimit),
        let self, self.jid == jid
      else { return }
      files = found.compactMap { $0.file?.safeName }
      invalidation.raise()
    }
  }

  package var title: String { shell.format.localizer("details.title") }

  /// From the top.
  package var lines: [PersonLine] {
    guard let jid else { return [] }
    let (format, people) = (shell.format, shell.people)
    let name = format.shown(people.name(of: jid))
    var lines = [PersonLine(kind: .name, text: name)]
    if jid.shown != name { lines.append(PersonLine(kind: .address, text: jid.shown)) }
    if !people.isOccupant(jid) {
      let availability = people.availability(of: jid)
      lines.append(
        PersonLine(
          kind: .presence(availability),
          text: format.sign(of: jid, among: people) + " "
            + format.presence(of: jid, among: people)))
      if let status = people.status(of: jid) {
        lines.append(
          PersonLine(
            kind: .status,
            text: format.localizer("header.status", ["text": format.shown(status)])))
      }
    }
    lines += card.warnings.map { PersonLine(kind: .warning, text: "\($0.term): \($0.text)") }
    for item in card.items {
      lines += [PersonLine(kind: .term, text: item.term), PersonLine(kind: .text, text: item.text)]
    }
    if !files.isEmpty {
      lines.append(PersonLine(kind: .heading, text: format.localizer("details.files")))
      lines += files.map { PersonLine(kind: .file, text: $0) }
    }
    return lines
  }
}
