import Keys
import Terminal
import ViewModels

/// The keys that apply to the selected message.
enum MessageHints {
  private static let uses: [KeyAction: MessageUse] = [
    .openMessage: .open, .copyMessage: .copy, .saveFile: .save, .viewPicture: .view,
    .replyMessage: .reply, .editMessage: .edit, .reactMessage: .react, .deleteMessage: .delete,
    .retry: .retry,
  ]

  /// The actions that do not apply now: no hint offers them.
  static func impossible(in shell: ShellViewModel) -> Set<KeyAction> {
    let possible = MessageUse.ofChosen(in: shell)
    return Set(uses.filter { !possible.contains($0.value) }.keys)
  }
}
