import XML

/// The encryption of a message (XEP-0380).
package struct XEP0380Encryption: Hashable, Sendable {
  package static let namespace = "urn:xmpp:eme:0"

  /// The namespace of the encryption.
  package let method: String
  /// The sender's name for the encryption, if it gives any.
  package let name: String?

  package init(method: String, name: String? = nil) {
    self.method = method
    self.name = name
  }

  /// Reads an `<encryption/>`; `nil` when `element` is something else.
  package init?(_ element: Element) {
    guard element.is("encryption", Self.namespace), let method = element["namespace"],
      !method.isEmpty
    else { return nil }
    self.init(method: method, name: element["name"])
  }

  /// The encryption's name for display: that of a known method (§5), otherwise the sender's name
  /// for it.
  package var title: String {
    let known = method.utf8.count <= Self.longestMethod ? Self.names[method] : nil
    return known ?? name ?? method
  }

  /// A longer namespace is not looked up, in bytes.
  private static let longestMethod = 64

  private static let names = [
    "eu.siacs.conversations.axolotl": "OMEMO", "urn:xmpp:omemo:0": "OMEMO",
    "urn:xmpp:omemo:1": "OMEMO", "urn:xmpp:omemo:2": "OMEMO", "urn:xmpp:openpgp:0": "OpenPGP",
    "jabber:x:encrypted": "OpenPGP", "urn:xmpp:otr:0": "OTR",
  ]

  /// The announcement of OMEMO 0.3.0.
  package static let omemo030 = XEP0380Encryption(method: XEP0384Omemo.namespace, name: "OMEMO")

  /// The `<encryption/>` to send (§3).
  package var element: Element {
    var element = Element("encryption", Self.namespace, ["namespace": method])
    if let name { element["name"] = name }
    return element
  }

  /// The namespaces of OMEMO, that of version 0.3.0 first.
  static let omemo = [
    "eu.siacs.conversations.axolotl", "urn:xmpp:omemo:2", "urn:xmpp:omemo:1", "urn:xmpp:omemo:0",
  ]
  /// Other elements with encrypted text, by namespace: those of OpenPGP.
  static let others = [("openpgp", "urn:xmpp:openpgp:0"), ("x", "jabber:x:encrypted")]
}

extension MessageStanza {
  /// The encryption of its text; `nil` when no text is encrypted.
  package var encryption: XEP0380Encryption? {
    let announced = announcedEncryption
    if let method = XEP0380Encryption.omemo.first(where: { omemo($0) != nil }) {
      return isKeyTransport ? nil : XEP0380Encryption(method: method)
    }
    if let method = XEP0380Encryption.others.first(where: { element.first($0, $1) != nil })?.1 {
      return XEP0380Encryption(method: method)
    }
    // OTR puts its encrypted text into the body itself.
    if announced == nil, bodyBeginning?.hasPrefix("?OTR:") == true {
      return XEP0380Encryption(method: "urn:xmpp:otr:0")
    }
    return announced
  }

  /// Indicates whether it carries keys for a device of the user and no text, as OMEMO sends them.
  package var isKeyTransport: Bool {
    let all = XEP0380Encryption.omemo.compactMap { method in omemo(method).map { (method, $0) } }
    return !all.isEmpty && all.allSatisfy { method, keys in keys.first("payload", method) == nil }
  }

  /// The encryption that it announces.
  package var announcedEncryption: XEP0380Encryption? {
    element.first("encryption", XEP0380Encryption.namespace).flatMap { XEP0380Encryption($0) }
  }

  private func omemo(_ namespace: String) -> Element? { element.first("encrypted", namespace) }
}
