import NatterCore
import Text
import XMPP

/// The contact request of the peer of the open conversation, to be answered next to the messages.
package final class RequestLineViewModel {
  /// The possible answers to a contact request.
  package enum Answer: CaseIterable, Sendable { case accept, decline, block }

  /// The possible lengths of the text, the longest first. The last has no name.
  package enum Length: CaseIterable, Sendable { case full, short, brief, nameless }

  package let invalidation = Invalidation()
  /// The answer that Enter gives.
  package private(set) var selection = Answer.accept
  package var isFocused = false {
    didSet {
      guard isFocused != oldValue else { return }
      // The selection starts at the default each time.
      if isFocused { selection = .accept }
      invalidation.raise()
    }
  }

  private let shell: ShellViewModel
  private let slot: ConversationViewModel
  private var shown: JID?

  package init(shell: ShellViewModel, slot: ConversationViewModel) {
    (self.shell, self.slot) = (shell, slot)
  }

  /// The requester; `nil` if the peer has no pending request.
  package var asker: JID? {
    let asker = slot.conversation.flatMap { shell.sidebar.requests.contains($0) ? $0 : nil }
    if asker != shown {
      shown = asker
      invalidation.raise()
    }
    return asker
  }

  /// The name of the requester; empty if there is none.
  package var name: String { shown.map { shell.format.shown(shell.people.name(of: $0)) } ?? "" }

  /// Returns the text of that length.
  /// - Parameter name: of the requester, as much as there is room for.
  package func text(_ length: Length, name: String) -> String {
    let key =
      switch length {
      case .full: "request.text"
      case .short: "request.textShort"
      case .brief: "request.textBrief"
      case .nameless: "request.textNameless"
      }
    return shell.format.localizer(key, ["name": name])
  }

  package func label(of answer: Answer) -> String {
    let key =
      switch answer {
      case .accept: "request.accept"
      case .decline: "request.decline"
      case .block: "request.block"
      }
    return shell.format.localizer(key)
  }

  /// The keys that move the focus here, while it is elsewhere.
  package var hint: String {
    shell.format.localizer(isFocused ? "request.focused" : "request.hint")
  }

  package func moveSelection(_ step: Int) {
    let all = Answer.allCases
    let index = (all.firstIndex(of: selection) ?? 0) + step
    selection = all[max(0, min(all.count - 1, index))]
    invalidation.raise()
  }

  /// Gives the selected answer, or another one.
  package func give(_ answer: Answer? = nil) {
    guard let asker else { return }
    switch answer ?? selection {
    case .accept: shell.approve(asker)
    case .decline: shell.deny(asker)
    case .block: shell.block(asker)
    }
  }
}
