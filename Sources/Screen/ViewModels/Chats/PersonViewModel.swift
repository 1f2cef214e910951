import NatterCore
import Text
import XMPP

/// One paragraph of a person's details, its text final.
nonisolated package struct PersonLine: Hashable, Sendable {
  /// The kind of a paragraph, which decides its style.
  package enum LineKind: Hashable, Sendable {
    case name, address, presence(Availability), status, warning, heading, term, text, file
  }
  package let kind: LineKind
  package let text: String
}

/// The details of the peer of the open conversation, beside it (interface.md, "Screens").
///
/// Data in memory is shown at once, stored data once the conversation has been open for a moment.
/// The contact and the server are queried only on request: passing by many conversations sends
/// nothing.
package final class PersonViewModel {
  package let invalidation = Invalidation()
  package var isFocused = false {
    didSet {
      guard isFocused != oldValue else { return }
      if !isFocused { stopWaiting() }
      invalidation.raise()
    }
  }
  /// The peer; `nil` while the pane is hidden.
  package private(set) var jid: JID?

  private let shell: ShellViewModel
  private let card: ContactCardViewModel
  /// The names of the files sent and received most recently.
  private var files: [String] = []
  private static let fileLimit = 5
  /// The time that a conversation is open before the stored data is read.
  private static let pause = Duration.milliseconds(300)
  /// Cancels the delayed reading; `nil` once the stored data has been read.
  private var cancelReading: (() -> Void)?
  /// Cancels the check whether the focus stays here.
  private var cancelLooking: (() -> Void)?
  /// The time that an answer counts as fresh for a user who passes by, in seconds.
  private static let freshness: Double = 300

  package init(shell: ShellViewModel) {
    self.shell = shell
    card = ContactCardViewModel(shell: shell)
    card.onChange = { [weak self] in self?.invalidation.raise() }
    shell.follow { [weak self] in self?.handle($0) }
  }

  /// Shows another peer, or none while the pane is hidden.
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

  /// Reads the stored data at once, and queries the contact and their server for new data.
  package func look() {
    stopWaiting()
    if cancelReading != nil { read() }
    card.look()
  }

  /// Does the same as `look` once the focus has stayed for a moment, unless a recent answer exists.
  /// For keys that may only pass by.
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
    case .historyImported(let conversations):
      if conversations.contains(jid), cancelReading == nil { readFiles() }
    default: break
    }
  }

  private func readFiles() {
    guard let jid, let sharing = shell.ports.files?.sharing else { return }
    shell.lifetime.aside { [weak self] in
      // The list of files reports its errors.
      guard let found = try? await sharing.files(in: jid, limit: Self.fileLimit),
        let self, self.jid == jid
      else { return }
      files = found.compactMap { $0.file?.safeName }
      invalidation.raise()
    }
  }

  package var title: String { shell.format.localizer("details.title") }

  /// The lines from the top.
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
          text: format.glyph(of: jid, among: people) + " "
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
