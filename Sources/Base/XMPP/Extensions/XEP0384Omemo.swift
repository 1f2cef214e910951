import Crypto
import XML

/// End-to-end encryption between devices (XEP-0384), version 0.3.0: names, limits, and the reading
/// of what all its elements have in common.
package enum XEP0384Omemo {
  package static let namespace = "eu.siacs.conversations.axolotl"
  /// The node with the list of an account's devices.
  package static let deviceListNode = namespace + ".devicelist"
  /// The feature of this client that makes the server send the lists of contacts (XEP-0163 §4.3).
  package static let notifications = deviceListNode + "+notify"

  /// Returns the node with the public keys of a device.
  package static func bundleNode(of device: UInt32) -> String { "\(namespace).bundles:\(device)" }

  /// The id of the only item of each of these nodes.
  package static let itemID = "current"
  /// The ids that a device may have.
  package static let deviceIDs: ClosedRange<UInt32> = 1...0x7FFF_FFFF
  /// The ids that keys of others may have. Own ones are 1 to 2^24-2.
  package static let keyIDs: ClosedRange<UInt32> = 0...0x7FFF_FFFF
  /// The ids that own keys have.
  package static let ownKeyIDs: ClosedRange<UInt32> = 1...0xFF_FFFE

  /// The most devices in a list that is read.
  package static let deviceLimit = 100
  /// The most pre-keys in a bundle that is read.
  package static let preKeyLimit = 1000
  /// The most keys of a message that are looked at.
  package static let keyLimit = 5000
  /// The most keys of a message for one device that are read.
  package static let keyLimitPerDevice = 8
  /// The longest key of a message, in bytes.
  package static let longestKey = 4096

  /// Reads an id: decimal digits in the shortest form, within `range`.
  static func number(_ text: String?, in range: ClosedRange<UInt32>) -> UInt32? {
    guard let bytes = text?.utf8, (1...10).contains(bytes.count),
      bytes.allSatisfy({ (0x30...0x39).contains($0) }), bytes.count == 1 || bytes.first != 0x30
    else { return nil }
    let value = bytes.reduce(UInt64(0)) { $0 * 10 + UInt64($1 - 0x30) }
    guard let number = UInt32(exactly: value), range.contains(number) else { return nil }
    return number
  }

  /// Reads the text of an element as Base64 of at most `limit` bytes. Line ends are skipped: some
  /// clients write them.
  static func bytes(
    of element: Element, _ part: OmemoElementError.Part, limit: Int
  ) throws(OmemoElementError) -> [UInt8] {
    // Four characters for three bytes, and line ends after each 64 or more.
    let longest = (limit + 2) / 3 * 4 * 66 / 64 + 64
    // Of what is longer, at least one byte more: a scalar at the end may be left out.
    let text = element.textBeginning(bytes: longest + 4)
    guard text.utf8.count <= longest else { throw .wrongLength(part) }
    guard let bytes = Base64.decode(text) else { throw .notBase64(part) }
    guard bytes.count <= limit else { throw .wrongLength(part) }
    return bytes
  }

  /// Reads the text of an element as a public key: the byte 5, then 32 bytes, which are returned.
  static func key(
    of element: Element?, _ part: OmemoElementError.Part
  ) throws(OmemoElementError) -> [UInt8] {
    guard let element else { throw .missing(part) }
    let bytes = try bytes(of: element, part, limit: 33)
    guard bytes.count == 33, bytes.first == 5 else { throw .wrongLength(part) }
    return Array(bytes.dropFirst())
  }

  /// Returns the text of a public key of 32 bytes.
  static func text(ofKey key: [UInt8]) -> String { Base64.encode([5] + key) }

  /// Returns the item that counts: that with the usual id, else the last one.
  static func current(_ items: [Element]) -> Element? {
    items.first { $0["id"] == itemID } ?? items.last
  }

  /// Returns a request that publishes `content` as the only item of `node`, readable by everyone.
  /// - Parameter hasOptions: `false` for a server without publish-options; the node is configured
  ///   afterwards.
  static func publication(of content: Element, in node: String, hasOptions: Bool) -> Element {
    let item = Element("item", Namespace.pubSub, ["id": itemID], [content])
    return hasOptions
      ? XEP0060.openPublication(of: item, in: node) : XEP0060.announcement(of: item, in: node)
  }

  /// Returns a request for a node of `jid`.
  static func request(_ node: String, of jid: JID) -> Element {
    var request = XEP0060.items(of: node)
    request["to"] = jid.bare.description
    return request
  }
}

