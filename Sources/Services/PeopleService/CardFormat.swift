import NatterCore
import XML
import XMPP

/// The elements of a vCard's XML that hold the fields of a card.
///
/// Content of other clients is preserved: only the fields that are set are changed.
struct CardFormat: Sendable {
  let root: String
  let namespace: String
  /// The element of each field and the child with its text; of several alternatives the first is
  /// written, all are read.
  private let pathsByField: [PersonCard.Field: [[String]]]
  /// The element of a postal address, and all its parts in their order.
  private let address: (name: String, parts: [String])
  /// The prefix of a telephone number.
  private let phonePrefix: String

  /// RFC 6351, as used by XEP-0292.
  static let vCard4 = CardFormat(
    root: "vcard", namespace: "urn:ietf:params:xml:ns:vcard-4.0",
    pathsByField: [
      .nickname: [["nickname", "text"]], .fullName: [["fn", "text"]],
      .birthday: [["bday", "date"], ["bday", "date-time"], ["bday", "text"]],
      .organisation: [["org", "text"]], .email: [["email", "text"]],
      .phone: [["tel", "uri"], ["tel", "text"]], .web: [["url", "uri"]], .note: [["note", "text"]],
      .street: [["adr", "street"]], .postcode: [["adr", "code"]], .city: [["adr", "locality"]],
      .region: [["adr", "region"]], .country: [["adr", "country"]],
    ],
    address: ("adr", ["pobox", "ext", "street", "locality", "region", "code", "country"]),
    phonePrefix: "tel:")

  /// XEP-0054.
  static let vCardTemp = CardFormat(
    root: "vCard", namespace: "vcard-temp",
    pathsByField: [
      .nickname: [["NICKNAME"]], .fullName: [["FN"]], .birthday: [["BDAY"]],
      .organisation: [["ORG", "ORGNAME"]], .email: [["EMAIL", "USERID"]],
      .phone: [["TEL", "NUMBER"]], .web: [["URL"]], .note: [["DESC"], ["NOTE"]],
      .street: [["ADR", "STREET"]], .postcode: [["ADR", "PCODE"]], .city: [["ADR", "LOCALITY"]],
      .region: [["ADR", "REGION"]], .country: [["ADR", "CTRY"]],
    ],
    address: ("ADR", ["POBOX", "EXTADD", "STREET", "LOCALITY", "REGION", "PCODE", "CTRY"]),
    phonePrefix: "")

  /// Returns the fields that `element` holds.
  func card(in element: Element) -> PersonCard {
    var card = PersonCard()
    for field in PersonCard.Field.allCases {
      for path in pathsByField[field] ?? [] where card[field].isEmpty {
        card[field] = text(at: path, in: element)
      }
    }
    if !phonePrefix.isEmpty, card[.phone].hasPrefix(phonePrefix) {
      card[.phone] = String(card[.phone].dropFirst(phonePrefix.count))
    }
    return card
  }

  /// Returns a copy of `element`, or a new card, with these texts in their fields; an empty text
  /// removes a field.
  func setting(_ texts: [PersonCard.Field: String], in element: Element?) -> Element {
    var result = element ?? Element(root, namespace)
    for field in PersonCard.Field.allCases {
      guard var text = texts[field], let paths = pathsByField[field] else { continue }
      for path in paths.dropFirst() { set("", at: path, in: &result) }
      if field == .phone, !text.isEmpty { text = phonePrefix + text }
      set(text, at: paths[0], in: &result)
    }
    return result
  }

  private func text(at path: [String], in element: Element) -> String {
    // The first element with text counts: forms may begin with an empty one.
    for child in element.all(path[0], namespace) {
      let found = path.count == 1 ? child : child.first(path[1], namespace)
      if let text = found?.text.withoutBlanksAround, !text.isEmpty { return text }
    }
    return ""
  }

  private func set(_ text: String, at path: [String], in element: inout Element) {
    let index = element.children.firstIndex {
      if case .element(let child) = $0 { child.is(path[0], namespace) } else { false }
    }
    guard let index, case .element(var child) = element.children[index] else {
      if !text.isEmpty { element.append(made(text, at: path)) }
      return
    }
    if path.count == 1 {
      child.children = text.isEmpty ? [] : [.text(text)]
    } else {
      replace(path[1], by: text, in: &child)
    }
    // Parameters without a value carry no information.
    let isEmpty = child.elements.allSatisfy {
      $0.name == "parameters" || $0.text.withoutBlanksAround.isEmpty
    }
    if isEmpty, child.text.withoutBlanksAround.isEmpty {
      element.children.remove(at: index)
    } else {
      element.children[index] = .element(child)
    }
  }

  private func replace(_ name: String, by text: String, in element: inout Element) {
    let content: [Element.Node] = text.isEmpty ? [] : [.text(text)]
    for (index, node) in element.children.enumerated() {
      guard case .element(var part) = node, part.is(name, namespace) else { continue }
      part.children = content
      element.children[index] = .element(part)
      return
    }
    if !text.isEmpty { element.append(Element(name, namespace, text: text)) }
  }

  private func made(_ text: String, at path: [String]) -> Element {
    guard path.count > 1 else { return Element(path[0], namespace, text: text) }
    guard path[0] == address.name else {
      return Element(path[0], namespace, [:], [Element(path[1], namespace, text: text)])
    }
    // An address has all its parts, in this order.
    return Element(
      path[0], namespace, [:],
      address.parts.map { part in
        part == path[1]
          ? Element(part, namespace, text: text) : Element(part, namespace)
      })
  }
}
