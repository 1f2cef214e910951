import NatterCore
import Synchronization
import TestSupport
import XML
import XMPP

@testable import PeopleService

/// A server's cards as a script: nodes with one item each, and the older vCard.
final class CardServer: Sendable {
  struct State {
    var nodes: [String: Element] = [:]
    var access: [String: String] = [:]
    var older: Element?
    /// Indicates whether there are nodes at all.
    var hasNodes = true
    /// Indicates whether the older vCard is filled from the node, and vice versa.
    var carriesOver = false
    /// The error of the next write.
    var refusal: StanzaError?
    /// The error of each read of a card.
    var outage: StanzaError?
    /// The error of each query for features.
    var discoveryOutage: StanzaError?
    /// The error of each query for the settings of a node.
    var settingsOutage: StanzaError?
    var writes = 0
    /// Answers of another namespace.
    var others: [String: Element] = [:]
    var features: Set<String> = []
    /// The number of queries to the program of a contact.
    var asked = 0
  }

  let state = Mutex(State())

  var channel: RecordingChannel { RecordingChannel { [self] iq in try answer(iq) } }

  /// Returns a channel that holds back the answers to the requests that `holds` chooses.
  func channel(holding holds: @escaping @Sendable (Element) -> Bool) -> HeldChannel {
    HeldChannel(holding: holds) { [self] iq in try answer(iq) }
  }

  /// Returns the node whose items a request reads.
  static func node(of iq: Element) -> String? {
    iq.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub)?["node"]
  }

  private static let owner = "http://jabber.org/protocol/pubsub#owner"

  private func answer(_ iq: Element) throws -> Element {
    try state.withLock { state in
      func result(_ payload: Element...) -> Element {
        Element("iq", Namespace.client, ["type": "result"], payload)
      }
      guard let payload = iq.elements.first else { throw StanzaError(.modify, .badRequest) }
      let isSet = iq["type"] == "set"
      if isSet, let refusal = state.refusal {
        state.refusal = nil
        throw refusal
      }
      if !isSet, payload.namespace != Namespace.discoInfo, let outage = state.outage {
        throw outage
      }
      switch payload.namespace {
      case Namespace.discoInfo:
        state.asked += 1
        if let outage = state.discoveryOutage { throw outage }
        return result(
          XEP0030Discovery(
            features: state.features.union(
              state.carriesOver ? [CardFormat.vCard4.namespace] : [])
          ).element())
      case CardFormat.vCardTemp.namespace:
        if isSet {
          state.writes += 1
          state.older = payload
          return result()
        }
        if state.carriesOver, let card = state.nodes[CardExchange.node] {
          return result(
            CardFormat.vCardTemp.setting(CardFormat.vCard4.card(in: card).texts, in: nil))
        }
        guard let older = state.older else { throw StanzaError(.cancel, .itemNotFound) }
        return result(older)
      case Namespace.pubSub, Self.owner:
        guard state.hasNodes else { throw StanzaError(.cancel, .serviceUnavailable) }
        return result(try node(payload, isSet, &state))
      default:
        guard let answer = state.others[payload.namespace] else {
          throw StanzaError(.cancel, .serviceUnavailable)
        }
        return result(answer)
      }
    }
  }

  private func node(_ payload: Element, _ isSet: Bool, _ state: inout State) throws -> Element {
    guard let action = payload.elements.first, let node = action["node"] else {
      throw StanzaError(.modify, .badRequest)
    }
    switch action.name {
    case "publish":
      state.writes += 1
      state.nodes[node] = action.elements.first?.elements.first
      return Element("pubsub", Namespace.pubSub)
    case "items":
      guard let item = state.nodes[node] else { throw StanzaError(.cancel, .itemNotFound) }
      return Element(
        "pubsub", Namespace.pubSub, [:],
        [
          Element(
            "items", Namespace.pubSub, ["node": node],
            [Element("item", Namespace.pubSub, ["id": "current"], [item])])
        ])
    case "configure":
      if !isSet, let outage = state.settingsOutage { throw outage }
      guard state.nodes[node] != nil else { throw StanzaError(.cancel, .itemNotFound) }
      if isSet {
        let form = action.first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) }
        state.access[node] = form?["pubsub#access_model"]?.values.first
        return Element("pubsub", Self.owner)
      }
      let form = XEP0004DataForm(
        .form, fields: [.init("pubsub#access_model", values: [state.access[node] ?? "presence"])])
      return Element(
        "pubsub", Self.owner, [:],
        [Element("configure", Self.owner, ["node": node], [form.element])])
    default: throw StanzaError(.cancel, .featureNotImplemented)
    }
  }
}
