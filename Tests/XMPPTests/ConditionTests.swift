import Testing
import XML
import XMPP

/// The names on the wire, against the lists of RFC 6120.
@Suite struct ConditionTests {
  @Test func `the stream errors are those of RFC 6120 section 4.9.3`() {
    #expect(
      Set(StreamError.Condition.allCases.map(\.rawValue)) == [
        "bad-format", "bad-namespace-prefix", "conflict", "connection-timeout", "host-gone",
        "host-unknown", "improper-addressing", "internal-server-error", "invalid-from",
        "invalid-namespace", "invalid-xml", "not-authorized", "not-well-formed",
        "policy-violation", "remote-connection-failed", "reset", "resource-constraint",
        "restricted-xml", "see-other-host", "system-shutdown", "undefined-condition",
        "unsupported-encoding", "unsupported-feature", "unsupported-stanza-type",
        "unsupported-version",
      ])
  }

  @Test func `the stanza errors are those of RFC 6120 section 8.3.3`() {
    #expect(
      Set(StanzaError.Condition.allCases.map(\.rawValue)) == [
        "bad-request", "conflict", "feature-not-implemented", "forbidden", "gone",
        "internal-server-error", "item-not-found", "jid-malformed", "not-acceptable",
        "not-allowed", "not-authorized", "policy-violation", "recipient-unavailable", "redirect",
        "registration-required", "remote-server-not-found", "remote-server-timeout",
        "resource-constraint", "service-unavailable", "subscription-required",
        "undefined-condition", "unexpected-request",
      ])
    #expect(
      Set(StanzaError.ErrorType.allCases.map(\.rawValue))
        == ["auth", "cancel", "continue", "modify", "wait"])
  }

  @Test(arguments: StreamError.Condition.allCases)
  func `a stream error comes back as it was sent`(condition: StreamError.Condition) {
    let error = StreamError(
      condition, text: "why", otherHost: condition == .seeOtherHost ? "[::1]:5222" : nil)
    #expect(StreamError(error.element) == error)
    #expect(StreamError(StreamError(condition).element)?.text == nil)
  }

  @Test(arguments: StanzaError.Condition.allCases)
  func `a stanza error comes back as it was sent`(condition: StanzaError.Condition) {
    for kind in StanzaError.ErrorType.allCases {
      let error = StanzaError(kind, condition, text: "why")
      #expect(StanzaError(error.element) == error)
    }
  }

  @Test func `what is unknown in an error is undefined`() {
    let stream = Element("error", Namespace.streams, [:], [Element("zap", Namespace.streamErrors)])
    #expect(StreamError(stream) == StreamError(.undefinedCondition))
    #expect(StreamError(Element("error", Namespace.client)) == nil)
    let stanza = StanzaError(
      Element("error", Namespace.client, ["type": "zap"], [Element("x", "urn:x")]))
    #expect(stanza.condition == .undefinedCondition)
    #expect(stanza.kind == .cancel)
    #expect(stanza.applicationCondition == Element("x", "urn:x"))
  }
}
