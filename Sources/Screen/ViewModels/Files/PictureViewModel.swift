import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The pictures of a conversation, one at a time and as large as the screen allows
/// (interface.md, "Screens").
///
/// Nothing is fetched unasked: one that is not on this disk says so, and how it is fetched.
package final class PictureViewModel {
  package let invalidation = Invalidation()
  /// The picture that is shown; `nil` until it is found, and where it is not on this disk.
  package private(set) var file: PictureFile?

  private let shell: ShellViewModel
  /// The oldest first; the one that was asked for alone until the others are read.
  private var messages: [Message]
  private var index = 0 { didSet { if index != oldValue { look() } } }
  /// Indicates whether the look-up of the current picture on this disk has ended.
  private var isKnown = false
  private var notice = ""
  /// Indicates whether it follows transfers, after it requested a picture.
  private var isFollowing = false

  private static let limit = 1000

  /// - Parameter message: offers the picture to begin with.
  package init(shell: ShellViewModel, message: Message) {
    self.shell = shell
    messages = [message]
    look()
    guard let sharing = shell.ports.files?.sharing else { return }
    shell.lifetime.aside { [weak self] in
      // Without the others there is still the one that was asked for.
      let files = try? await sharing.files(in: message.conversation, limit: Self.limit)
      guard let self, let files else { return }
      let pictures = Array(files.filter(\.offersPicture).reversed())
      guard let found = pictures.firstIndex(where: { $0.id == message.id }) else { return }
      messages = pictures
      index = found
      invalidation.raise()
    }
  }

  private var message: Message { messages[index] }
  private var localizer: Localizer { shell.format.localizer }

  private func look() {
    (file, isKnown, notice) = (nil, false, "")
    invalidation.raise()
    let message = message
    shell.lifetime.aside { [weak self] in
      let file = await self?.shell.ports.files?.picture(of: message)
      guard let self, self.message.id == message.id else { return }
      (self.file, isKnown) = (file, true)
      invalidation.raise()
    }
  }

  /// Name, size in pixels and bytes, sender and time, and its number among all.
  package var title: String {
    let message = message
    let key = message.direction == .outgoing ? "files.sentTo" : "files.receivedFrom"
    let person =
      message.direction == .outgoing
      ? shell.people.name(of: message.conversation) : shell.people.shortName(of: message.sender)
    let parts = [
      message.file?.safeName ?? "",
      file.map { "\($0.width)x\($0.height)" }
        ?? message.file.flatMap { shell.format.pixels(of: $0) } ?? "",
      message.file?.size.map { localizer.size($0) } ?? "",
      localizer(
        key,
        [
          "name": person,
          "when": shell.format.shortDay(message.sentAt, now: shell.now()),
        ]),
      messages.count > 1 ? "\(index + 1)/\(messages.count)" : "",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "  ")
  }

  /// The text where there is no picture; empty where there is one, or will be in a moment.
  package var text: String {
    if !notice.isEmpty { return notice }
    return isKnown && file == nil ? localizer("picture.notHere") : ""
  }

  /// Returns the key hints, after the name of the program or method that draws the picture.
  package func hints(drawnWith means: String) -> [KeyHint] {
    [
      KeyHint(means), messages.count > 1 ? localizer.hint("picture.keysTurn") : KeyHint(""),
      localizer.hint("picture.keysSave"), localizer.hint("picture.keysOpen"),
      localizer.hint("picture.keysCopy"), localizer.wayOut("dialog.keysClose"),
    ]
  }

  /// Right and Left: a newer one, an older one; it stops at the ends.
  package func turn(_ step: Int) { index = min(messages.count - 1, max(0, index + step)) }

  /// `s`: keeps it in the folder for downloads; it is shown when it is there.
  package func save() {
    shell.save(file: message, to: "")
    guard file == nil else { return }
    notice = localizer("picture.comes")
    invalidation.raise()
    guard !isFollowing else { return }
    isFollowing = true
    shell.follow { [weak self] in self?.handle($0) }
  }

  private func handle(_ event: DomainEvent) {
    guard case .transfersChanged(let changed) = event else { return }
    if changed.contains(where: { $0.message == message.id && $0.state == .done }) { look() }
  }

  /// `o`: with the program that is meant for it.
  package func open() { shell.open(file: message) }

  /// `y`: the address at which it is.
  package func copy() { shell.copy(message.file?.address ?? "") }
}

extension Message {
  /// Indicates whether it offers a picture.
  nonisolated package var offersPicture: Bool {
    file.map { FileKind(mediaType: $0.mediaType, name: $0.safeName) == .picture } ?? false
  }
}

extension ShellViewModel {
  /// Shows the picture of the selected message, or else the newest, as large as possible.
  package func viewPicture() {
    let chosen = timeline.selectedMessage.flatMap { $0.offersPicture ? $0 : nil }
    guard let message = chosen ?? timeline.recentMessages.first(where: \.offersPicture) else {
      return show(StatusNotice(.info, "status.noPicture"))
    }
    view(picture: message)
  }

  /// Shows the picture that `message` offers as large as the screen allows.
  package func view(picture message: Message) {
    actions.showPicture(PictureViewModel(shell: self, message: message))
  }
}
