import Crypto
import NatterCore
import XML
import XMPP

/// The decoders of payloads.
enum ElementDecoders {
  private static let crypto = CryptoLibrary()
  /// Deeper ones are read by nothing.
  private static let deepest = 8

  /// Reads `element`, and all that is inside it, as everything that it could be.
  static func all(_ element: Element, depth: Int) throws {
    try payload(element)
    try item(element)
    try answer(element)
    guard depth < deepest else { return }
    for child in element.elements { try all(child, depth: depth + 1) }
  }

  private static func payload(_ element: Element) throws {
    try KeptTexts.check((RosterItem(element), XEP0045Item(element), XEP0203Delay(element)))
    try KeptTexts.check((XEP0300Hash(element), XEP0264Thumbnail(element), XEP0461Reply(element)))
    _ = XEP0492Notification(extensions: element)
    _ = XEP0492Notification.extensions(element, with: .never)
    if let time = XEP0202Time(element) { _ = XEP0202Time(time.element) }
    if let version = XEP0092Version(element) {
      try require(XEP0092Version(version.element) == version, "a version is another one")
    }
    if let last = XEP0012LastActivity(element) {
      try require(
        XEP0012LastActivity(last.element)?.seconds == last.seconds, "an age is another one")
    }
    if let capabilities = XEP0115Capabilities(element) {
      try KeptTexts.check((capabilities, capabilities.element))
    }
    if let reactions = XEP0444Reactions(element) {
      for emoji in reactions.emoji { _ = XEP0444Reactions.bare(emoji) }
      _ = reactions.elements
    }
    if let slot = XEP0363Slot(element) {
      try require(XEP0363Slot(slot.element) != nil, "a slot is none once it was written")
    }
    if let form = XEP0004DataForm(element) { try self.form(form) }
    if let registration = XEP0077Registration(element) {
      _ = registration.answer(username: "alice", password: "secret", others: ["email": ["a@b"]])
    }
    if let found = XEP0030Discovery(element) { try discovery(found) }
    if let location = XEP0080Location(element) {
      try KeptTexts.check((location, location.element))
    }
    if let thread = XEP0201Thread(element) {
      try require(XEP0201Thread(thread.element) == thread, "a thread is another one")
    }
    if let sharing = XEP0447FileSharing(element) { try KeptTexts.check((sharing, sharing.element)) }
    try omemo(element)
  }

  private static func omemo(_ element: Element) throws {
    if let list = try? OmemoDeviceList(element) {
      try require(list.ids.count <= XEP0384Omemo.deviceLimit, "a list of too many devices")
      try require(
        (try? OmemoDeviceList(list.element)) == list, "a list is another one once it was written")
    }
    if let bundle = try? OmemoBundle(element) {
      try require(
        (try? OmemoBundle(bundle.element)) == bundle, "a bundle is another one once it was written")
    }
    if let message = try? OmemoEncrypted(element) {
      try require(
        (try? OmemoEncrypted(message.element)) == message,
        "an encrypted message is another one once it was written")
      for key in message.keys.prefix(2) {
        let own = try? OmemoEncrypted(element, for: key.recipient)
        try require(own?.keys.isEmpty == false, "a key for one device is not read by itself")
      }
    }
    _ = try? (OmemoDeviceList(answer: element), OmemoBundle(answer: element))
  }

  private static func form(_ form: XEP0004DataForm) throws {
    try KeptTexts.check((form.formType, DataForm(form), XEP0401Invitation(form)))
    let answers = Dictionary(
      form.fields.compactMap { field in field.name.map { ($0, field.values) } },
      uniquingKeysWith: { first, _ in first })
    let answered = form.answered(answers)
    try require(XEP0004DataForm(answered.element) != nil, "a form is none once it was written")
    if let again = XEP0004DataForm(form.element) { _ = again.element }
  }

  private static func discovery(_ found: XEP0030Discovery) throws {
    try KeptTexts.check((XEP0157ContactAddresses(found).forHelp, XEP0045Card(found)))
    _ = XEP0363Service(jid: StanzaFuzzing.account, found)
    _ = XEP0115Capabilities.verificationInput(found)
    _ = try? XEP0115Capabilities.version(of: found, crypto: crypto)
    try require(
      XEP0030Discovery(found.element())?.features == found.features,
      "features are others once they were written")
  }

  /// Reads an item of a node.
  static func item(_ item: Element) throws {
    if let bookmark = XEP0402Bookmark(item: item) ?? XEP0402Bookmark(legacy: item) {
      try KeptTexts.check(bookmark)
      try require(
        XEP0402Bookmark(item: bookmark.item)?.room == bookmark.room, "a bookmark is another one")
      _ = bookmark.legacy
    }
    if let entry = XEP0277Entry(item: item) {
      try KeptTexts.check((entry, XEP0277Entry(item: entry.item)))
    }
    if let event = XEP0471Event(item: item) {
      try KeptTexts.check((event, XEP0471Event(item: event.item)))
    }
    if let answer = XEP0471Answer(item: item) { try KeptTexts.check((answer, answer.item)) }
    if let displayed = XEP0490Displayed(item: item) {
      try KeptTexts.check((displayed, displayed.publication))
    }
    if let picture = XEP0084.Picture(item: item) { try KeptTexts.check((picture, picture.item)) }
    if let node = item["node"], let target = XEP0471Answer.Target(attachmentNode: node) {
      try require(
        XEP0471Answer.Target(attachmentNode: target.attachmentNode) == target,
        "an event's answers are another one's")
    }
  }

  /// Reads `element` as the answer to a question.
  private static func answer(_ element: Element) throws {
    try KeptTexts.check((XEP0030Item.items(in: element), XEP0059Request.last(in: element)))
    try KeptTexts.check((XEP0060.accessModel(in: element), XEP0060.itemLimit(in: element)))
    try KeptTexts.check(
      (XEP0060.isClosed(in: element), XEP0060.items(in: element), XEP0060.isPart(element)))
    try KeptTexts.check((XEP0084.base64(in: element), XEP0433.items(in: element)))
    _ = XEP0490Displayed.positions(inAnswer: element)
    _ = XEP0431FullText.isInForm(element)
    if let reply = XEP0050.Reply(element) { _ = reply.form }
    if let name = element["name"] { _ = XEP0045Card.listed(name) }
  }
}
