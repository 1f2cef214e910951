import Testing
import XML
import XMPP

@testable import LocalServer

/// The tables of RFC 6121 Appendix A, row by row.
@Suite struct SubscriptionTests {
  enum State: String, CaseIterable {
    case none, noneOut, noneIn, noneOutIn, to, toIn, from, fromOut, both

    var value: Subscription {
      switch self {
      case .none: Subscription()
      case .noneOut: Subscription(pendingOut: true)
      case .noneIn: Subscription(pendingIn: true)
      case .noneOutIn: Subscription(pendingOut: true, pendingIn: true)
      case .to: Subscription(to: true)
      case .toIn: Subscription(to: true, pendingIn: true)
      case .from: Subscription(from: true)
      case .fromOut: Subscription(from: true, pendingOut: true)
      case .both: Subscription(to: true, from: true)
      }
    }
  }

  struct Row: CustomTestStringConvertible {
    let request: SubscriptionRequest
    let before: State
    let passesOn: Bool
    let after: State
    var isAlreadyGranted = false

    init(
      _ request: SubscriptionRequest, _ before: State, _ passesOn: Bool, _ after: State,
      granted: Bool = false
    ) {
      self.request = request
      self.before = before
      self.passesOn = passesOn
      self.after = after
      isAlreadyGranted = granted
    }

    var testDescription: String { "\(request.rawValue) in \(before)" }
  }

  static let outbound: [Row] = [
    // A.2.1
    Row(.subscribe, .none, true, .noneOut), Row(.subscribe, .noneOut, true, .noneOut),
    Row(.subscribe, .noneIn, true, .noneOutIn), Row(.subscribe, .noneOutIn, true, .noneOutIn),
    Row(.subscribe, .to, true, .to), Row(.subscribe, .toIn, true, .toIn),
    Row(.subscribe, .from, true, .fromOut), Row(.subscribe, .fromOut, true, .fromOut),
    Row(.subscribe, .both, true, .both),
    // A.2.2
    Row(.unsubscribe, .none, true, .none), Row(.unsubscribe, .noneOut, true, .none),
    Row(.unsubscribe, .noneIn, true, .noneIn), Row(.unsubscribe, .noneOutIn, true, .noneIn),
    Row(.unsubscribe, .to, true, .none), Row(.unsubscribe, .toIn, true, .noneIn),
    Row(.unsubscribe, .from, true, .from), Row(.unsubscribe, .fromOut, true, .from),
    Row(.unsubscribe, .both, true, .from),
    // A.2.3
    Row(.subscribed, .none, false, .none), Row(.subscribed, .noneOut, false, .noneOut),
    Row(.subscribed, .noneIn, true, .from), Row(.subscribed, .noneOutIn, true, .fromOut),
    Row(.subscribed, .to, false, .to), Row(.subscribed, .toIn, true, .both),
    Row(.subscribed, .from, false, .from), Row(.subscribed, .fromOut, false, .fromOut),
    Row(.subscribed, .both, false, .both),
    // A.2.4
    Row(.unsubscribed, .none, false, .none), Row(.unsubscribed, .noneOut, false, .noneOut),
    Row(.unsubscribed, .noneIn, true, .none), Row(.unsubscribed, .noneOutIn, true, .noneOut),
    Row(.unsubscribed, .to, false, .to), Row(.unsubscribed, .toIn, true, .to),
    Row(.unsubscribed, .from, true, .none), Row(.unsubscribed, .fromOut, true, .noneOut),
    Row(.unsubscribed, .both, true, .to),
  ]

  static let inbound: [Row] = [
    // A.3.1
    Row(.subscribe, .none, true, .noneIn), Row(.subscribe, .noneOut, true, .noneOutIn),
    Row(.subscribe, .noneIn, false, .noneIn), Row(.subscribe, .noneOutIn, false, .noneOutIn),
    Row(.subscribe, .to, true, .toIn), Row(.subscribe, .toIn, false, .toIn),
    Row(.subscribe, .from, false, .from, granted: true),
    Row(.subscribe, .fromOut, false, .fromOut, granted: true),
    Row(.subscribe, .both, false, .both, granted: true),
    // A.3.2
    Row(.unsubscribe, .none, false, .none), Row(.unsubscribe, .noneOut, false, .noneOut),
    Row(.unsubscribe, .noneIn, true, .none), Row(.unsubscribe, .noneOutIn, true, .noneOut),
    Row(.unsubscribe, .to, false, .to), Row(.unsubscribe, .toIn, true, .to),
    Row(.unsubscribe, .from, true, .none), Row(.unsubscribe, .fromOut, true, .noneOut),
    Row(.unsubscribe, .both, true, .to),
    // A.3.3
    Row(.subscribed, .none, false, .none), Row(.subscribed, .noneOut, true, .to),
    Row(.subscribed, .noneIn, false, .noneIn), Row(.subscribed, .noneOutIn, true, .toIn),
    Row(.subscribed, .to, false, .to), Row(.subscribed, .toIn, false, .toIn),
    Row(.subscribed, .from, false, .from), Row(.subscribed, .fromOut, true, .both),
    Row(.subscribed, .both, false, .both),
    // A.3.4
    Row(.unsubscribed, .none, false, .none), Row(.unsubscribed, .noneOut, true, .none),
    Row(.unsubscribed, .noneIn, false, .noneIn), Row(.unsubscribed, .noneOutIn, true, .noneIn),
    Row(.unsubscribed, .to, true, .none), Row(.unsubscribed, .toIn, true, .noneIn),
    Row(.unsubscribed, .from, false, .from), Row(.unsubscribed, .fromOut, true, .from),
    Row(.unsubscribed, .both, true, .from),
  ]

  @Test(arguments: outbound) func `an outbound stanza takes the step of appendix A.2`(_ row: Row) {
    #expect(
      row.before.value.sending(row.request)
        == SubscriptionStep(row.after.value, passesOn: row.passesOn))
  }

  @Test(arguments: inbound) func `an inbound stanza takes the step of appendix A.3`(_ row: Row) {
    #expect(
      row.before.value.receiving(row.request)
        == SubscriptionStep(
          row.after.value, passesOn: row.passesOn, isAlreadyGranted: row.isAlreadyGranted))
  }

  @Test func `the tables have every request in every state`() {
    #expect(Self.outbound.count == State.allCases.count * SubscriptionRequest.allCases.count)
    #expect(Self.inbound.count == Self.outbound.count)
  }

  @Test func `a stranger's request alone is not on the list, an answered one is`() {
    let asked = StoredContact(.init(local: "a", domain: "x")).with(State.noneIn.value)
    #expect(!asked.isListed)
    #expect(asked.with(State.from.value).isListed)
    #expect(asked.with(State.none.value).isListed == false)
  }

  @Test(arguments: [
    (State.none, "none"), (.noneOut, "none"), (.to, "to"), (.from, "from"), (.both, "both"),
  ]) func `clients get the state without what is pending in`(_ state: State, _ text: String) {
    let element = StoredContact(.init(local: "a", domain: "x"), subscription: state.value).element
    #expect(element["subscription"] == text)
    #expect(element["ask"] == (state == .noneOut ? "subscribe" : nil))
  }
}
