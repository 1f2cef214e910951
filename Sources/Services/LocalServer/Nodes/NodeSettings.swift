import XMPP

/// The configuration of an account's node (XEP-0060 §16.4.4), limited to the needs of PEP
/// (XEP-0163).
struct NodeSettings: Hashable, Sendable {
  /// The access models (XEP-0060 §4.5).
  enum Access: String, Sendable { case open, presence, whitelist }
  /// The publish models (XEP-0060 §16.4.4, `pubsub#publish_model`). Beside the owner, the model
  /// allows no account, the recipients of notifications, or all readers to publish.
  enum Publishing: String, Sendable { case publishers, subscribers, open }
  /// The events after which the server sends the last item (`pubsub#send_last_published_item`).
  enum LastItem: String, Sendable {
    case never
    case onSubscription = "on_sub"
    case onPresence = "on_sub_and_presence"
  }

  var access = Access.presence
  var publishing = Publishing.publishers
  var isPersistent = true
  /// The largest number of items, 1 to `itemLimit`.
  var maximum = 1
  var lastItem = LastItem.onPresence
  var notifiesRetraction = true
  var title = ""

  /// The value of `max` in `pubsub#max_items`.
  static let itemLimit = 1_000
  static let formType = "http://jabber.org/protocol/pubsub#node_config"
  static let optionsType = "http://jabber.org/protocol/pubsub#publish-options"

  init() {}

  func form(_ kind: XEP0004DataForm.FormType = .form) -> XEP0004DataForm {
    func choice(_ name: String, _ value: String, _ all: [String]) -> XEP0004DataForm.Field {
      .init(
        name, kind: .listSingle, values: [value], options: all.map { .init(label: $0, value: $0) })
    }
    return XEP0004DataForm(
      kind,
      fields: [
        .init("FORM_TYPE", kind: .hidden, values: [Self.formType]),
        .init("pubsub#title", values: [title]),
        choice("pubsub#access_model", access.rawValue, ["open", "presence", "whitelist"]),
        choice(
          "pubsub#publish_model", publishing.rawValue, ["publishers", "subscribers", "open"]),
        .init("pubsub#persist_items", kind: .boolean, values: [isPersistent ? "1" : "0"]),
        .init(
          "pubsub#max_items", values: [maximum == Self.itemLimit ? "max" : String(maximum)]),
        choice(
          "pubsub#send_last_published_item", lastItem.rawValue,
          ["never", "on_sub", "on_sub_and_presence"]),
        .init("pubsub#notify_retract", kind: .boolean, values: [notifiesRetraction ? "1" : "0"]),
      ])
  }

  /// Applies a form or publish-options; ignores unknown fields.
  /// - Returns: false when a value is invalid; no field is applied then.
  mutating func apply(_ form: XEP0004DataForm) -> Bool {
    var new = self
    for field in form.fields {
      guard let value = field.values.first else { continue }
      let isSet = value == "1" || value == "true"
      switch field.name {
      case "pubsub#title": new.title = String(value.prefix(1024))
      case "pubsub#access_model":
        guard let access = Access(rawValue: value) else { return false }
        new.access = access
      case "pubsub#publish_model":
        guard let publishing = Publishing(rawValue: value) else { return false }
        new.publishing = publishing
      case "pubsub#persist_items": new.isPersistent = isSet
      case "pubsub#max_items":
        guard let number = value == "max" ? Self.itemLimit : Int(value),
          (1...Self.itemLimit).contains(number)
        else { return false }
        new.maximum = number
      case "pubsub#send_last_published_item":
        guard let last = LastItem(rawValue: value) else { return false }
        new.lastItem = last
      case "pubsub#notify_retract": new.notifiesRetraction = isSet
      default: break
      }
    }
    self = new
    return true
  }

  /// Returns whether the settings meet publish-options as preconditions (XEP-0060 §7.1.5).
  func fulfils(_ options: XEP0004DataForm) -> Bool {
    var wanted = self
    return wanted.apply(options) && wanted == self
  }
}
