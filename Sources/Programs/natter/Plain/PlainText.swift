/// The texts of line mode that replace others, because those name commands that line mode does not
/// have.
enum PlainText {
  static let own = [
    "room.created": "plain.room-created", "error.room.notOpened": "plain.room-not-opened",
    "exit.passwordNeeded": "plain.room-password", "exit.passwordWrong": "plain.room-password-wrong",
    "error.noSuchEmoji": "plain.no-such-emoji", "error.files.number": "plain.no-such-file",
  ]
}
