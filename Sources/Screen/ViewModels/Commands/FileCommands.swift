import NatterCore

extension Command {
  /// `/upload [PATH]`: sends a file; without a path, opens the file picker.
  package static let upload = Command("upload", [.path]) { call, context in
    if call.rest.isEmpty { try context.pickFiles() } else { try context.upload(call.rest) }
  }

  /// `/open [N]`: opens the newest file of this conversation, or the N-th newest; downloads it
  /// first. Without a number, opens a location that is the selected message, or the newest.
  package static let open = Command("open", [.text]) { call, context in
    if call.rest.isEmpty, context.tools.locations.openInHand() { return }
    context.openFile(try number(in: call.rest))
  }

  /// `/save [N] [PATH]`: saves the newest file of this conversation, or the N-th newest.
  package static let save = Command("save", [.path]) { call, context in
    let (first, rest) = call.split
    let hasNumber = Int(first) != nil
    context.saveFile(
      hasNumber ? try number(in: first) : 1, to: hasNumber ? rest : call.rest)
  }

  /// `/forward [message|N] [ADDRESS]`: forwards the selected message or else the newest, or the
  /// newest file of this conversation, or the N-th newest.
  package static let forward = Command("forward", [.person]) { call, context in
    let (first, rest) = call.split
    let hasNumber = Int(first) != nil
    let name = hasNumber ? rest : call.rest
    if first.lowercased() == "message" {
      return context.tools.forwarding.begin(to: rest.isEmpty ? nil : try context.person(rest))
    }
    context.forwardFile(
      hasNumber ? try number(in: first) : 1, to: name.isEmpty ? nil : try context.person(name))
  }

  /// `/where [N]`: shows the message with the newest file of this conversation, or the N-th newest.
  package static let reveal = Command("where", [.text]) { call, context in
    context.revealFile(try number(in: call.rest))
  }

  private static func number(in text: String) throws -> Int {
    guard let number = text.isEmpty ? 1 : Int(text), number > 0 else {
      throw NatterError(.invalidInput, "error.files.number", ["text": text])
    }
    return number
  }

  /// `/location [LAT,LON [TEXT]]`: sends a location, after a question; without one, the location
  /// that `location.command` prints.
  package static let location = Command("location", [.text]) { call, context in
    try context.tools.locations.share(call.rest)
  }
}