/// The reason why an element of OMEMO is not used.
package enum OmemoElementError: Error, Hashable, Sendable {
  /// A part of an element.
  package enum Part: String, Hashable, Sendable {
    case list, bundle, encrypted, header, sender, key, iv, payload
    case identityKey, signedPreKey, signature, preKeys
  }

  /// It is missing, or another element.
  case missing(Part)
  case notBase64(Part)
  /// It is longer or shorter than it may be, or a key of another kind.
  case wrongLength(Part)
  /// An id that is missing, no number, or out of range.
  case wrongID(Part)
  /// Two have the same id, or are the same.
  case repeated(Part)
  /// There are more than the limit allows.
  case tooMany(Part, Int)
}

/// The devices of an account (XEP-0384 0.3.0 §4.1).
package struct OmemoDeviceList: Hashable, Sendable {
  /// Their ids, ascending.
  package let ids: [UInt32]

  package init(ids: some Sequence<UInt32>) { self.ids = Set(ids).sorted() }

  /// Reads a `<list/>`. Ids that no device can have are ignored.
  /// - Throws: `OmemoElementError.tooMany`: no part of such a list is used.
  package init(_ element: Element) throws(OmemoElementError) {
    guard element.is("list", XEP0384Omemo.namespace), !element.exceedsLimit else {
      throw .missing(.list)
    }
    let devices = element.all("device", XEP0384Omemo.namespace)
    guard devices.count <= XEP0384Omemo.deviceLimit else { throw .tooMany(.list, devices.count) }
    self.init(
      ids: devices.compactMap { XEP0384Omemo.number($0["id"], in: XEP0384Omemo.deviceIDs) })
  }

  /// Reads the response to `request(of:)`. A node without an item is an empty list.
  /// - Throws: `OmemoElementError`.
  package init(answer: Element) throws(OmemoElementError) {
    try self.init(items: XEP0060.items(in: answer))
  }

  /// Reads a notification; `nil` if it is about another node. The caller checks the sender, who
  /// owns the node.
  /// - Throws: `OmemoElementError`.
  package init?(event: XEP0060Event) throws(OmemoElementError) {
    guard event.node == XEP0384Omemo.deviceListNode else { return nil }
    // A retracted item says nothing about the others.
    guard event.isEmptied || !event.items.isEmpty else { return nil }
    try self.init(items: event.items)
  }

  private init(items: [Element]) throws(OmemoElementError) {
    guard let item = XEP0384Omemo.current(items) else {
      self.init(ids: [])
      return
    }
    guard let list = item.first("list", XEP0384Omemo.namespace) else { throw .missing(.list) }
    try self.init(list)
  }

  package var element: Element {
    Element(
      "list", XEP0384Omemo.namespace, [:],
      ids.map { Element("device", XEP0384Omemo.namespace, ["id": String($0)]) })
  }

  /// Returns a request for the list of an account.
  package static func request(of jid: JID) -> Element {
    XEP0384Omemo.request(XEP0384Omemo.deviceListNode, of: jid)
  }

  /// Returns a request that publishes it as the own list.
  /// - Parameter hasOptions: `false` for a server without publish-options.
  package func publication(hasOptions: Bool = true) -> Element {
    XEP0384Omemo.publication(
      of: element, in: XEP0384Omemo.deviceListNode, hasOptions: hasOptions)
  }
}
