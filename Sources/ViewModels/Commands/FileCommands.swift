import NatterCore

extension Command {
  /// `/upload PATH`: sends a file.
  package static let upload = Command("upload", [.path], required: 1) { call, context in
    try context.upload(call.rest)
  }

  /// `/open [N]`: opens the last file of this conversation, or the one N before it; fetches it first.
  package static let open = Command("open", [.text]) { call, context in
    guard let number = call.rest.isEmpty ? 1 : Int(call.rest), number > 0 else {
      throw NatterError(.invalidInput, "error.files.number", ["text": call.rest])
    }
    context.openFile(number)
  }

  /// `/save [N] [PATH]`: keeps the last file of this conversation, or the one N before it.
  package static let save = Command("save", [.path]) { call, context in
    let (first, rest) = call.split
    if let number = Int(first), number > 0 {
      context.saveFile(number, to: rest)
    } else {
      context.saveFile(1, to: call.rest)
    }
  }

  /// `/pause`: lets the files of this conversation wait, or go on.
  package static let pause = Command("pause") { _, context in context.holdTransfers() }
}
