import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

/// Writes a page for a browser: a section for each conversation, with a heading for each day.
struct PageWriter: ExportWriter {
  let account: JID
  let conversations: [ExportedConversation]
  let date: Date
  let wording: any ExportWording
  let print: (String) throws -> Void
  /// The number of the current conversation, from 1; 0: none began.
  private var number = 0
  /// The day of the last heading; `nil`: none in this conversation.
  private var day: Int?
  private var anchors = PageAnchors(inRoom: false)

  init(
    account: JID, conversations: [ExportedConversation], date: Date,
    wording: any ExportWording, print: @escaping (String) throws -> Void
  ) {
    self.account = account
    self.conversations = conversations
    self.date = date
    self.wording = wording
    self.print = print
  }

  func begin() throws {
    let title = PageText.escaped(wording.label(.title(account.shown)))
    let exported = PageText.escaped(wording.label(.exported(wording.moment(date))))
    try print(
      """
      <!DOCTYPE html>
      <html lang="\(PageText.escaped(wording.language))">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(PageStyle.policy)">
      <meta name="referrer" content="no-referrer">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <style>
      \(PageStyle.text)
      </style>
      </head>
      <body>
      <header>
      <h1><bdi>\(title)</bdi></h1>
      <p class="note">\(exported)</p>
      """)
    if conversations.count > 1 { try printContents() }
    try print("</header>")
  }

  /// Lists the conversations, each with a link to its section.
  private func printContents() throws {
    try print("<nav>\n<h2>\(PageText.escaped(wording.label(.conversations)))</h2>\n<ul>")
    for (index, conversation) in conversations.enumerated() {
      try print(
        "<li><a href=\"#c\(index + 1)\"><bdi>\(PageText.escaped(conversation.name))</bdi></a></li>")
    }
    try print("</ul>\n</nav>")
  }

  mutating func begin(_ conversation: ExportedConversation) throws {
    number += 1
    day = nil
    anchors = PageAnchors(inRoom: conversation.kind == "room")
    try print(
      """
      <section id="c\(number)">
      <h2><bdi>\(PageText.escaped(conversation.name))</bdi></h2>
      <p class="address"><bdi>\(PageText.escaped(conversation.jid.shown))</bdi></p>
      """)
  }

  mutating func add(_ item: ExportItem, of conversation: ExportedConversation) throws {
    switch item {
    case .gap: try print("<p class=\"gap\">\(PageText.escaped(wording.label(.gap)))</p>")
    case .message(let message, let first): try add(message, first)
    }
  }

  func end(_ conversation: ExportedConversation) throws { try print("</section>") }
  func end() throws { try print("</body>\n</html>") }

  // MARK: - Messages

  private mutating func add(_ message: Message, _ first: String?) throws {
    let moment = wording.moment(message.sentAt)
    if moment.day != day {
      day = moment.day
      try print("<h3>\(PageText.escaped(moment.title))</h3>")
    }
    let direction = message.direction == .outgoing ? "out" : "in"
    let state = message.retraction == nil ? "" : " gone"
    let anchor = anchors.add(message)
    try print(
      "<article id=\"\(anchor)\" class=\"\(direction)\(state)\">\n\(head(of: message, at: moment))")
    if message.retraction == nil { try printQuote(of: message) }
    try printText(of: message)
    if message.retraction == nil {
      try printFile(of: message)
      try printNotes(of: message, first)
    }
    try print("</article>")
  }

  private func head(of message: Message, at moment: ExportMoment) -> String {
    // HTML §2.3.5.6 knows milliseconds at most.
    let machine = JSONLine.time(message.sentAt).prefix(19) + "Z"
    return """
      <p class="head"><bdi class="name">\(PageText.escaped(wording.speaker(of: message)))</bdi>
      <time datetime="\(machine)">\(PageText.escaped(moment.time))</time></p>
      """
  }

  /// Prints the quotation of a reply. Its first part is a link to the message, if that is above.
  private func printQuote(of message: Message) throws {
    guard let reply = message.reply else { return }
    let name = reply.author.map { author in
      let name = PageText.escaped(wording.name(of: author, in: message.conversation))
      return "<bdi class=\"name\">\(name)</bdi>"
    }
    var parts = [name, PageText.escaped(reply.text)].compactMap(\.self)
    if let anchor = anchors.anchor(of: reply) {
      parts[0] = "<a href=\"#\(anchor)\">\(parts[0])</a>"
    }
    try print("<blockquote dir=\"auto\">\(parts.joined(separator: "\n"))</blockquote>")
  }

  private func printText(of message: Message) throws {
    let text = wording.text(of: message)
    // The file below has the address already.
    guard !text.isEmpty, message.retraction != nil || text != message.file?.address else { return }
    let linked = PageText.linked(text[...], wording.links(in: text[...]))
    try print("<div class=\"body\" dir=\"auto\">\(linked)</div>")
  }

  private func printFile(of message: Message) throws {
    guard let file = message.file else { return }
    let facts = wording.facts(of: file)
    let behind = facts.isEmpty ? "" : " <span class=\"note\">\(PageText.escaped(facts))</span>"
    try print(
      "<p class=\"file\"><bdi>\(PageText.link(file.address, text: file.safeName))</bdi>"
        + "\(behind)</p>")
  }

  private func printNotes(of message: Message, _ first: String?) throws {
    if message.isEdited { try printEdit(first) }
    // Where the senders are too many to be listed, the totals have all of them.
    for reaction in message.reactions where message.reactionTotals.isEmpty {
      let emoji = PageText.escaped(reaction.emoji.joined(separator: " "))
      let name = PageText.escaped(wording.name(of: reaction.sender, in: message.conversation))
      try print("<p class=\"note\">\(emoji) <bdi>\(name)</bdi></p>")
    }
    for total in message.reactionTotals {
      try print("<p class=\"note\">\(PageText.escaped(total.emoji)) \(total.people)</p>")
    }
    switch message.delivery {
    case .queued: try printState(.queued)
    case .failed(let reason): try printState(.failed(reason))
    case .sent, .delivered, .read, nil: break
    }
  }

  private func printEdit(_ first: String?) throws {
    let edited = PageText.escaped(wording.label(.edited))
    guard let first else { return try print("<p class=\"note\">\(edited)</p>") }
    try print(
      """
      <details class="note"><summary>\(edited)</summary>
      <div class="body" dir="auto">\(PageText.escaped(first))</div></details>
      """)
  }

  private func printState(_ label: ExportLabel) throws {
    try print("<p class=\"note failed\">\(PageText.escaped(wording.label(label)))</p>")
  }
}
