import XML
import XMPP

extension XEP0030Discovery {
  /// The longest name, feature or value of a stored result, in bytes.
  static let textBytes = 1024
  /// The most identities, features and forms of a stored result, and the most bytes of its features
  /// and of its forms. Each of 100 components may answer with the largest stanza that its server
  /// permits.
  private static let (identityLimit, featureLimit, formLimit) = (32, 1000, 16)
  private static let byteLimit = 32 << 10

  /// The result without the parts that exceed these limits.
  var shortened: XEP0030Discovery {
    var bytes = 0
    // The order makes the same result of each answer.
    let kept = features.lazy.filter { $0.utf8.count <= Self.textBytes }.sorted()
      .prefix(Self.featureLimit).prefix { feature in
        bytes += feature.utf8.count
        return bytes <= Self.byteLimit
      }
    bytes = 0
    let keptForms = forms.prefix(Self.formLimit).prefix { form in
      bytes += form.element.weight
      return bytes <= Self.byteLimit
    }
    return XEP0030Discovery(
      identities: identities.filter {
        [$0.category, $0.type, $0.language ?? ""].allSatisfy { $0.utf8.count <= Self.textBytes }
      }.prefix(Self.identityLimit).map {
        Identity(
          category: $0.category, type: $0.type,
          name: $0.name?.beginning(bytes: Self.textBytes), language: $0.language)
      }, features: Set(kept), forms: Array(keptForms))
  }
}
