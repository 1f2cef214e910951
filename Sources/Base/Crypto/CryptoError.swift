/// The reason why a cryptographic function cannot be used. No case carries a key or other input.
package enum CryptoError: Error, Equatable, Sendable {
  /// No libcurl or no libcrypto could be found; holds the loader's message.
  case libraryMissing(String)
  /// The loaded libcrypto lacks this function.
  case symbolMissing(String)
  /// libcrypto refused to compute, which it does only for arguments out of its range.
  case failed(function: String)
  /// A public key of the right length is unusable: it is of small order, is not reduced,
  /// or has no equivalent on the other curve.
  case refused
}
