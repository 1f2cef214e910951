import XMPP

extension Session {
  package static let fixture = Session.fixture(features: StreamFeatures())

  package static func fixture(features: StreamFeatures) -> Session {
    Session(
      jid: JID(local: "alice", domain: "example.org", resource: "test"), features: features,
      hasStreamManagement: true)
  }
}

extension StreamFeatures {
  package static let withRosterVersioning: StreamFeatures = {
    var features = StreamFeatures()
    features.hasRosterVersioning = true
    return features
  }()
}
