import XML

/// A step of a call that rings on all devices of an account (XEP-0353).
package struct XEP0353Step: Hashable, Sendable {
  package static let namespace = "urn:xmpp:jingle-message:0"

  /// The steps, with their names on the wire (§3).
  package enum StepName: String, CaseIterable, Hashable, Sendable {
    case propose, ringing, proceed, accept, reject, retract, finish
  }

  package let kind: StepName
  /// The call's id, chosen by the caller.
  package let call: String

  package init(_ kind: StepName, of call: String) {
    self.kind = kind
    self.call = call
  }

  /// The longest id that is accepted, in bytes.
  private static let idLimit = 512

  /// Reads a step; `nil` when `element` is something else.
  package init?(_ element: Element) {
    guard element.namespace == Self.namespace, let kind = StepName(rawValue: element.name),
      let call = element["id"], !call.isEmpty, call.utf8.count <= Self.idLimit
    else { return nil }
    self.init(kind, of: call)
  }

  package var element: Element { Element(kind.rawValue, Self.namespace, ["id": call]) }
}

extension MessageStanza {
  /// The step of a call that it reports (XEP-0353 §3).
  package var callStep: XEP0353Step? {
    guard kind == .chat || kind == .normal else { return nil }
    return element.all(in: XEP0353Step.namespace).lazy.compactMap { XEP0353Step($0) }.first
  }
}
