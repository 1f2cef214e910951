import Terminal
import ViewModels

/// Which keys do something with the chosen message.
enum MessageHints {
  private static let uses: [KeyAction: MessageUse] = [
    .openMessage: .open, .copyMessage: .copy, .saveFile: .save, .viewPicture: .view,
    .replyMessage: .reply, .editMessage: .edit, .reactMessage: .react, .deleteMessage: .delete,
    .retry: .retry,
  ]

  /// What it is not good for now: no hint offers that.
  static func impossible(in shell: ShellViewModel) -> Set<KeyAction> {
    let possible = MessageUse.ofChosen(in: shell)
    return Set(uses.filter { !possible.contains($0.value) }.keys)
  }
}
