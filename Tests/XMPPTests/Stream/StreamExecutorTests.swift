import TestSupport
import Testing

@testable import XMPP

@Suite struct StreamExecutorTests {
  /// Ends the test unless `reader` runs on the executor of `stream`.
  private func expect(_ reader: ElementReader, runsOn stream: isolated XMPPStream) {
    reader.preconditionIsolated()
  }

  @Test func `the reader of a stream runs on the executor of the stream`() async {
    let (transport, _) = MemoryByteStream.pair(isSecure: true)
    let reader = ElementReader(transport, stanzaLimit: 1 << 18, upgrade: StreamClient.upgrade)
    let stream = XMPPStream(
      NegotiatedSession(
        session: .fixture, resumptionID: nil, origin: .new,
        authentication: Authentication(mechanism: "PLAIN", proof: nil)), reader,
      early: EarlyStanzas([]), sleep: Pause.endless)
    await expect(reader, runsOn: stream)
  }
}
