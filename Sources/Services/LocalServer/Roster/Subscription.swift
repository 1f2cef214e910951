/// The subscription state between an account and a contact: one of the nine states of RFC 6121
/// Appendix A.1.
struct Subscription: Hashable, Sendable {
  /// The account receives the contact's presence.
  var to = false
  /// The contact receives the account's presence.
  var from = false
  /// The account has requested the contact's presence and has no answer yet ("Pending Out").
  var pendingOut = false
  /// The contact has requested the account's presence and has no answer yet ("Pending In").
  var pendingIn = false

  static let none = Subscription()
  static let both = Subscription(to: true, from: true)

  /// The value of a roster item's `subscription` attribute (RFC 6121 §2.1.2.5).
  var attribute: String {
    switch (to, from) {
    case (true, true): "both"
    case (true, false): "to"
    case (false, true): "from"
    case (false, false): "none"
    }
  }
}

/// The four types of presence that change a subscription (RFC 6121 §3).
enum SubscriptionRequest: String, CaseIterable, Sendable {
  case subscribe, subscribed, unsubscribe, unsubscribed
}

/// The server's handling of one subscription stanza.
struct SubscriptionStep: Equatable, Sendable {
  /// The state after the stanza.
  let state: Subscription
  /// Indicates whether the stanza is forwarded: to the contact, or to the account's clients.
  let passesOn: Bool
  /// Indicates whether the server answers an inbound `subscribe` with `subscribed` in the account's
  /// name, because the account has granted the subscription before.
  let isAlreadyGranted: Bool

  init(_ state: Subscription, passesOn: Bool, isAlreadyGranted: Bool = false) {
    self.state = state
    self.passesOn = passesOn
    self.isAlreadyGranted = isAlreadyGranted
  }
}

extension Subscription {
  /// Returns the step for a stanza that the account's own client sends to the contact (RFC 6121
  /// Appendix A.2).
  func sending(_ request: SubscriptionRequest) -> SubscriptionStep {
    var next = self
    switch request {
    case .subscribe:
      if !to { next.pendingOut = true }
      return SubscriptionStep(next, passesOn: true)
    case .unsubscribe:
      next.to = false
      next.pendingOut = false
      return SubscriptionStep(next, passesOn: true)
    case .subscribed:
      // Granting a subscription without a request is a pre-approval, which the server does not
      // offer.
      guard pendingIn else { return SubscriptionStep(self, passesOn: false) }
      next.pendingIn = false
      next.from = true
      return SubscriptionStep(next, passesOn: true)
    case .unsubscribed:
      guard pendingIn || from else { return SubscriptionStep(self, passesOn: false) }
      next.pendingIn = false
      next.from = false
      return SubscriptionStep(next, passesOn: true)
    }
  }

  /// Returns the step for a stanza that arrives from the contact (RFC 6121 Appendix A.3).
  func receiving(_ request: SubscriptionRequest) -> SubscriptionStep {
    var next = self
    switch request {
    case .subscribe:
      if from { return SubscriptionStep(self, passesOn: false, isAlreadyGranted: true) }
      next.pendingIn = true
      return SubscriptionStep(next, passesOn: !pendingIn)
    case .unsubscribe:
      guard from || pendingIn else { return SubscriptionStep(self, passesOn: false) }
      next.from = false
      next.pendingIn = false
      return SubscriptionStep(next, passesOn: true)
    case .subscribed:
      guard pendingOut else { return SubscriptionStep(self, passesOn: false) }
      next.pendingOut = false
      next.to = true
      return SubscriptionStep(next, passesOn: true)
    case .unsubscribed:
      guard pendingOut || to else { return SubscriptionStep(self, passesOn: false) }
      next.pendingOut = false
      next.to = false
      return SubscriptionStep(next, passesOn: true)
    }
  }
}
