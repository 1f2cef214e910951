import FoundationEssentials
import NatterCore
import XML
import XMPP

/// A file that a message offers (XEP-0447), or the URL beside its text (XEP-0066).
package enum FilePayload: SentMessagePayload {
  package static let features: Set<String> = []

  /// Returns the file that `stanza` offers; `nil` if there is none, or not over HTTP.
  package static func decode(_ stanza: MessageStanza) -> SharedFile? {
    guard let found = stanza.sharedFile else { return nil }
    let addresses = ([found.url] + found.otherURLs).filter(isFetchable)
    guard let best = addresses.first else { return nil }
    return SharedFile(
      address: best, name: found.name, mediaType: found.mediaType, byteCount: found.size,
      digests: digests(found.digests), width: found.width, height: found.height,
      thumbnail: found.thumbnail?.bytes, otherAddresses: Array(addresses.dropFirst()))
  }

  /// Returns the elements of a message that offers `file`, in addition to the address as its text.
  package static func encode(_ file: SharedFile) -> [Element] {
    let sharing = XEP0447FileSharing(
      url: file.address, name: file.name, mediaType: file.mediaType, size: file.byteCount,
      digests: file.digests.compactMap(hash), width: file.width, height: file.height,
      otherURLs: file.otherAddresses)
    return [
      sharing.element, XEP0447FileSharing.fallbackElement, XEP0066OutOfBand.element(file.address),
    ]
  }

  /// Returns the description and the URL of a file that is not over HTTP: no file is offered for
  /// it, so the user gets the URL itself.
  static func unfetchable(in stanza: MessageStanza) -> String? {
    let parts = [stanza.outOfBandDescription, stanza.sharedFile?.url].compactMap { $0 }
      .filter { !$0.saysNothing }
    return parts.isEmpty ? nil : parts.joined(separator: "\n")
  }

  private static func isFetchable(_ url: String) -> Bool {
    let lower = url.prefix(8).lowercased()
    return (lower.hasPrefix("https://") || lower.hasPrefix("http://"))
      && url.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }

  // MARK: - Digests (XEP-0300)

  /// Returns the valid digests of known kinds among those of the sender: one of each kind,
  /// strongest first.
  private static func digests(_ hashes: [XEP0300Hash]) -> [FileDigest] {
    FileDigest.Algorithm.allCases.compactMap { algorithm in
      hashes.lazy.filter { $0.algorithm.lowercased() == algorithm.rawValue }
        .compactMap { hexadecimal(base64: $0.value, algorithm.byteCount) }
        .first.map { FileDigest(algorithm, $0) }
    }
  }

  /// Returns the element for the wire; `nil` if the digits of `digest` are not a digest.
  private static func hash(_ digest: FileDigest) -> XEP0300Hash? {
    base64(hexadecimal: digest.hexadecimal, digest.algorithm.byteCount)
      .map { XEP0300Hash(algorithm: digest.algorithm.rawValue, value: $0) }
  }

  /// Returns the digest as hexadecimal digits; `nil` if `text` is not the Base64 of that many
  /// bytes. Ignores line ends and spaces, which some senders insert.
  private static func hexadecimal(base64 text: String, _ byteCount: Int) -> String? {
    guard let bytes = Data(base64Encoded: text.filter { !$0.isWhitespace }),
      bytes.count == byteCount
    else { return nil }
    return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func base64(hexadecimal text: String, _ byteCount: Int) -> String? {
    let values = text.compactMap(\.hexDigitValue)
    guard values.count == byteCount * 2, text.count == byteCount * 2 else { return nil }
    let bytes = stride(from: 0, to: values.count, by: 2).map {
      UInt8(values[$0] << 4 | values[$0 + 1])
    }
    return Data(bytes).base64EncodedString()
  }
}
