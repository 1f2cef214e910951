import BoundedText
import FoundationEssentials

extension TokenRefusal {
  /// Reads the challenge of a failed OAUTHBEARER (RFC 7628 §3.2.2); `nil` for anything that is not
  /// a JSON object. A member of the wrong type counts as absent.
  package init?(json bytes: [UInt8]) {
    guard bytes.count <= 8192,
      let wire = try? JSONDecoder().decode(Wire.self, from: Data(ClusterBound.json(bytes)))
    else { return nil }
    self.init(
      status: wire.status ?? "invalid_token", scope: wire.scope,
      configurationURL: wire.configuration)
  }

  private struct Wire: Decodable {
    var status: String?
    var scope: String?
    var configuration: String?

    enum CodingKeys: String, CodingKey {
      case status, scope
      case configuration = "openid-configuration"
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      status = try? members.decode(String.self, forKey: .status)
      scope = try? members.decode(String.self, forKey: .scope)
      configuration = try? members.decode(String.self, forKey: .configuration)
    }
  }
}
